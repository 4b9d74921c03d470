import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { codeOf, isMovedShard } from '../database/unavailable.ts'
import { type Catalogue, joinTransaction, type WriteCatalogue } from './catalogue.ts'

const maxAttempts = 4
/** Thrown to roll a dry run back. */
const rollback = new Error('a dry run is rolled back')

/**
 * Does the work in a transaction, or in a savepoint of the current one, which is rolled back if the work throws. Repeats
 * after a deadlock or serialization failure.
 */
export function inTransaction<T>(
  catalogue: Catalogue,
  work: (catalogue: WriteCatalogue) => Promise<T>,
): Promise<T> {
  return withRetries(() => transact(catalogue, work))
}

/** As `inTransaction`, which a dry run rolls back at its end. `dryRun` can be a function of the result. */
export function withDryRun<T>(
  catalogue: Catalogue,
  dryRun: boolean | null | undefined | ((result: T) => boolean | undefined),
  work: (catalogue: WriteCatalogue) => Promise<T>,
): Promise<T> {
  return withRetries(async () => {
    let result: { of: T } | undefined
    try {
      return await transact(catalogue, async (within) => {
        result = { of: await work(within) }
        if (typeof dryRun === 'function' ? dryRun(result.of) : dryRun) throw rollback
        return result.of
      })
    } catch (error) {
      if (error === rollback && result) return result.of
      throw error
    }
  })
}

/** As `withDryRun`, for one statement: one round trip instead of three, as it needs no `begin` and `commit`. */
export function inOneStatement<T>(
  catalogue: Catalogue,
  dryRun: boolean | null | undefined,
  work: (catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  if (dryRun || catalogue.db.isTransaction) return withDryRun(catalogue, dryRun, work)
  return withRetries(() => work(catalogue))
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !isRetryable(error)) throw error
      await sleep(Math.random() * 20 * attempt)
    }
  }
}

/**
 * Rolling back to a savepoint releases the locks taken since, so that the other side of a deadlock continues. Each
 * savepoint is released at its end: otherwise it would hide the outer one of the same name from the outer rollback.
 */
async function transact<T>(catalogue: Catalogue, work: (catalogue: WriteCatalogue) => Promise<T>): Promise<T> {
  const { db } = catalogue
  if (!db.isTransaction) return db.transaction().execute((begun) => work(joinTransaction(catalogue, begun)))
  await sql`savepoint work`.execute(db)
  let result: T
  try {
    result = await work(catalogue as WriteCatalogue)
  } catch (error) {
    await sql`rollback to savepoint work; release savepoint work`.execute(db)
    throw error
  }
  await sql`release savepoint work`.execute(db)
  return result
}

/** serialization_failure and deadlock_detected. */
function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error)) || isMovedShard(error)
}
