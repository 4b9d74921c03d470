import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
  type TransactionSettings,
} from 'kysely'
import type { Database } from './tables.ts'

/**
 * The role that row-level security binds: it owns nothing and sees only the rows of the stores in the setting
 * `catalogue.stores`.
 */
export const tenantRole = 'catalogue_tenant'

/**
 * A database that is limited to some stores: each statement and each transaction is run by the tenant role, to which
 * PostgreSQL shows no row of another store, whatever the statement says. It costs two more round trips. On a
 * transaction, its own transactions are savepoints. Where the role cannot be used, nothing is limited.
 */
export function limitedTo(db: Kysely<Database>, stores: Iterable<string>): Kysely<Database> {
  const uuids = [...stores]
  if (!uuids.every((uuid) => /^[0-9a-f-]{36}$/.test(uuid))) throw new Error('stores must be UUIDs')
  const limit = `set local role ${tenantRole}; set local catalogue.stores = '{${uuids.join(',')}}'`
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new TenantDriver(db, limit),
      createIntrospector: (limited) => new PostgresIntrospector(limited),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [...db.getExecutor().plugins],
  })
}

/** Borrows the connections of the database. */
class TenantDriver implements Driver {
  readonly #db: Kysely<Database>
  readonly #limit: string

  constructor(db: Kysely<Database>, limit: string) {
    this.#db = db
    this.#limit = limit
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<TenantConnection> {
    const limit = (await hasRowSecurity(this.#db)) ? this.#limit : ''
    const { promise, resolve, reject } = Promise.withResolvers<TenantConnection>()
    const borrow = (connection: DatabaseConnection) =>
      new Promise<void>((release) => resolve(new TenantConnection(connection, limit, this.#db.isTransaction, release)))
    this.#db.getExecutor().provideConnection(borrow).catch(reject)
    return promise
  }

  async releaseConnection(connection: TenantConnection): Promise<void> {
    connection.release()
  }

  async beginTransaction(connection: TenantConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings)
  }

  async commitTransaction(connection: TenantConnection): Promise<void> {
    await connection.end('commit')
  }

  async rollbackTransaction(connection: TenantConnection): Promise<void> {
    await connection.end('rollback')
  }
}

class TenantConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #limit: string
  readonly #isNested: boolean
  readonly release: () => void
  #inTransaction = false

  constructor(connection: DatabaseConnection, limit: string, isNested: boolean, release: () => void) {
    this.#connection = connection
    this.#limit = limit
    this.#isNested = isNested
    this.release = release
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#inTransaction) return this.#connection.executeQuery(query)
    await this.begin({})
    try {
      const result = await this.#connection.executeQuery<Row>(query)
      await this.end('commit')
      return result
    } catch (error) {
      await this.end('rollback').catch(() => {})
      throw error
    }
  }

  /** A stream would outlive the transaction that limits it. */
  streamQuery(): never {
    throw new Error('a limited database does not stream')
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(', ')
    // One message: without parameters PostgreSQL takes several statements at once.
    await this.#send(`${this.#isNested ? 'savepoint tenant' : `begin ${modes}`}; ${this.#limit}`)
    this.#inTransaction = true
  }

  /** Rolling back to a savepoint resets the role too; releasing it does not. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    this.#inTransaction = false
    const nested = {
      commit: 'set local role none; release savepoint tenant',
      rollback: 'rollback to savepoint tenant',
    }
    await this.#send(this.#isNested ? nested[how] : how)
  }

  async #send(statements: string): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw(statements))
  }
}

/** By the adapter, which all handles and transactions of one database share. */
const rowSecurity = new WeakMap<object, Promise<boolean>>()

/**
 * Whether the database's user may act as the tenant role. If not, only the conditions of the query functions limit what
 * a tenant sees.
 */
export function hasRowSecurity(db: Kysely<Database>): Promise<boolean> {
  const { adapter } = db.getExecutor()
  const known = rowSecurity.get(adapter)
  if (known) return known
  const asked = sql<{ usable: boolean }>`
    select coalesce(bool_or(pg_has_role(current_user, oid,
      case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end)), false) as usable
    from pg_roles where rolname = ${tenantRole}`
    .execute(db)
    .then(({ rows }) => rows[0]?.usable ?? false)
  asked.catch(() => rowSecurity.delete(adapter))
  rowSecurity.set(adapter, asked)
  return asked
}

/** Logs a warning if the tenant role cannot be used. */
export async function warnIfRowSecurityIsUnavailable(
  db: Kysely<Database>,
  warn: (message: string) => void,
): Promise<void> {
  const isAvailable = await hasRowSecurity(db).catch(() => true)
  if (!isAvailable) warn(`row-level security is off: the role ${tenantRole} cannot be used`)
}
