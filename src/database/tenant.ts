import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type QueryResult,
  sql,
  type TransactionSettings,
} from 'kysely'
import { requestContext } from '../request/context.ts'
import { kyselyWith } from './kysely-with.ts'
import type { Database } from './tables.ts'

/** The role that row-level security binds: it sees the rows of the stores in the setting `catalogue.stores`. */
export const tenantRole = 'catalogue_tenant'

/**
 * A database that is limited to some stores: the tenant role runs each statement and each transaction, and row-level
 * security hides other stores from it. This costs two more round trips. Within a transaction, transactions are
 * savepoints. Without the role, this limits nothing.
 */
export function limitedTo(db: Kysely<Database>, stores: ReadonlySet<string>): Kysely<Database> {
  const byStores = limited.get(db) ?? new WeakMap<ReadonlySet<string>, Kysely<Database>>()
  limited.set(db, byStores)
  const known = byStores.get(stores) ?? createLimited(db, stores)
  byStores.set(stores, known)
  return known
}

/** By the database and the set of stores, which requests of one caller share. */
const limited = new WeakMap<Kysely<Database>, WeakMap<ReadonlySet<string>, Kysely<Database>>>()

function createLimited(db: Kysely<Database>, stores: ReadonlySet<string>): Kysely<Database> {
  const uuids = [...stores]
  if (!uuids.every((uuid) => /^[0-9a-f-]{36}$/.test(uuid))) throw new Error('stores must be UUIDs')
  const limit = `set local role ${tenantRole}; set local catalogue.stores = '{${uuids.join(',')}}'`
  return kyselyWith(tenantDriver(db, limit), [...db.getExecutor().plugins])
}

/** A driver on the connections of the database. */
function tenantDriver(db: Kysely<Database>, limit: string): Omit<Driver, 'init' | 'destroy'> {
  return {
    async acquireConnection() {
      const { isUsable, keepPath } = await rowSecurityOf(db)
      const usable = isUsable ? keepPath + limit : ''
      const { promise, resolve, reject } = Promise.withResolvers<TenantConnection>()
      const borrow = (connection: DatabaseConnection) =>
        new Promise<void>((release) => resolve(tenantConnection(connection, usable, db.isTransaction, release)))
      db.getExecutor().provideConnection(borrow).catch(reject)
      return promise
    },
    releaseConnection: async (connection) => (connection as TenantConnection).release(),
    beginTransaction: (connection, settings) => (connection as TenantConnection).begin(settings),
    commitTransaction: (connection) => (connection as TenantConnection).end('commit'),
    rollbackTransaction: (connection) => (connection as TenantConnection).end('rollback'),
  }
}

type TenantConnection = ReturnType<typeof tenantConnection>

function tenantConnection(connection: DatabaseConnection, limit: string, isNested: boolean, release: () => void) {
  let inTransaction = false
  const send = (statements: string) => connection.executeQuery(CompiledQuery.raw(statements))
  const begin = async ({ isolationLevel, accessMode }: TransactionSettings) => {
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(', ')
    // One message: without parameters PostgreSQL takes several statements at once.
    await send(`${isNested ? 'savepoint tenant' : `begin ${modes}`}; ${limit}`)
    inTransaction = true
  }
  // Rolling back to a savepoint resets the role too; releasing it does not.
  const endOfSavepoint = {
    commit: 'set local role none; release savepoint tenant',
    rollback: 'rollback to savepoint tenant',
  }
  const end = async (how: 'commit' | 'rollback') => {
    inTransaction = false
    await send(isNested ? endOfSavepoint[how] : how)
  }
  const executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    if (inTransaction) return connection.executeQuery(query)
    await begin({})
    try {
      const result = await connection.executeQuery<Row>(query)
      await end('commit')
      return result
    } catch (error) {
      await end('rollback').catch(() => {})
      throw error
    }
  }
  const streamQuery = (): never => {
    throw new Error('a limited database does not stream: a stream would outlive the transaction that limits it')
  }
  return { executeQuery, streamQuery, begin, end, release }
}

/** Whether the user may act as the tenant role. If not, only the query functions limit what a tenant sees. */
export async function hasRowSecurity(db: Kysely<Database>): Promise<boolean> {
  return (await rowSecurityOf(db)).isUsable
}

interface RowSecurity {
  isUsable: boolean
  /** What keeps a schema with the name of the user in the search path: the role changes `"$user"`. */
  keepPath: string
}

/** By the adapter, which all handles and transactions of one database share. */
const rowSecurity = new WeakMap<object, Promise<RowSecurity>>()

function rowSecurityOf(db: Kysely<Database>): Promise<RowSecurity> {
  const { adapter } = db.getExecutor()
  const known = rowSecurity.get(adapter)
  if (known) return known
  // Outside the request: other requests wait for the same answer.
  const answer = requestContext.exit(readRowSecurity, db)
  answer.catch(() => rowSecurity.delete(adapter))
  rowSecurity.set(adapter, answer)
  return answer
}

async function readRowSecurity(db: Kysely<Database>): Promise<RowSecurity> {
  const { rows } = await sql<RowSecurity>`
    select exists (
      select from pg_roles where rolname = ${tenantRole} and pg_has_role(current_user, oid,
        case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end)
    ) as "isUsable", case when current_user <> all (current_schemas(false)) then '' else 'set local search_path = ' || (
      select string_agg(quote_ident(name), ', ' order by place) || '; '
      from unnest(current_schemas(false)) with ordinality s (name, place)
    ) end as "keepPath"`.execute(db)
  return rows[0] ?? { isUsable: false, keepPath: '' }
}
