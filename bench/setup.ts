import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { connect } from '../src/database/connection/connect.ts'
import { migrate } from '../src/database/migrate.ts'
import type { Database } from '../src/database/tables.ts'
import { startEmbedded } from '../src/embedded-postgres/embedded-postgres.ts'
import { generate } from './data.ts'

export interface BenchDatabase extends AsyncDisposable {
  db: Kysely<Database>
  /** For processes of their own. */
  url: string
}

/** The benchmark's own PostgreSQL with the generated data set, in a temporary directory or kept in `BENCH_DATA_DIR`. */
export async function startDatabase({ large }: { large: boolean }): Promise<BenchDatabase> {
  const kept = process.env.BENCH_DATA_DIR
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'catalogue-bench-')))
  const server = await startEmbedded({ dataDir })
  const { host, port, user, database } = server.connection
  const db = connect({ host, port, user, database, statement_timeout: 0, query_timeout: 0 }, () => {})
  await migrate(db)
  const filled = await db.selectFrom('store').select('store_uuid').executeTakeFirst()
  if (!filled) await generate(db, { large })
  return {
    db,
    url: `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`,
    [Symbol.asyncDispose]: async () => {
      await db.destroy()
      await server.stop()
      if (kept === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
