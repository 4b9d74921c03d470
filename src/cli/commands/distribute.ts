import type { Command } from 'commander'
import { distribute, planDistribution } from '../../database/citus/distribute.ts'
import { withOwnConnection } from '../../database/connection/own-connection.ts'
import { checkOneServer } from '../check-one-server.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .description(
      'distribute the stores over the servers of a Citus database; without --apply, only print what would be done',
    )
    .option('--apply', 'do it, and check that a request for a store uses only the server of that store', false)
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ apply, json }: { apply: boolean; json: boolean }) => {
      const { servers, spread, copied } = await withDatabase(({ db }) =>
        withOwnConnection(db, async (own) => {
          if (!apply) return planDistribution(own.db)
          const done = await distribute(own.db)
          await checkOneServer(own.db)
          return done
        }),
      )
      const tables = [...spread, ...copied.map((table) => `${table} (whole on each)`)].join(', ')
      const done = apply ? 'distributed' : 'would distribute'
      const words = `${servers} ${servers === 1 ? 'server keeps' : 'servers keep'} stores: ${tables === '' ? 'all tables are distributed already' : `${done} ${tables}`}`
      printResult(json, { applied: apply, servers, spread, copied }, words)
    })
}
