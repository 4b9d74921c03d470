import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { CatalogueError } from '../errors.ts'
import type { Caller } from './caller.ts'

export interface RateLimitOptions {
  /** Requests in a minute, of one token. */
  perMinute: number
  /** In PostgreSQL all instances count together, in the primary the workers of one; undefined: in this process. */
  countsIn: Pool | 'primary' | undefined
}

const seconds = 60

/**
 * Makes the count of a token's requests. It hands the headers that tell how it stands (IETF: RateLimit header fields) to `tell`, and throws
 * `rate_limited` when the minute's requests are used up. Administrators are not counted.
 */
export function createRateLimit({ perMinute, countsIn }: RateLimitOptions) {
  const limiter = limiterOf(perMinute, countsIn)
  const policy = `"default";q=${perMinute};w=${seconds}`
  return async ({ scopes, tokenId }: Caller, tell: (headers: Record<string, string>) => void): Promise<void> => {
    if (scopes.has('admin')) return
    const { remainingPoints, msBeforeNext, isOver } = await consume(limiter, tokenId)
    const reset = Math.max(1, Math.ceil(msBeforeNext / 1_000))
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${reset}` }
    tell(isOver ? { ...headers, 'Retry-After': String(reset) } : headers)
    if (!isOver) return
    const details = `a token may make ${perMinute} requests in ${seconds} seconds; try again in ${reset}`
    throw new CatalogueError('rate_limited', [{ reason: 'rate_limited', details }])
  }
}

/** While PostgreSQL cannot be asked, each process counts by itself. */
function limiterOf(points: number, countsIn: RateLimitOptions['countsIn']): RateLimiterAbstract {
  if (countsIn === 'primary') return new RateLimiterCluster({ points, duration: seconds })
  const memory = new RateLimiterMemory({ points, duration: seconds })
  if (!countsIn) return memory
  return new RateLimiterPostgres({
    storeClient: countsIn,
    storeType: 'pool',
    tableName: 'rate_limit',
    tableCreated: true,
    points,
    duration: seconds,
    insuranceLimiter: memory,
  })
}

/** Tokens are told apart by a hash: what names one may be long, and is nothing for a table of counts. */
async function consume(limiter: RateLimiterAbstract, tokenId: string) {
  const key = createHash('sha256').update(tokenId).digest('base64url')
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(key)
    return { remainingPoints, msBeforeNext, isOver: false }
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error
    return { remainingPoints: 0, msBeforeNext: error.msBeforeNext, isOver: true }
  }
}
