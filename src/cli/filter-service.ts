import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from './program.ts'
import { untilSignal } from './until-signal.ts'
import { withDatabase } from './with-database.ts'

/** `catalog filter-service`: serves the filtering contract over the gateway's database until SIGINT or SIGTERM. */
export function addFilterService(program: Command, { env }: CommandContext): void {
  program
    .command('filter-service')
    .description('serve the filtering contract that FILTER_URL asks for, over the same database')
    .option('--port <N>', 'where to listen on HOST; 0 picks a free port', portOf, 4001)
    .option('--json', 'print one JSON object on stdout', false)
    .action(({ port, json }: { port: number; json: boolean }) =>
      withDatabase({ LOG_LEVEL: 'info', ...env }, async ({ db, config, log }) => {
        const { createFilterService } = await import('../filter/filter-service.ts')
        const server = createFilterService(db, log)
        const stop = untilSignal()
        await once(server.listen(port, config.host), 'listening')
        const url = urlOf(server, config.host)
        process.stdout.write(json ? `${JSON.stringify({ url })}\n` : `catalogue filter at ${url}\n`)
        log.info({ signal: await stop }, 'stopping')
        server.close()
        server.closeIdleConnections()
        await once(server, 'close')
      }),
    )
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}
