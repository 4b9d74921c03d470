import { sql } from 'kysely'
import { type Catalogue, joinTransaction, type WriteCatalogue } from './catalogue.ts'
import { repeatedAfterDeadlock } from './locks.ts'

/** Thrown to roll back what is undone. */
const rollback = new Error('the work is undone')

/**
 * Does the work in a transaction, or in a savepoint of the current one, which is rolled back if the work throws.
 * Repeats the work after a deadlock or serialization failure: within another transaction the savepoint alone.
 */
export function inTransaction<T>(catalogue: Catalogue, work: (catalogue: WriteCatalogue) => Promise<T>): Promise<T> {
  return repeatedAfterDeadlock(() => transact(catalogue, work))
}

/** As `inTransaction`, but rolled back at its end for a dry run, or for a result of which `isUndone` is true. */
export function rolledBackIf<T>(
  catalogue: Catalogue,
  isUndone: boolean | null | undefined | ((result: T) => boolean),
  work: (catalogue: WriteCatalogue) => Promise<T>,
): Promise<T> {
  return repeatedAfterDeadlock(async () => {
    let result: { of: T } | undefined
    try {
      return await transact(catalogue, async (within) => {
        result = { of: await work(within) }
        if (typeof isUndone === 'function' ? isUndone(result.of) : isUndone) throw rollback
        return result.of
      })
    } catch (error) {
      if (error === rollback && result) return result.of
      throw error
    }
  })
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
