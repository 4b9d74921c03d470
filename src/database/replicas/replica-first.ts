import type { CompiledQuery, DatabaseConnection, Kysely } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import { kyselyWith } from '../kysely-with.ts'
import type { Database } from '../tables.ts'
import { codeOf } from '../unavailable.ts'

/** A server that replays the primary's write-ahead log. */
export interface Replica {
  db: Kysely<Database>
  /** Aborted once it cannot be used. */
  unusable: AbortSignal
}

/** A database for reads: each statement goes to the replica and, if it fails there, to the primary. */
export function replicaFirst(replica: Replica, primary: Kysely<Database>): Kysely<Database> {
  const executeQuery = async <Row>(query: CompiledQuery<Row>) => {
    if (replica.unusable.aborted) return primary.executeQuery(query)
    try {
      return await orUnusable(replica.unusable, replica.db.executeQuery(query))
    } catch (error) {
      if (isFinal(error)) throw error
      return primary.executeQuery(query)
    }
  }
  const refuse = (): never => {
    throw new Error('a replica takes neither transactions nor streams')
  }
  const connection = { executeQuery, streamQuery: refuse } as DatabaseConnection
  return kyselyWith({
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
  })
}

/** Fails as soon as the replica cannot be used, before the time-out of the connection. */
async function orUnusable<T>(unusable: AbortSignal, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const fail = () => reject(new Error('the replica does not answer'))
  unusable.addEventListener('abort', fail)
  try {
    return await Promise.race([answer, promise])
  } finally {
    unusable.removeEventListener('abort', fail)
  }
}

/** Whether the error is about the request: it reads too much, takes too long, or its client has disconnected. */
function isFinal(error: unknown): boolean {
  return error instanceof CatalogueError || codeOf(error) === '57014'
}
