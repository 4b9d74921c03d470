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

/** The role that row-level security binds: it owns nothing and sees the rows of the stores that `catalogue.stores` names. */
export const tenantRole = 'catalogue_tenant'

/**
 * The database for whom only some stores are there: each statement, and each transaction, is run by a role to which PostgreSQL shows no row of any other
 * store, whatever the statement asks for. It costs two round trips more. In a transaction its own transactions are savepoints. `possible` says whether
 * the role can be used; without it nothing is limited here.
 */
export function limitedTo(
  db: Kysely<Database>,
  stores: Iterable<string>,
  possible: Promise<boolean>,
): Kysely<Database> {
  const uuids = [...stores]
  if (!uuids.every((uuid) => /^[0-9a-f-]{36}$/.test(uuid))) throw new Error('stores must be UUIDs')
  const limit = `set local role ${tenantRole}; set local catalogue.stores = '{${uuids.join(',')}}'`
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new LimitedDriver(db, async () => ((await possible) ? limit : '')),
      createIntrospector: (limited) => new PostgresIntrospector(limited),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [...db.getExecutor().plugins],
  })
}

/** Borrows the connections of the database and gives them back as they were. */
class LimitedDriver implements Driver {
  readonly #db: Kysely<Database>
  readonly #limit: () => Promise<string>

  constructor(db: Kysely<Database>, limit: () => Promise<string>) {
    this.#db = db
    this.#limit = limit
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<LimitedConnection> {
    const limit = await this.#limit()
    const { isTransaction } = this.#db
    return new Promise((resolve, reject) => {
      const hold = (connection: DatabaseConnection) =>
        new Promise<void>((release) => resolve(new LimitedConnection(connection, limit, isTransaction, release)))
      this.#db.getExecutor().provideConnection(hold).catch(reject)
    })
  }

  async releaseConnection(connection: LimitedConnection): Promise<void> {
    connection.release()
  }

  async beginTransaction(connection: LimitedConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings)
  }

  async commitTransaction(connection: LimitedConnection): Promise<void> {
    await connection.end('commit')
  }

  async rollbackTransaction(connection: LimitedConnection): Promise<void> {
    await connection.end('rollback')
  }
}

class LimitedConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #limit: string
  readonly #isWithin: boolean
  readonly release: () => void
  #inTransaction = false

  constructor(connection: DatabaseConnection, limit: string, isWithin: boolean, release: () => void) {
    this.#connection = connection
    this.#isWithin = isWithin
    this.#limit = limit
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
    const begin = this.#isWithin ? 'savepoint limited' : `begin ${modes}`
    // One message: without parameters PostgreSQL takes several statements at once.
    await this.#connection.executeQuery(CompiledQuery.raw(`${begin}; ${this.#limit}`))
    this.#inTransaction = true
  }

  /** Going back to a savepoint takes back the role too; going on from it does not. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    this.#inTransaction = false
    const within = {
      commit: 'set local role none; release savepoint limited',
      rollback: 'rollback to savepoint limited',
    }
    await this.#connection.executeQuery(CompiledQuery.raw(this.#isWithin ? within[how] : how))
  }
}

const limiting = new WeakMap<Kysely<Database>, Promise<boolean>>()

/** Whether the database's user may act as the role. Where it could not be made, the query functions' own wall stands alone. */
export function canLimit(db: Kysely<Database>): Promise<boolean> {
  const known = limiting.get(db)
  if (known) return known
  const asked = sql<{ possible: boolean }>`
    select coalesce(bool_or(pg_has_role(current_user, oid, 'member')), false) as possible
    from pg_roles where rolname = ${tenantRole}`
    .execute(db)
    .then(({ rows }) => rows[0]?.possible ?? false)
  asked.catch(() => limiting.delete(db))
  limiting.set(db, asked)
  return asked
}

/** Says so where the role cannot be used. */
export function warnOfOneWall(db: Kysely<Database>, warn: (words: string) => void): void {
  canLimit(db)
    .then((possible) => possible || warn(`row-level security is off: the role ${tenantRole} cannot be used`))
    .catch(() => {})
}
