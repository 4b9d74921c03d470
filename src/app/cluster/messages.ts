import cluster, { type Worker } from 'node:cluster'
import type { PoolConfig } from 'pg'

/** What the supervisor sends to a worker, by type. */
export interface SupervisorMessages {
  /** Which of the workers it is, from 1, and how it connects to the database. */
  start: { number: number; connection: PoolConfig }
  stop: object
  /** No worker takes new connections any more. */
  allPortsClosed: object
  /** The metrics of all workers, in the format of Prometheus. */
  metrics: { text?: string; error?: string }
}

/** What a worker sends to the supervisor, by type. */
export interface WorkerMessages {
  /** It answers requests at the URL, or why it cannot. */
  started: { url?: string; error?: { message: string; code: string | undefined } }
  /** It takes no new connections. */
  portClosed: object
  getMetrics: object
}

export function sendToWorker<Type extends keyof SupervisorMessages>(
  worker: Worker,
  type: Type,
  message: SupervisorMessages[Type],
): void {
  // A worker that has just exited does not receive it: the supervisor handles its exit.
  worker.send({ type, ...message }, () => {})
}

export function sendToSupervisor<Type extends keyof WorkerMessages>(type: Type, message: WorkerMessages[Type]): void {
  cluster.worker?.send({ type, ...message })
}

/** Calls the listener with each message of the type from a worker. */
export function onWorkerMessage<Type extends keyof WorkerMessages>(
  worker: Worker,
  type: Type,
  listener: (message: WorkerMessages[Type]) => void,
): void {
  worker.on('message', (message) => {
    if (message.type === type) listener(message)
  })
}

/** Resolves, in a worker, with the next message of the type. */
export function nextMessage<Type extends keyof SupervisorMessages>(type: Type): Promise<SupervisorMessages[Type]> {
  return new Promise((resolve) => {
    const listener = (message: SupervisorMessages[Type] & { type?: string }) => {
      if (message.type !== type) return
      process.off('message', listener)
      resolve(message)
    }
    process.on('message', listener)
  })
}
