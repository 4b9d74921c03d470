import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { type Kysely, PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Catalogue, wholeCatalogue } from '../../../src/catalogue/catalogue.ts'
import { connect, connectionStateOf } from '../../../src/database/connection/connect.ts'
import type { ConnectionConfig } from '../../../src/database/connection/session.ts'
import type { Database } from '../../../src/database/tables.ts'
import { requestContext } from '../../../src/request/context.ts'
import { fixture } from '../fixture.ts'
import { copyDistributed, createDistributed, dropDistributed } from './citus.ts'
import { expectOneStore, noteCaller } from './sent-statements.ts'
import { queryOnce } from './sql-client.ts'

export interface TestDatabase extends AsyncDisposable {
  db: Kysely<Database>
  /** The same, for functions of the catalogue. */
  catalogue: Catalogue
  /** For processes of their own. */
  url: string
  /** How further connections are made, perhaps through a pooler. */
  connection: ConnectionConfig
  /** How to connect straight to the server. */
  direct: pg.ClientConfig
  /**
   * How many statements `db` has sent since the last call of this, without `begin` and `commit`, and without what a
   * gateway does in the background.
   */
  statements(): number
  /** Opens a connection of its own, for locks and for statements outside the pool. The caller ends it. */
  client(): Promise<pg.Client & AsyncDisposable>
  lockWaiters(): Promise<number>
  pool(): ReturnType<typeof connectionStateOf>
  drop(): Promise<void>
}

export interface TestDatabaseOptions {
  /** A new database without tables. */
  empty?: boolean
  /** No new database: further connections to this one, which leave it in place. */
  shared?: TestDatabase
  /** How `db` connects, if not straight to the run's PostgreSQL: through a proxy, or with other deadlines. */
  connection?: ConnectionConfig
}

/** A database of its own on the run's PostgreSQL. */
export async function createTestDatabase({
  empty = false,
  shared,
  connection = {},
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = inject('postgres')
  const database = shared ? nameOf(shared) : `test_${randomUUID().replaceAll('-', '')}`
  if (!shared && process.env.CITUS_URL)
    await (empty ? createDistributed(database, { empty }) : copyDistributed(database, inject('template')))
  else if (!shared) await asAdmin(`create database ${database}${empty ? '' : ` template ${inject('template')}`}`)
  const gatewayServer = inject('gatewayServer')
  const config = { ...gatewayServer, database, isDistributed: Boolean(process.env.CITUS_URL) && !empty, ...connection }
  const connected = connect(config, () => {})
  let sent = 0
  const db = connected.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (!background.getStore() || requestContext.getStore()) sent++
      noteCaller(compiler.compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const client = async () => {
    const connected = new pg.Client({ ...server, database })
    await connected.on('error', () => {}).connect()
    return Object.assign(connected, { [Symbol.asyncDispose]: () => connected.end() })
  }
  let watcher: Promise<pg.Client> | undefined
  const drop = async () => {
    await (await watcher)?.end()
    await db.destroy()
    await expectOneStore(client)
    if (!shared && process.env.CITUS_URL) await dropDistributed(database)
    else if (!shared) await asAdmin(`drop database if exists ${database} with (force)`)
  }
  return {
    db,
    catalogue: wholeCatalogue(db),
    connection: config,
    direct: { ...server, database },
    url: databaseUrl({ ...gatewayServer, database }),
    statements: () => {
      const seen = sent
      sent = 0
      return seen
    },
    client,
    lockWaiters: async () => {
      watcher ??= client()
      const { rows } = await (await watcher).query<{ count: number }>(lockWaiters)
      return rows[0]?.count ?? 0
    },
    pool: () => connectionStateOf(connected),
    drop,
    [Symbol.asyncDispose]: drop,
  }
}

export function useDatabase(options: TestDatabaseOptions = {}, per: 'all' | 'each' = 'all'): TestDatabase {
  return fixture(
    () => createTestDatabase(options),
    (database) => database.drop?.(),
    per,
  )
}

/** Where a gateway starts: what it does later outside of requests belongs to no test. */
export const background = new AsyncLocalStorage<true>()

const compiler = new PostgresQueryCompiler()

/** On Citus, those of all its servers. */
const lockWaiters = `select count(*)::int as count from ${process.env.CITUS_URL ? 'citus_stat_activity' : 'pg_stat_activity'}
  where datname = current_database() and wait_event_type = 'Lock'`

function nameOf({ url }: TestDatabase): string {
  return new URL(url).pathname.slice(1)
}

/** The URL of a database on a host or in the directory of a socket. */
export function databaseUrl({ user, host = '', port, database }: pg.ClientConfig): string {
  return `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`
}

async function asAdmin(statement: string): Promise<void> {
  await queryOnce({ ...inject('postgres'), database: 'postgres' }, statement)
}
