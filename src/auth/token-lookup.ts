import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/tables.ts'
import type { Caller, Scope } from '../request/caller.ts'
import { requestContext } from '../request/context.ts'
import { stalenessOf } from '../request/preferences.ts'
import { hashOf } from './secret.ts'

const maxTokens = 10_000

/** Makes the function that finds the caller of a token. It is trusted for `trustMs`, revoked or not. */
export function createTokenLookup(db: Kysely<Database>, trustMs: number) {
  const lookUp = async (token: string, options: { ttl?: number }): Promise<Caller | undefined> => {
    const row = await findToken(db, hashOf(token))
    if (!row) return undefined
    const { tokenId, tokenName, scopes, stores, staleWhile, remainingMs, isUseNoted } = row
    // A separate statement, not awaited: a database that cannot write, as on a full disk, still authenticates.
    const use = { last_used_at: sql<Date>`now()` }
    const noted = db.updateTable('token').set(use).where('token_id', '=', tokenId)
    if (!isUseNoted) noted.execute().catch(() => {})
    if (remainingMs !== null) options.ttl = Math.ceil(Math.min(trustMs, remainingMs))
    const viewer = { stores: stores ? new Set(stores) : undefined }
    return { tokenId, tokenName, scopes: new Set(scopes), viewer, staleMs: stalenessOf(staleWhile ?? '') }
  }
  // By the tokens themselves: SHA-256 takes long for each request. A lookup in a map need not take constant time:
  // the seeded hash of the whole token selects the few random secrets with which it is compared.
  const cache = new LRUCache<string, Caller>({
    max: maxTokens,
    ttl: trustMs,
    // Outside the request: other requests wait for the same lookup, which must not end with the first request.
    fetchMethod: (token, _stale, { options }) => requestContext.exit(lookUp, token, options),
  })
  return (token: string) => cache.fetch(token)
}

function findToken(db: Kysely<Database>, hash: Buffer) {
  return db
    .selectFrom('token')
    .select([
      'token_id as tokenId',
      'name as tokenName',
      sql<Scope[]>`scopes`.as('scopes'),
      'stores',
      'stale_while as staleWhile',
      sql<number | null>`(extract(epoch from expires_at - now()) * 1000)::float8`.as('remainingMs'),
      sql<boolean>`coalesce(last_used_at > now() - interval '1 minute', false)`.as('isUseNoted'),
    ])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .executeTakeFirst()
}
