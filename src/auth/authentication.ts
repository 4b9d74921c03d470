import { timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/tables.ts'
import type { Caller } from './caller.ts'
import type { JwtOptions } from './jwt.ts'
import { hashOf, isSecret } from './secret.ts'
import { createTokenLookup } from './token-lookup.ts'

export interface AuthenticationOptions {
  db: Kysely<Database>
  bootstrapToken: string | undefined
  /** The OpenID provider whose tokens are accepted, if any. */
  jwt: JwtOptions | undefined
  /** How long a token is trusted after a lookup; by default 4 seconds. */
  trustMs?: number | undefined
}

/** Returns the caller of an `Authorization` header, or undefined when its token is missing, malformed, unknown, expired or revoked. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>

/** Accepts the bootstrap token, the tokens of the database, and JSON Web Tokens. */
export function createAuthentication({ db, bootstrapToken, jwt, trustMs }: AuthenticationOptions): Authenticate {
  const bootstrap = bootstrapToken === undefined ? undefined : hashOf(bootstrapToken)
  const lookUp = createTokenLookup(db, trustMs)
  // Loaded only where there is a provider.
  const checkJwt = jwt && import('./jwt.ts').then(({ createJwtCheck }) => createJwtCheck(jwt))
  return async (authorization) => {
    const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return undefined
    const hash = hashOf(token)
    if (bootstrap && timingSafeEqual(hash, bootstrap)) return bootstrapCaller
    if (checkJwt && isJwt(token)) return (await checkJwt)(token)
    return isSecret(token) ? lookUp(hash) : undefined
  }
}

/** Whether a text has the form of a JSON Web Token. */
function isJwt(token: string): boolean {
  return /^[\w-]{2,}\.[\w-]{2,}\.[\w-]{2,}$/.test(token) && token.length <= 8_192
}

const bootstrapCaller: Caller = {
  tokenId: 'bootstrap',
  tokenName: 'bootstrap',
  scopes: new Set(['admin']),
  viewer: { stores: undefined },
}
