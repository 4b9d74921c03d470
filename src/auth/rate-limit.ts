import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { CatalogueError } from '../errors.ts'
import type { Caller } from './caller.ts'

export interface RateLimitOptions {
  /** Requests per minute and token. */
  perMinute: number
  /** The pool of the PostgreSQL in which all processes count together; undefined: in the memory of this process. */
  countsIn: Pool | undefined
}

const seconds = 60

/** A counted request. */
export interface Counted {
  /** The state of the count (IETF: RateLimit header fields). */
  headers: Record<string, string>
  /** `rate_limited` when the minute's requests are used up. */
  error: CatalogueError | undefined
}

/** Makes the function that counts a request of a token. Administrators are not counted. */
export function createRateLimit({ perMinute, countsIn }: RateLimitOptions) {
  const limiter = limiterOf(perMinute, countsIn)
  const policy = `"default";q=${perMinute};w=${seconds}`
  return async ({ scopes, tokenId }: Caller): Promise<Counted> => {
    if (scopes.has('admin')) return { headers: {}, error: undefined }
    const { remainingPoints, msBeforeNext, isOver } = await consume(limiter, tokenId)
    const reset = Math.max(1, Math.ceil(msBeforeNext / 1_000))
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${reset}` }
    if (!isOver) return { headers, error: undefined }
    const details = `a token may make ${perMinute} requests in ${seconds} seconds; try again in ${reset}`
    const error = new CatalogueError('rate_limited', [{ reason: 'rate_limited', details }])
    return { headers: { ...headers, 'Retry-After': String(reset) }, error }
  }
}

/** While PostgreSQL cannot be reached, each process counts alone. */
function limiterOf(points: number, countsIn: RateLimitOptions['countsIn']): RateLimiterAbstract {
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

/** Counts are kept by a hash of the token's id: the id of a JSON Web Token may be long, and does not belong in a table of counts. */
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
