import { LRUCache } from 'lru-cache'
import { requestContext, withContext } from '../request/context.ts'
import { shapeOfJson } from '../request/json-shape.ts'
import { maxReadBytes, ReadBytes } from '../request/read-bytes.ts'

/** What a request asks for. */
interface Load {
  body: Uint8Array | undefined
  /** How often it uses its body; by default once. */
  copies?: number
  /** The cost of a GraphQL operation. */
  cost?: number
  /** Whether its answer may be long whatever it asks for. */
  isLong?: boolean | undefined
  /** The kind of what it reads; undefined: it reads nothing. */
  kind: string | undefined
}

export interface MainThreadLimits {
  /** A body of up to this many bytes is small, whatever its members. */
  bytes: number
  /** A body of up to twice the bytes is small if its lists and objects have at most this many: a thousand products. */
  members: number
  cost: number
  /** Whether it makes long answers too; by default the pool makes them all. */
  isForLong?: boolean
  /** A read of more bytes from the database is large: those of its kind that follow run in the pool. */
  readBytes: number
}

/** A request within these limits blocks the main thread for at most about 20 ms. */
const defaultLimits: MainThreadLimits = { bytes: 64 * 1024, members: 5_000, cost: 5_000, readBytes: 1024 * 1024 }

/** How long the reads of a tenant run in the pool after a large one of their kind. */
const largeMs = 60_000
/** Of all tenants. */
const maxKinds = 10_000

/**
 * Decides which requests run in the pool. Only the database knows the size of a read, so the rule remembers which
 * kinds of reads of a tenant are large: the first one of each kind runs on the main thread, and there are few kinds.
 */
export function createPoolRule(limits = defaultLimits) {
  const large = new LRUCache<string, true>({ max: maxKinds, ttl: largeMs })
  const keyOf = (kind: string) => `${requestContext.getStore()?.tenant ?? ''} ${kind}`
  return {
    limits,
    /** Whether a request runs in the pool. It is asked before anything runs: a request ends where it began. */
    isForPool: ({ body = new Uint8Array(), copies = 1, cost = 0, isLong, kind }: Load): boolean => {
      const bytes = body.length * copies
      const isLargeRead = kind !== undefined && large.has(keyOf(kind))
      if ((isLong && !limits.isForLong) || isLargeRead || cost > limits.cost || bytes > 2 * limits.bytes) return true
      return bytes > limits.bytes && shapeOfJson(body).members * copies > limits.members
    },
    /** Runs a read, which ends beyond `maxBytes`. */
    runRead: async <T>(kind: string, work: () => Promise<T>, maxBytes = maxReadBytes): Promise<T> => {
      const key = keyOf(kind)
      const onLarge = () => large.set(key, true)
      const reserve = requestContext.getStore()?.reserve
      const readBytes = new ReadBytes(maxBytes, { largeBytes: limits.readBytes, onLarge, reserve })
      return withContext({ readBytes }, work).finally(() => readBytes.release())
    },
  }
}
