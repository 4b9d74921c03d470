import { withContext } from '../request/context.ts'
import { maxReadBytes, ReadLimit, readBytesHere } from '../request/read-limit.ts'

interface Work<T> {
  /** A transaction is a write that reads before it is committed. */
  kind: 'read' | 'transaction' | 'write' | 'several writes'
  /** How many rows the request may work on here. */
  maxRows: number
  run(): Promise<T>
  /** Runs the request in the pool; undefined in a thread of it. */
  repeat: (() => Promise<T>) | undefined
}

/**
 * Runs a request in this thread. Only the database knows how much a request reads: a read of too much is stopped and
 * repeated in the pool. So is a transaction, which is rolled back, and a write that has written nothing, unless others
 * of the request may have.
 */
export async function runHereFirst<T>({ kind, maxRows, run, repeat }: Work<T>): Promise<T> {
  if (!repeat) return kind === 'read' ? withContext({ readLimit: new ReadLimit(maxReadBytes) }, run) : run()
  const readLimit = limits[kind](maxRows)
  try {
    const answer = await withContext({ readLimit }, run)
    if (!readLimit.isForPool) return answer
  } catch (error) {
    if (!readLimit.isForPool) throw error
  }
  return repeat()
}

const limits: Record<Work<unknown>['kind'], (maxRows: number) => ReadLimit> = {
  read: (maxRows) => new ReadLimit(readBytesHere, { maxRows, repeatedBeyond: ['bytes', 'rows'] }),
  transaction: (maxRows) => new ReadLimit(readBytesHere, { maxRows, repeatedBeyond: ['bytes', 'rows'] }),
  write: (maxRows) => new ReadLimit(undefined, { maxRows, repeatedBeyond: ['rows'] }),
  'several writes': (maxRows) => new ReadLimit(undefined, { maxRows }),
}
