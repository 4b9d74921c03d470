import { type Command, InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { type Config, mostWorkers, readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { createLog } from '../log.ts'
import { startTracing } from '../tracing/start-tracing.ts'
import type { CommandContext } from './program.ts'
import { untilSignal } from './until-signal.ts'

/** After this time without an end the process ends itself: something hangs that nobody will wait for. */
const longestStopMs = 15_000

/** `catalog serve`: runs until SIGINT or SIGTERM; a second signal ends it at once. */
export function addServe(program: Command, { env }: CommandContext): void {
  program
    .command('serve')
    .description('run the gateway (what `npm start` does)')
    .option('--demo', 'fill an empty database with a small generated catalogue', false)
    .option('--workers <N>', 'how many processes answer requests (default: WORKERS, else 1)', workersOf)
    .action(async ({ demo, workers }: { demo: boolean; workers?: number }) => {
      const config = readConfig(env)
      config.workers = workers ?? config.workers
      const log = createLog(config.logLevel)
      if (config.workers > 1 && (await isWorker())) {
        const { work } = await import('../workers/worker.ts')
        return work(config, await startTracing(env), log)
      }
      const stopped = untilSignal()
      const stop = await start(config, demo, env, log)
      const signal = await stopped
      log.info({ signal }, 'stopping')
      setTimeout(() => process.exit(1), longestStopMs).unref()
      await stop()
    })
}

/** PostgreSQL starts while the gateway, or what starts its workers, is loaded. */
async function start(
  config: Config,
  demo: boolean,
  env: CommandContext['env'],
  log: Logger,
): Promise<() => Promise<void>> {
  if (config.workers > 1) {
    const loading = import('../workers/primary.ts')
    const database = await openDatabase(config, log, loading)
    return (await loading).serveByWorkers(config, { demo, database }, log)
  }
  const loading = Promise.all([import('../serve.ts'), startTracing(env)])
  const database = await openDatabase(config, log, loading)
  const [{ serve }, tracing] = await loading
  return serve(config, { demo, database, tracing }, log)
}

/** Whether a primary has started this process. */
async function isWorker(): Promise<boolean> {
  const { default: cluster } = await import('node:cluster')
  return cluster.isWorker
}

function workersOf(text: string): number {
  const workers = Number(text)
  if (/^\d{1,2}$/.test(text) && workers >= 1 && workers <= mostWorkers) return workers
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostWorkers}.`)
}
