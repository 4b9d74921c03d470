import { hash } from 'node:crypto'
import { CompiledQuery, type Kysely } from 'kysely'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from '../database/tables.ts'
import { CatalogueError } from '../errors.ts'
import { type Caller, hasScope } from '../request/caller.ts'

const seconds = 60

/** Makes the function that counts a request of a token. Administrators are not counted. */
export function createRateLimit(perMinute: number, countsIn: Kysely<Database> | undefined) {
  const limiter = limiterOf(perMinute, countsIn)
  const policy = `"default";q=${perMinute};w=${seconds}`
  return async (caller: Caller): Promise<{ headers: Record<string, string>; error?: CatalogueError }> => {
    if (hasScope(caller, 'admin')) return { headers: {} }
    const { consumedPoints, remainingPoints, msBeforeNext } = await consume(limiter, caller.tokenId)
    const reset = Math.max(1, Math.ceil(msBeforeNext / 1_000))
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${reset}` }
    if (consumedPoints <= perMinute) return { headers }
    const details = `a token may make ${perMinute} requests in ${seconds} seconds; try again in ${reset}`
    const error = new CatalogueError('rate_limited', details)
    return { headers: { ...headers, 'Retry-After': String(reset) }, error }
  }
}

/** While PostgreSQL cannot be reached, each process counts alone. */
function limiterOf(points: number, countsIn: Kysely<Database> | undefined): RateLimiterAbstract {
  const memory = new RateLimiterMemory({ points, duration: seconds })
  if (!countsIn) return memory
  // The library names its statements, which not every pooler allows: the gateway sends them instead.
  const query = ({ text, values }: { text: string; values: unknown[] }) =>
    countsIn.executeQuery(CompiledQuery.raw(text, values))
  return new RateLimiterPostgres({
    storeClient: { query },
    storeType: 'pool',
    tableName: 'rate_limit',
    tableCreated: true,
    points,
    duration: seconds,
    insuranceLimiter: memory,
  })
}

/** The key of a count is a hash of the token's id: the id of a JWT may be long, and is private. */
function consume(limiter: RateLimiterAbstract, tokenId: string): Promise<RateLimiterRes> {
  const key = hash('sha256', tokenId, 'base64url')
  return limiter.consume(key).catch((thrown: unknown) => {
    if (thrown instanceof RateLimiterRes) return thrown
    throw thrown
  })
}
