import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { unavailable } from '../errors.ts'
import { type Caller, isScope } from '../request/caller.ts'
import { isName, storeUuidOf } from '../text.ts'
import { jwtAlgorithms } from './jwt-algorithms.ts'

export interface JwtOptions {
  issuer: string
  audience: string
  jwksUrl: string
  /** Accepted signature algorithms; by default all that need a private key. */
  algorithms?: readonly string[] | undefined
}

/** As clocks differ. */
const clockTolerance = 5
/** A token may have 8 KiB. */
const maxTokens = 2_000

/**
 * Makes the function that verifies JSON Web Tokens (RFC 7519). A valid one is trusted for `trustMs`, within its
 * lifetime. It throws `unavailable` without the provider's keys.
 */
export function createJwtCheck(
  { issuer, audience, jwksUrl, algorithms = jwtAlgorithms }: JwtOptions,
  trustMs: number,
): (token: string) => Promise<Caller | undefined> {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3_000,
    cooldownDuration: 5_000,
    cacheMaxAge: 300_000,
    [customFetch]: (url, options) =>
      fetch(url, options).catch((cause: unknown) => {
        throw new errors.JWKSTimeout(undefined, { cause })
      }),
  })
  const trusted = new LRUCache<string, Caller>({ max: maxTokens, ttl: trustMs })
  const verify = async (token: string): Promise<Caller | undefined> => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance,
        requiredClaims: ['exp', 'sub'],
      })
      const caller = isAccessToken.test(protectedHeader.typ ?? 'JWT') ? callerOf(payload) : undefined
      const leftMs = ((payload.exp ?? 0) + clockTolerance) * 1000 - Date.now()
      // 0 would mean without end.
      if (caller) trusted.set(token, caller, { ttl: Math.max(1, Math.min(trustMs, leftMs)) })
      return caller
    } catch (error) {
      // Errors of other classes are those of a key that cannot be used.
      if (!(error instanceof errors.JOSEError && unreachable.has(error.code))) return undefined
      throw unavailable('unavailable', error, 'the identity provider does not answer')
    }
  }
  return async (token) => trusted.get(token) ?? verify(token)
}

/** The errors of fetching keys. ERR_JOSE_GENERIC: the provider's answer is not 200 or not JSON. */
const unreachable = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

/** The types of tokens for an API (RFC 7519, RFC 9068). */
const isAccessToken = /^(application\/)?(at\+)?jwt$/i

/** `sub` is a name, `scope` words or list, `stores` UUID list (default: all). Another form makes the token invalid. */
function callerOf({ sub = '', iss = '', scope, stores }: JWTPayload): Caller | undefined {
  const words = typeof scope === 'string' ? scope.split(' ') : scope
  if (typeof sub !== 'string' || !isName(sub) || !isTexts(words)) return undefined
  if (stores !== undefined && !isTexts(stores)) return undefined
  const uuids = stores?.map(storeUuidOf).filter((uuid) => uuid !== undefined)
  return {
    tokenId: `jwt:${iss}:${sub}`,
    tokenName: sub,
    scopes: new Set(words.filter(isScope)),
    viewer: { stores: uuids && new Set(uuids) },
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
