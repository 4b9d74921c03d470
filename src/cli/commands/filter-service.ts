import { once } from 'node:events'
import type { Command } from 'commander'
import { listen } from '../../http/listen.ts'
import { wholeNumber } from '../option-values.ts'
import { printResult } from '../output.ts'
import { untilSignal } from '../until-signal.ts'
import { withDatabase } from '../with-database.ts'

export function addFilterService(program: Command): void {
  program
    .command('filter-service')
    .description('run the filtering service that FILTER_URL names, over the same database')
    .option('--port <N>', 'the port to listen on, on HOST; 0 picks a free port', wholeNumber(0, 65_535), 4001)
    .option('--json', 'print one JSON object on stdout', false)
    .action(({ port, json }: { port: number; json: boolean }) =>
      withDatabase(
        async ({ catalogue, config, log }) => {
          const { createFilterService } = await import('../../filter/filter-service.ts')
          const server = createFilterService(catalogue, log)
          const stopped = untilSignal().then((signal) => log.info({ signal }, 'stopping'))
          const url = await listen(server, { host: config.host, port })
          printResult(json, { url }, `catalogue filter at ${url}`)
          await stopped
          server.close()
          server.closeIdleConnections()
          await once(server, 'close')
        },
        { logLevel: 'info' },
      ),
    )
}
