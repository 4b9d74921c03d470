import type { CompiledQuery, DatabaseConnection, Kysely } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import { orAborted } from '../../request/give-up.ts'
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
      // Before the time-out of the connection.
      return await orAborted(replica.db.executeQuery(query), replica.unusable)
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

/** Whether the error is about the request: it reads too much, takes too long, or its client has disconnected. */
function isFinal(error: unknown): boolean {
  return error instanceof CatalogueError || codeOf(error) === '57014'
}
