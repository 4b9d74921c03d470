import type { Worker } from 'node:cluster'
import { type EventEmitter, on } from 'node:events'
import type { ConnectionConfig } from '../../database/connection/session.ts'

export interface Messages {
  /** To a worker: its number, from 1, and its connection to the database. */
  start: { number: number; connection: ConnectionConfig }
  /** From a worker: its URL, or the error at its start. */
  started: { url?: string; error?: { message: string; code: string | undefined } }
  stop: object
  /** From a worker: it takes no new connections. */
  portClosed: object
  /** To the workers: all have closed their ports. */
  allPortsClosed: object
  getMetrics: object
  metrics: { text?: string; error?: string }
}

/** Sends a message to a worker, or from a worker to the supervisor. A process that has exited does not receive it. */
export function send<Type extends keyof Messages>(
  receiver: Pick<Worker, 'send'>,
  type: Type,
  message: Messages[Type],
): void {
  receiver.send({ type, ...message }, () => {})
}

export function onMessage<Type extends keyof Messages>(
  sender: EventEmitter,
  type: Type,
  listener: (message: Messages[Type]) => void,
): void {
  sender.on('message', (message) => {
    if (message.type === type) listener(message)
  })
}

export async function nextMessage<Type extends keyof Messages>(type: Type): Promise<Messages[Type]> {
  for await (const [message] of on(process, 'message')) if (message.type === type) return message
  throw new Error('the process must be a worker of a supervisor')
}
