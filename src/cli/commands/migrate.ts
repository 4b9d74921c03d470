import type { Command } from 'commander'
import { addChangeDays } from '../../database/change-days.ts'
import { migrateQueue } from '../../database/job-queue.ts'
import { migrate } from '../../database/migrate.ts'
import { mostPartitions } from '../../database/partitions.ts'
import { wholeNumber } from '../option-values.ts'
import { printResult } from '../output.ts'
import { type Work, withDatabase } from '../with-database.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description("bring the database's tables up to date")
    .option('--json', 'print one JSON object on stdout', false)
    .option(
      '--partitions <number>',
      `hash partitions by store for the large tables of a new database, 2 to ${mostPartitions}`,
      wholeNumber(2, mostPartitions),
    )
    .action(async ({ json, partitions }: { json: boolean; partitions?: number }) => {
      const work = async ({ db }: Work) => {
        const migrations = await migrate(db, partitions)
        // Its tables also change with a version of the library.
        await migrateQueue(db)
        await addChangeDays(db)
        return migrations
      }
      const migrations = await withDatabase(work, { mayCreate: true })
      const words = migrations.length === 0 ? 'the database is up to date' : `ran ${migrations.join(', ')}`
      printResult(json, { migrations }, words)
    })
}
