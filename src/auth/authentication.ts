import { timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Database } from '../database/tables.ts'
import type { Caller } from './caller.ts'
import type { JwtOptions } from './jwt.ts'
import { hashOf, isSecret } from './secret.ts'
import { createTokenCache, type TokenTrust } from './token-cache.ts'
import { watchTokens } from './token-watch.ts'

export interface AuthenticationOptions {
  /** Where tokens are looked up. */
  db: Kysely<Database>
  /** How a connection of its own to the same database is made; undefined: nobody listens, changes are only asked for. */
  connection: ClientConfig | undefined
  bootstrapToken: string | undefined
  /** The OpenID provider whose tokens are accepted, if any. */
  jwt: JwtOptions | undefined
  onError(error: unknown): void
  /** How long tokens are trusted, where it is not as usual. */
  trust?: TokenTrust | undefined
}

export interface Authentication {
  /** The caller of an `Authorization` header, or undefined when its token is missing, malformed, unknown, expired or revoked. */
  authenticate(authorization: string | undefined): Promise<Caller | undefined>
  close(): Promise<void>
}

/** Makes the check of tokens: the bootstrap token, those made here, and JSON Web Tokens. All comparisons are of hashes, in constant time. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { db, connection, bootstrapToken, jwt, onError, trust } = options
  const bootstrap = bootstrapToken === undefined ? undefined : hashOf(bootstrapToken)
  const cache = createTokenCache(db, onError, trust)
  const watch = connection && watchTokens(connection, { onChange: cache.forget })
  // Loaded only where there is a provider.
  const checkJwt = jwt && import('./jwt.ts').then(({ createJwtCheck }) => createJwtCheck(jwt))
  return {
    authenticate: async (authorization) => {
      const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) return undefined
      const hash = hashOf(token)
      if (bootstrap && timingSafeEqual(hash, bootstrap)) return bootstrapCaller
      if (checkJwt && isJwt(token)) return (await checkJwt)(token)
      return isSecret(token) ? cache.find(hash) : undefined
    },
    close: async () => {
      watch?.close()
      await cache.close()
    },
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
