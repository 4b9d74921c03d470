import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import { listen } from '../http/listen.ts'
import { untilSignal } from './until-signal.ts'
import { withDatabase } from './with-database.ts'

/** `catalog filter-service`: serves the filtering contract over the gateway's database until SIGINT or SIGTERM. */
export function addFilterService(program: Command): void {
  program
    .command('filter-service')
    .description('run the filtering service that FILTER_URL names, over the same database')
    .option('--port <N>', 'where to listen on HOST; 0 picks a free port', portOf, 4001)
    .option('--json', 'print one JSON object on stdout', false)
    .action(({ port, json }: { port: number; json: boolean }) =>
      withDatabase(
        async ({ catalogue, config, log }) => {
          const { createFilterService } = await import('../filter/filter-service.ts')
          const server = createFilterService(catalogue, log)
          const stopped = untilSignal().then((signal) => log.info({ signal }, 'stopping'))
          const url = await listen(server, { host: config.host, port })
          process.stdout.write(json ? `${JSON.stringify({ url })}\n` : `catalogue filter at ${url}\n`)
          await stopped
          server.close()
          server.closeIdleConnections()
          await once(server, 'close')
        },
        { logLevel: 'info' },
      ),
    )
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}
