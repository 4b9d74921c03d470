import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { CatalogueError } from '../../errors.ts'
import type { Database } from '../tables.ts'
import { codeOf } from '../unavailable.ts'

/** A server that replays the primary's write-ahead log. */
export interface Replica {
  db: Kysely<Database>
  /** Aborted once it does not answer. */
  lost: AbortSignal
}

/** A database for reads: each statement goes to the replica and, if it fails there, to the primary. */
export function replicaFirst(replica: Replica, primary: Kysely<Database>): Kysely<Database> {
  const executeQuery = async <Row>(query: CompiledQuery<Row>) => {
    if (replica.lost.aborted) return primary.executeQuery(query)
    try {
      return await unlessLost(replica.lost, replica.db.executeQuery(query))
    } catch (error) {
      if (isFinal(error)) throw error
      return primary.executeQuery(query)
    }
  }
  const refuse = () => {
    throw new Error('a replica takes neither transactions nor streams')
  }
  const connection = { executeQuery, streamQuery: refuse } as DatabaseConnection
  const nothing = async () => {}
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => ({
        init: nothing,
        destroy: nothing,
        acquireConnection: async () => connection,
        releaseConnection: nothing,
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
      }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** A replica that hangs would be given up only at the connection's own time-out. */
async function unlessLost<T>(lost: AbortSignal, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const lose = () => reject(new Error('the replica does not answer'))
  lost.addEventListener('abort', lose)
  try {
    return await Promise.race([answer, promise])
  } finally {
    lost.removeEventListener('abort', lose)
  }
}

/** Whether the error is about the request: it reads too much, takes too long, or its client has left. */
function isFinal(error: unknown): boolean {
  return error instanceof CatalogueError || codeOf(error) === '57014'
}
