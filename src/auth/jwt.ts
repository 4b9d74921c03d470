import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { storeUuidOf } from '../catalog/text.ts'
import { unavailable } from '../errors.ts'
import { type Caller, isScope } from './caller.ts'
import { jwtAlgorithms } from './jwt-algorithms.ts'

/** The OpenID provider whose tokens are accepted. */
export interface JwtOptions {
  issuer: string
  audience: string
  jwksUrl: string
  /** The algorithms whose signatures are accepted; undefined: all that need a private key. */
  algorithms?: readonly string[] | undefined
}

/** How far the provider's clock may be off; an expired token is refused this much later at the latest. */
const skewSeconds = 5

/**
 * Makes the check of JSON Web Tokens (RFC 7519): the caller, or undefined when the token is not good. Keys come from the provider, are kept for five
 * minutes, and are asked for again, at most every five seconds, when a token names another. Throws `unavailable` when the provider does not answer.
 */
export function createJwtCheck({ issuer, audience, jwksUrl, algorithms = jwtAlgorithms }: JwtOptions) {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3_000,
    cooldownDuration: 5_000,
    cacheMaxAge: 300_000,
  })
  return async (token: string): Promise<Caller | undefined> => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: skewSeconds,
        requiredClaims: ['exp', 'sub'],
      })
      return callerOf(payload)
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw unavailable('unavailable', error)
    }
  }
}

/** What jose says of a token, rather than of the way to its keys. */
function isRefusal(error: unknown): boolean {
  return error instanceof errors.JOSEError && !unreachable.has(error.code)
}

/** jose has only a general code for an answer of the provider that is not 200 or not JSON. */
const unreachable = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

/** Claims: `scope` as words or a list, `stores` as a list of UUIDs; without `stores` all. What is claimed in another form is not guessed at. */
function callerOf({ sub = '', iss = '', scope, stores }: JWTPayload): Caller | undefined {
  const words = typeof scope === 'string' ? scope.split(' ') : scope
  if (!isTexts(words)) return undefined
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
