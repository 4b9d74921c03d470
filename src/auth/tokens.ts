import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database/tables.ts'
import { faultsOf, requireNoFaults, storeNotFound } from '../errors.ts'
import { isScope, type Scope, scopes } from '../request/caller.ts'
import { stalenessOf } from '../request/preferences.ts'
import { isName, millisecondsOf, shown, storeUuidOf } from '../text.ts'
import { hashOf, newSecret } from './secret.ts'

/** A token without its secret. It is limited to its `stores`; null: all stores. */
export type Token = NonNullable<Awaited<ReturnType<typeof revokeToken>>>

/**
 * What a new token may do. `expires` is a duration such as `30d`; without it the token does not expire. `staleWhile`,
 * such as `2s`, is how old the answers to its reads may be, from replicas; without it they are never stale.
 */
export interface NewToken {
  name: string
  scopes: readonly string[]
  stores?: readonly string[] | null | undefined
  expires?: string | null | undefined
  staleWhile?: string | null | undefined
}

const maxStores = 1_000

const columns = [
  'token_id as tokenId',
  'name',
  sql<Scope[]>`scopes`.as('scopes'),
  'stores',
  'stale_while as staleWhile',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const

/** Returns the token and its secret, which is not stored. Throws `invalid_request` (all faults), `store_not_found`. */
export async function createToken(db: Kysely<Database>, wanted: NewToken): Promise<{ secret: string; token: Token }> {
  requireNoFaults(tokenFaults(wanted))
  const stores = wanted.stores == null ? null : await requireStores(db, wanted.stores)
  const lifetime = wanted.expires == null ? null : (millisecondsOf(wanted.expires) ?? null)
  const secret = newSecret()
  const token = await db
    .insertInto('token')
    .values({
      token_id: uuidv7(),
      name: wanted.name.trim(),
      hash: hashOf(secret),
      scopes: [...new Set(wanted.scopes)],
      stores,
      stale_while: wanted.staleWhile ?? null,
      expires_at: sql<Date>`now() + ${lifetime}::float8 * interval '1 millisecond'`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { secret, token }
}

/** Creates an admin token in a database without tokens. `exists`: whether a valid admin token exists now. */
export async function ensureAdminToken(db: Kysely<Database>): Promise<{ secret?: string; exists: boolean }> {
  const secret = newSecret()
  return db.transaction().execute(async (transaction) => {
    await sql`lock table token in share row exclusive mode`.execute(transaction)
    const { rows } = await sql<{ isAdmin: boolean }>`
      select 'admin' = any(scopes) and revoked_at is null and coalesce(expires_at > now(), true) as "isAdmin"
      from token order by "isAdmin" desc limit 1`.execute(transaction)
    const [best] = rows
    if (best) return { exists: best.isAdmin }
    await sql`insert into token (token_id, name, hash, scopes)
      values (${uuidv7()}::uuid, 'first', ${hashOf(secret)}::bytea, '{read,write,admin}')`.execute(transaction)
    return { secret, exists: true }
  })
}

/** All tokens, also revoked ones, in the order of their creation: at most `limit` after the given one. */
export function listTokens(db: Kysely<Database>, limit: number, after?: string | null) {
  return db
    .selectFrom('token')
    .select(columns)
    .$if(after != null, (query) => query.where('token_id', '>', after ?? ''))
    .orderBy('token_id')
    .limit(limit)
    .execute()
}

/** The tokens of the ids, by id. */
export async function findTokens(db: Kysely<Database>, tokenIds: readonly string[]): Promise<Map<string, Token>> {
  const uuids = tokenIds.flatMap((tokenId) => storeUuidOf(tokenId) ?? [])
  const found = db.selectFrom('token').select(columns).where(sql<boolean>`token_id = any(${uuids}::uuid[])`)
  return new Map((await found.execute()).map((token) => [token.tokenId, token]))
}

/** Revokes a token for good and returns it; undefined if there is none. Every instance refuses it within 5 seconds. */
export async function revokeToken(db: Kysely<Database>, tokenId: string) {
  const uuid = storeUuidOf(tokenId)
  if (uuid === undefined) return undefined
  return db
    .updateTable('token')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('token_id', '=', uuid)
    .returning(columns)
    .executeTakeFirst()
}

export async function requireStores(db: Kysely<Database>, named: readonly string[]): Promise<string[]> {
  const uuids = [...new Set(named.map(storeUuidOf))].filter((uuid) => uuid !== undefined)
  const isNamed = sql<boolean>`store_uuid = any(${uuids}::uuid[])`
  const rows = await db.selectFrom('store').select('store_uuid').where(isNamed).execute()
  const known = new Set(rows.map((row) => row.store_uuid))
  const unknown = named.find((store) => !known.has(storeUuidOf(store) ?? ''))
  if (unknown !== undefined) throw storeNotFound('stores', unknown)
  return uuids
}

function tokenFaults({ name, scopes: wanted, stores, expires, staleWhile }: NewToken) {
  const unknown = wanted.filter((scope) => !isScope(scope))
  const got = unknown.map(shown).join(', ') || 'none'
  const isScoped = wanted.length > 0 && unknown.length === 0
  const isWrongNumber = stores != null && (stores.length < 1 || stores.length > maxStores)
  const isWrongExpiry = expires != null && millisecondsOf(expires) === undefined
  const isWrongStaleness = staleWhile != null && stalenessOf(staleWhile) === undefined
  return faultsOf([
    [
      'name',
      !isName(name.trim(), 200) && `must have 1 to 200 characters, without NUL or lone surrogates; got ${shown(name)}`,
    ],
    ['scopes', !isScoped && `must be some of ${scopes.join(', ')}; got ${got}`],
    ['stores', isWrongNumber && `must name 1 to ${maxStores} stores, or be left out for all; got ${stores.length}`],
    [
      'scopes',
      stores != null && wanted.includes('admin') && 'must not have admin in a token that is limited to stores',
    ],
    [
      'expires',
      isWrongExpiry && `must be a duration of at most 36525d, such as 30d, 12h or 45m; got ${shown(expires)}`,
    ],
    ['staleWhile', isWrongStaleness && `must be 0s to 60s, such as 2s or 500ms; got ${shown(staleWhile)}`],
  ])
}
