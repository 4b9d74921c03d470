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
      const { servers, distributed, reference } = await withDatabase(({ db }) =>
        withOwnConnection(db, async (own) => {
          if (!apply) return planDistribution(own.db)
          const done = await distribute(own.db)
          await checkOneServer(own.db)
          return done
        }),
      )
      const tables = [...distributed, ...reference.map((table) => `${table} (a copy on each)`)].join(', ')
      const verb = apply ? 'distributed' : 'would distribute'
      const words = `${servers} ${servers === 1 ? 'server holds' : 'servers hold'} stores: ${tables === '' ? 'all tables are distributed already' : `${verb} ${tables}`}`
      printResult(json, { applied: apply, servers, distributed, reference }, words)
    })
}
