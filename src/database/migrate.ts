import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import * as catalogue from './migrations/2026-11-21-catalogue.ts'
import * as keyRanges from './migrations/2026-11-21-key-ranges.ts'
import * as rateLimit from './migrations/2026-11-21-rate-limit.ts'
import * as tokens from './migrations/2026-11-21-tokens.ts'
import * as viewers from './migrations/2026-11-21-viewers.ts'
import * as writtenOnce from './migrations/2026-11-21-written-once.ts'
import * as importRuns from './migrations/2026-11-22-import-runs.ts'
import * as jobs from './migrations/2026-11-22-jobs.ts'
import * as importRunReports from './migrations/2026-11-24-import-run-reports.ts'
import * as groupTotals from './migrations/2026-11-25-group-totals.ts'
import * as mergeProducts from './migrations/2026-11-25-merge-products.ts'
import * as grantMergeProducts from './migrations/2026-11-26-grant-merge-products.ts'
import type { Database } from './tables.ts'

/** Every migration by its name, which begins with its date: they run in the order of their names. */
const migrations = {
  '2026-11-21-catalogue': catalogue,
  '2026-11-21-key-ranges': keyRanges,
  '2026-11-21-rate-limit': rateLimit,
  '2026-11-21-tokens': tokens,
  '2026-11-21-viewers': viewers,
  '2026-11-21-written-once': writtenOnce,
  '2026-11-22-import-runs': importRuns,
  '2026-11-22-jobs': jobs,
  '2026-11-24-import-run-reports': importRunReports,
  '2026-11-25-group-totals': groupTotals,
  '2026-11-25-merge-products': mergeProducts,
  '2026-11-26-grant-merge-products': grantMergeProducts,
}

/**
 * Brings the database's tables up to date, in one transaction under PostgreSQL's advisory lock: several gateways may
 * start at once. Returns the names of the migrations that it ran; throws the first one's error, having changed nothing.
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  // Migrations of one day are made side by side: one may come that sorts before another that has run.
  const provider = { getMigrations: async () => migrations }
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) throw error
  return results.map((result) => result.migrationName)
}
