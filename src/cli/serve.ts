import type { Command } from 'commander'
import { readConfig } from '../config.ts'
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
    .action(async (options: { demo: boolean }) => {
      const config = readConfig(env)
      // Only this command needs GraphQL and HTTP: the others start in half the time without them.
      const { serve } = await import('../serve.ts')
      const tracing = await startTracing(env)
      const log = createLog(config.logLevel)
      const stopped = untilSignal()
      const stop = await serve(config, { ...options, tracing }, log)
      const signal = await stopped
      log.info({ signal }, 'stopping')
      setTimeout(() => process.exit(1), longestStopMs).unref()
      await stop()
    })
}
