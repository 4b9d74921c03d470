import type { Command } from 'commander'
import { distribute, planDistribution } from '../../database/citus/distribute.ts'
import { withOwnConnection } from '../../database/connection/own-connection.ts'
import { migrateQueue } from '../../database/job-queue.ts'
import { addChangeDays } from '../../database/ledger.ts'
import { migrate } from '../../database/migrate.ts'
import { maxPartitions } from '../../database/partitions.ts'
import { jsonFlag, wholeNumber } from '../option-values.ts'
import { printResult } from '../output.ts'
import { type CommandContext, withDatabase } from '../with-database.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description("bring the database's tables up to date")
    .option(...jsonFlag)
    .option(
      '--partitions <number>',
      `hash partitions by store for the large tables of a new database, 2 to ${maxPartitions}`,
      wholeNumber(2, maxPartitions),
    )
    .action(async ({ json, partitions }: { json: boolean; partitions?: number }) => {
      const migrateAll = async ({ db }: CommandContext) => {
        const migrations = await migrate(db, partitions, (sentence) => process.stderr.write(`${sentence}\n`))
        // A new version of pg-boss also changes its tables.
        await migrateQueue(db)
        await addChangeDays(db)
        return migrations
      }
      const migrations = await withDatabase(migrateAll, { mayCreate: true })
      const words = migrations.length === 0 ? 'the database is up to date' : `ran ${migrations.join(', ')}`
      printResult(json, { migrations }, words)
    })
}

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .summary('distribute the stores over the servers of Citus')
    .description(
      'distribute the stores over the servers of a Citus database; without --apply, only print what would be done',
    )
    .option(
      '--apply',
      'distribute them, and check that a request for a store uses only the server of that store',
      false,
    )
    .option(...jsonFlag)
    .action(async ({ apply, json }: { apply: boolean; json: boolean }) => {
      const { servers, distributed } = await withDatabase(async ({ db }) => {
        const plan = await withOwnConnection(db, (own) => (apply ? distribute(own.db) : planDistribution(own.db)))
        if (apply) {
          // It loads most of the catalogue, which would delay `migrate` and `check`.
          const { checkOneServer } = await import('../check-one-server.ts')
          // A session from before the distribution does not know of it.
          await withOwnConnection(db, (own) => checkOneServer(own.db))
        }
        return plan
      })
      const tables = distributed.join(', ')
      const verb = apply ? 'distributed' : 'would distribute'
      const words = `${servers} ${servers === 1 ? 'server holds' : 'servers hold'} stores: ${tables === '' ? 'all tables are distributed already' : `${verb} ${tables}`}`
      printResult(json, { applied: apply, servers, distributed }, words)
    })
}
