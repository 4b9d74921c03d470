import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type View, type WriteView, within } from './viewer.ts'

/** A preview: its work is done and undone, only its answer is kept. */
class Undone<T> extends Error {
  readonly answer: T
  constructor(answer: T) {
    super('undone')
    this.answer = answer
  }
}

const tries = 4

/**
 * Does the work in one transaction: it is done whole, or not at all when it throws. With `dryRun` everything is undone in the end, and the answer is
 * what it would have been. Work that PostgreSQL chose as the victim of a deadlock or a serialization failure is done again from its start. In a
 * transaction of the caller's it does the same from a savepoint on, and leaves the end to the caller.
 */
export async function write<T>(db: View, dryRun: boolean, work: (transaction: WriteView) => Promise<T>): Promise<T> {
  const undoable = async (transaction: WriteView) => {
    const answer = await work(transaction)
    if (dryRun) throw new Undone(answer)
    return answer
  }
  const once = () =>
    db.isTransaction
      ? fromSavepoint(db as WriteView, undoable)
      : db.transaction().execute((transaction) => undoable(within(db, transaction)))
  return retried(once).catch((error: unknown) => {
    if (error instanceof Undone) return error.answer
    throw error
  })
}

/** Does the work again as long as PostgreSQL chose it as a victim. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === tries || !isVictim(error)) throw error
      await sleep(Math.random() * 20 * attempt)
    }
  }
}

/** The same for work that is one statement: it needs no transaction around it, and no way there and back for `begin` and `commit`. */
export function writeAtOnce<T>(db: View, dryRun: boolean, work: (view: View) => Promise<T>): Promise<T> {
  return dryRun || db.isTransaction ? write(db, dryRun, work) : retried(() => work(db))
}

/** Going back to the savepoint also gives back the locks that were taken since: a deadlock's other side goes on. */
async function fromSavepoint<T>(transaction: WriteView, work: (transaction: WriteView) => Promise<T>): Promise<T> {
  await sql`savepoint work`.execute(transaction)
  try {
    return await work(transaction)
  } catch (error) {
    await sql`rollback to savepoint work`.execute(transaction)
    throw error
  }
}

/** serialization_failure and deadlock_detected: nothing is wrong with the work itself. */
function isVictim(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01')
}
