import { LRUCache } from 'lru-cache'
import { requestContext, withContext } from '../request/context.ts'
import { maxReadBytes, ReadBytes } from '../request/read-bytes.ts'

/** How long the reads of a tenant run in the pool after a large one. */
const largeMs = 60_000
const maxTenants = 10_000

/** Limits what reads return, and remembers the tenants whose reads are large: only the database knows a size. */
export function createReads(largeBytes: number) {
  const large = new LRUCache<string, true>({ max: maxTenants, ttl: largeMs })
  const tenant = () => requestContext.getStore()?.tenant ?? ''
  return {
    /** Whether a read of the current request's tenant was large in the last minute. */
    areLarge: () => large.has(tenant()),
    run: <T>(work: () => T, maxBytes = maxReadBytes): T => {
      const reader = tenant()
      const onRead = () => large.set(reader, true)
      return withContext({ readBytes: new ReadBytes(maxBytes, { bytes: largeBytes, onRead }) }, work)
    },
  }
}
