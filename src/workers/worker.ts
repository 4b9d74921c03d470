import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connect } from '../database/connect.ts'
import type { Figures } from '../metrics/fellows.ts'
import { globalConfigOf } from '../prepare.ts'
import { runGateway } from '../run-gateway.ts'
import type { Tracing } from '../tracing/trace.ts'
import type { Order } from './crew.ts'
import { openLine } from './line.ts'

/** Answers requests as the primary orders, until it says that it is enough. When the primary has gone without a word, Node ends this process. */
export async function work(config: Config, tracing: Tracing | undefined, log: Logger): Promise<void> {
  // A terminal and a service manager send them to all processes at once; what follows from them is the primary's to say.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const enough = Promise.withResolvers<void>()
  let readFigures = async (): Promise<Figures> => []
  let stop = async () => {}

  const begin = async ({ number, connection }: Order) => {
    const ofWorker = log.child({ worker: number })
    const onError = (error: Error) => ofWorker.warn({ reason: error.message }, 'a database connection broke')
    const db = connect(connection, onError)
    const globalConfig = await globalConfigOf(config, ofWorker)
    const fellows = {
      number,
      figures: () => line.ask<Figures[]>('figures of all'),
      giveFigures: (read: typeof readFigures) => {
        readFigures = read
      },
    }
    const share = { ...config, pageCacheMb: config.pageCacheMb / config.workers }
    const gateway = await runGateway(share, { db, connection, globalConfig, tracing, fellows }, ofWorker)
    stop = async () => {
      await gateway.stop(() => line.ask('port closed'))
      await db.destroy()
    }
    return gateway.url
  }
  const line = openLine(process, {
    begin: (order) => begin(order as Order),
    figures: () => readFigures(),
    stop: () => enough.resolve(),
  })
  await enough.promise
  await stop()
  cluster.worker?.disconnect()
}
