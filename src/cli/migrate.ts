import type { Command } from 'commander'
import { migrateQueue } from '../database/job-queue.ts'
import { migrate } from '../database/migrate.ts'
import { type Work, withDatabase } from './with-database.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description("bring the database's tables up to date")
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ json }: { json: boolean }) => {
      const work = async ({ db }: Work) => {
        const migrations = await migrate(db)
        // Its tables also change with a version of the library.
        await migrateQueue(db)
        return migrations
      }
      const migrations = await withDatabase(work, { mayCreate: true })
      const words = migrations.length === 0 ? 'the database is up to date' : `ran ${migrations.join(', ')}`
      process.stdout.write(`${json ? JSON.stringify({ migrations }) : words}\n`)
    })
}
