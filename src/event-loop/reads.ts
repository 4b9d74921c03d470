import { LRUCache } from 'lru-cache'
import { requestContext, withContext } from '../request/context.ts'
import { maxReadBytes, ReadBytes } from '../request/read-bytes.ts'

/** How long the reads of a tenant run in the pool after a large one of their kind. */
const largeMs = 60_000
/** Of all tenants. */
const maxKinds = 10_000

/**
 * Limits what reads return, and remembers which kinds of reads of a tenant are large: only the database knows a size.
 * The first large read of each kind runs on the main thread: there are few kinds.
 */
export function createReads(largeBytes: number) {
  const large = new LRUCache<string, true>({ max: maxKinds, ttl: largeMs })
  const keyOf = (kind: string) => `${requestContext.getStore()?.tenant ?? ''} ${kind}`
  return {
    /** Whether a read of this kind of the current request's tenant was large in the last minute. */
    isLarge: (kind: string) => large.has(keyOf(kind)),
    run: async <T>(kind: string, work: () => Promise<T>, maxBytes = maxReadBytes): Promise<T> => {
      const key = keyOf(kind)
      const onLarge = () => large.set(key, true)
      const reserve = requestContext.getStore()?.reserve
      const readBytes = new ReadBytes(maxBytes, { largeBytes, onLarge, reserve })
      return withContext({ readBytes }, work).finally(() => readBytes.release())
    },
  }
}
