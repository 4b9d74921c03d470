import type { Command } from 'commander'
import { maxWorkers, readConfig } from '../app/config.ts'
import { createLog } from '../app/log.ts'
import { serve } from '../app/serve.ts'
import { untilSignal } from './until-signal.ts'
import { wholeNumber } from './whole-number.ts'
import { nameDatabase } from './with-database.ts'

/** A process that has not ended this long after the signal is ended by force. */
const maxStopMs = 15_000

/** `catalog serve`: runs until SIGINT or SIGTERM; a second signal ends it at once. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway (what `npm start` does)')
    .option('--demo', 'load a small demo catalogue into an empty database', false)
    .option(
      '--workers <N>',
      'how many processes answer requests (default: WORKERS, else 1)',
      wholeNumber(1, maxWorkers),
    )
    .action(async ({ demo, workers }: { demo: boolean; workers?: number }) => {
      const { env } = process
      const config = readConfig(workers === undefined ? env : { ...env, WORKERS: String(workers) })
      const log = createLog(config.logLevel)
      if (config.workers > 1 && (await import('node:cluster')).default.isWorker) {
        const { runWorker } = await import('../app/cluster/worker.ts')
        return runWorker(config, env, log)
      }
      nameDatabase(config)
      const stopped = untilSignal().then((signal) => {
        log.info({ signal }, 'stopping')
        setTimeout(() => process.exit(1), maxStopMs).unref()
      })
      const { url, stop } = await serve(config, { demo, env, onFirstToken, onNoAdminToken }, log)
      process.stdout.write(`catalogue gateway at ${url} (GraphiQL: ${url}/graphql, REST: ${url}/v1)\n`)
      await stopped
      await stop()
    })
}

function onFirstToken(secret: string): void {
  process.stderr.write(
    `\nAdmin token, shown this once:\n\n  ${secret}\n\nSend it as "Authorization: Bearer ${secret}".\n\n`,
  )
}

function onNoAdminToken(): void {
  const command = 'catalog token create --name admin --scope read,write,admin'
  process.stderr.write(`There are tokens, but no valid one has the scope admin. To make one, run "${command}".\n`)
}
