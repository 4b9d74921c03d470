import { timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/tables.ts'
import type { Caller } from '../request/caller.ts'
import type { JwtOptions } from './jwt.ts'
import { isSecret } from './secret.ts'
import { createTokenLookup } from './token-lookup.ts'

export interface AuthenticationOptions {
  db: Kysely<Database>
  bootstrapToken?: string | undefined
  jwt?: JwtOptions | undefined
  /** How long a token is trusted after a lookup; by default 4 seconds. */
  trustMs?: number | undefined
}

export interface RateLimitOptions {
  rateLimit?: number | undefined
  /** Whether all processes count together, in the database; otherwise each in its memory. */
  isRateLimitShared: boolean
}

export interface Authentication {
  /** Undefined without a valid token. */
  caller?: Caller
  /** Why the request is refused: its token could not be checked, or has made too many requests. */
  error?: unknown
  /** Headers for the answer, whatever it is: how many requests are left. */
  headers?: Record<string, string>
}

/** Makes the function that authenticates an `Authorization` header and counts the request. It never rejects. */
export function createCountedAuthentication(
  authenticate: ReturnType<typeof createAuthentication>,
  { rateLimit: perMinute, isRateLimitShared, db }: Pick<AuthenticationOptions, 'db'> & RateLimitOptions,
) {
  // Loaded only where there is a limit.
  const counting =
    perMinute === undefined
      ? undefined
      : import('./rate-limit.ts').then(({ createRateLimit }) =>
          createRateLimit(perMinute, isRateLimitShared ? db : undefined),
        )
  return async (authorization: string | undefined): Promise<Authentication> => {
    try {
      const caller = await authenticate(authorization)
      if (!caller) return {}
      const count = await counting
      return { caller, ...(await count?.(caller)) }
    } catch (error) {
      return { error }
    }
  }
}

/** Makes the function that returns the caller of an `Authorization` header; undefined without a valid token. */
export function createAuthentication({ db, bootstrapToken, jwt, trustMs = 4_000 }: AuthenticationOptions) {
  const bootstrap = bootstrapToken === undefined ? undefined : Buffer.from(bootstrapToken)
  const lookUp = createTokenLookup(db, trustMs)
  // Loaded only where there is a provider.
  const checkJwt = jwt && import('./jwt.ts').then(({ createJwtCheck }) => createJwtCheck(jwt, trustMs))
  return async (authorization: string | undefined): Promise<Caller | undefined> => {
    const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return undefined
    if (bootstrap && isEqual(Buffer.from(token), bootstrap)) return bootstrapCaller
    if (checkJwt && token.length <= 8_192 && jwtPattern.test(token)) return (await checkJwt)(token)
    return isSecret(token) ? lookUp(token) : undefined
  }
}

/** In a time that depends on the lengths only. */
function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const jwtPattern = /^[\w-]{2,}\.[\w-]{2,}\.[\w-]{2,}$/

const bootstrapCaller: Caller = {
  tokenId: 'bootstrap',
  tokenName: 'bootstrap',
  scopes: new Set(['admin']),
  viewer: { stores: undefined },
}
