import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/tables.ts'
import { requestContext } from '../request/context.ts'
import { type Caller, isScope } from './caller.ts'

interface TokenRow {
  tokenId: string
  tokenName: string
  scopes: string[]
  stores: string[] | null
  /** Milliseconds until it expires; null: it does not. */
  remainingMs: number | null
  isUseNoted: boolean
}

const maxTokens = 10_000

/**
 * Makes the function that finds the caller of a token by its hash, or undefined when it is unknown, expired or revoked.
 * A found token is trusted for `trustMs`, so that a revocation takes effect after this on every instance.
 */
export function createTokenLookup(
  db: Kysely<Database>,
  trustMs = 4_000,
): (hash: Buffer) => Promise<Caller | undefined> {
  const lookUp = async (hash: Buffer, options: { ttl?: number }) => {
    const row = await findToken(db, hash)
    if (!row) return undefined
    // Not awaited, and not with the lookup: a database that cannot write, as on a full disk, still authenticates.
    if (!row.isUseNoted) noteUse(db, row.tokenId).catch(() => {})
    if (row.remainingMs !== null) options.ttl = Math.ceil(Math.min(trustMs, row.remainingMs))
    return callerOf(row)
  }
  const cache = new LRUCache<string, Caller>({
    max: maxTokens,
    ttl: trustMs,
    // Outside the request: others wait for the same lookup, which must not end with the request that came first.
    fetchMethod: (key, _stale, { options }) => requestContext.exit(lookUp, Buffer.from(key, 'latin1'), options),
  })
  return (hash) => cache.fetch(hash.toString('latin1'))
}

async function findToken(db: Kysely<Database>, hash: Buffer): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    select token_id as "tokenId", name as "tokenName", scopes, stores,
      (extract(epoch from expires_at - now()) * 1000)::float8 as "remainingMs",
      coalesce(last_used_at > now() - interval '1 minute', false) as "isUseNoted"
    from token
    where hash = ${hash} and revoked_at is null and coalesce(expires_at > now(), true)`.execute(db)
  return rows[0]
}

async function noteUse(db: Kysely<Database>, tokenId: string): Promise<void> {
  await db.updateTable('token').set({ last_used_at: sql<Date>`now()` }).where('token_id', '=', tokenId).execute()
}

function callerOf({ tokenId, tokenName, scopes, stores }: TokenRow): Caller {
  return {
    tokenId,
    tokenName,
    scopes: new Set(scopes.filter(isScope)),
    viewer: { stores: stores ? new Set(stores) : undefined },
  }
}
