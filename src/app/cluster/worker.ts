import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { connect } from '../../database/connection/connect.ts'
import { answerSupervisor } from '../../metrics/registry.ts'
import type { Config } from '../config.ts'
import { startConfiguredGateway } from '../configured-gateway.ts'
import { type Messages, nextMessage, send } from './messages.ts'

/** Runs one worker from the supervisor's `start` to its `stop`. Node ends a worker whose supervisor is gone. */
export async function runWorker(config: Config, env: Record<string, string | undefined>, log: Logger): Promise<void> {
  // Terminals and service managers send a signal to all processes at once: the supervisor decides what follows.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  answerSupervisor()
  const { number, connection } = await nextMessage('start')
  const workerLog = log.child({ worker: number })
  const db = connect(connection, (error) => workerLog.warn({ reason: error.message }, 'a database connection broke'))
  const share = { ...config, pageCacheMb: config.pageCacheMb / config.workers }
  const gateway = await startConfiguredGateway(
    share,
    { db, connection, env, peers: { number, readMetrics } },
    workerLog,
  ).catch(({ message, code }: NodeJS.ErrnoException) => sendToSupervisor('started', { error: { message, code } }))
  if (!gateway) return // the supervisor ends this process
  sendToSupervisor('started', { url: gateway.url })
  await nextMessage('stop')
  await gateway.stop(async () => {
    sendToSupervisor('portClosed', {})
    await nextMessage('allPortsClosed')
  })
  await db.destroy()
  cluster.worker?.disconnect()
}

function sendToSupervisor<Type extends keyof Messages>(type: Type, message: Messages[Type]): void {
  if (cluster.worker) send(cluster.worker, type, message)
}

/** Only the supervisor reaches all workers. */
async function readMetrics(): Promise<string> {
  sendToSupervisor('getMetrics', {})
  const { text, error } = await nextMessage('metrics')
  if (text === undefined) throw new Error(`the metrics of the workers could not be read: ${error}`)
  return text
}
