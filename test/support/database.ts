import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type View, wholeCatalogue } from '../../src/catalog/viewer.ts'
import { connect, poolStateOf } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'

export interface TestDatabase {
  db: View
  /** For processes of their own. */
  url: string
  /** How further connections are made. */
  connection: pg.PoolConfig
  /** How many statements `db` has sent since the last call of this; `begin` and `commit` do not count. */
  statements(): number
  /** The state of the connections of `db`. */
  pool(): ReturnType<typeof poolStateOf>
  drop(): Promise<void>
}

export interface TestDatabaseOptions {
  empty?: boolean
  /** How `db` connects, where that is not straight to the run's PostgreSQL: through a proxy, or with other deadlines. */
  connection?: pg.PoolConfig
}

/** A database of its own on the run's PostgreSQL, migrated unless `empty`. */
export async function createTestDatabase({
  empty = false,
  connection = {},
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = inject('postgres')
  const database = `test_${randomUUID().replaceAll('-', '')}`
  await asAdmin(`create database ${database}`)
  const config = { ...server, database, ...connection }
  const connected = connect(config, () => {})
  if (!empty) await migrate(connected)
  let sent = 0
  const counted = connected.withPlugin({
    transformQuery: ({ node }) => {
      sent++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const db = wholeCatalogue(counted)
  return {
    db,
    connection: config,
    url: `postgresql://${server.user}@${encodeURIComponent(server.host)}:${server.port}/${database}`,
    statements: () => {
      const seen = sent
      sent = 0
      return seen
    },
    pool: () => poolStateOf(connected),
    drop: async () => {
      await db.destroy()
      await asAdmin(`drop database if exists ${database} with (force)`)
    },
  }
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
