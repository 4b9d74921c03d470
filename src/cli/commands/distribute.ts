import type { Command } from 'commander'
import { distribute, planDistribution } from '../../database/citus/distribute.ts'
import { withOwnConnection } from '../../database/connection/own-connection.ts'
import { checkOneServer } from '../check-one-server.ts'
import { withDatabase } from '../with-database.ts'

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .description('spread the stores over the servers of a Citus database; without --apply, say what would be done')
    .option('--apply', 'do it, and check that a request to a store needs the server of the store only', false)
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ apply, json }: { apply: boolean; json: boolean }) => {
      const work = () =>
        withDatabase(({ db }) =>
          withOwnConnection(db, async (own) => {
            if (!apply) return planDistribution(own.db)
            const done = await distribute(own.db)
            await checkOneServer(own.db)
            return done
          }),
        )
      const { servers, spread, copied } = await work()
      const tables = [...spread, ...copied.map((table) => `${table} (whole on each)`)].join(', ')
      const done = apply ? 'spread' : 'would spread'
      const words = `${servers} ${servers === 1 ? 'server keeps' : 'servers keep'} stores: ${tables === '' ? 'they are spread already' : `${done} ${tables}`}`
      process.stdout.write(`${json ? JSON.stringify({ applied: apply, servers, spread, copied }) : words}\n`)
    })
}
