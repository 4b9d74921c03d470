import { withContext } from '../request/context.ts'
import { maxReadBytes, ReadLimit, readBytesHere } from '../request/read-limit.ts'

interface Work<T> {
  kind: 'read' | 'write' | 'several writes'
  /** How many rows a write may work on here. */
  maxRows: number
  run(): Promise<T>
  /** Runs the request in the pool; undefined in a thread of it. */
  repeat: (() => Promise<T>) | undefined
}

/**
 * Runs a request in this thread. Only the database knows how much a request reads: a read of too much is stopped and
 * repeated in the pool, and so is a write that has written nothing, unless others of the request may have.
 */
export async function runHereFirst<T>({ kind, maxRows, run, repeat }: Work<T>): Promise<T> {
  const isRead = kind === 'read'
  if (!repeat) return isRead ? withContext({ readLimit: new ReadLimit(maxReadBytes) }, run) : run()
  const readLimit = isRead
    ? new ReadLimit(readBytesHere, { repeatedBeyond: 'bytes' })
    : new ReadLimit(undefined, { maxRows, repeatedBeyond: kind === 'write' ? 'rows' : undefined })
  try {
    const answer = await withContext({ readLimit }, run)
    if (!readLimit.isForOtherThread) return answer
  } catch (error) {
    if (!readLimit.isForOtherThread) throw error
  }
  return repeat()
}
