import { type Kysely, type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isStorable, lengthOf, shown, storeUuidOf } from '../catalog/text.ts'
import type { Database } from '../database/tables.ts'
import { invalidRequest, storeNotFound } from '../errors.ts'
import { isScope, type Scope, scopes } from './caller.ts'
import { millisecondsOf } from './duration.ts'
import { hashOf, newSecret } from './secret.ts'

/** A token as its keepers see it: everything but the secret. */
export interface Token {
  tokenId: string
  name: string
  scopes: Scope[]
  /** The stores that it is limited to; null: all. */
  stores: string[] | null
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** To the minute. */
  lastUsedAt: Date | null
}

/** What a new token shall be good for. `expires` is a duration such as `30d`; left out, the token does not expire. */
export interface NewToken {
  name: string
  scopes: readonly string[]
  stores?: readonly string[] | null | undefined
  expires?: string | null | undefined
}

const mostStores = 1_000

const columns = [
  'token_id',
  'name',
  'scopes',
  'stores',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

/** Makes a token and returns it with its secret, the only time that it can be seen. Throws `invalid_request` with every fault, or `store_not_found`. */
export async function createToken(db: Kysely<Database>, wanted: NewToken): Promise<{ secret: string; token: Token }> {
  const faults = faultsOf(wanted)
  if (faults.length > 0) throw invalidRequest(faults)
  const stores = wanted.stores == null ? null : await requireStores(db, wanted.stores)
  const lifetime = wanted.expires == null ? undefined : millisecondsOf(wanted.expires)
  const secret = newSecret()
  const row = await db
    .insertInto('token')
    .values({
      token_id: uuidv7(),
      name: wanted.name.trim(),
      hash: hashOf(secret),
      scopes: [...new Set(wanted.scopes)],
      stores,
      expires_at: lifetime === undefined ? null : new Date(Date.now() + lifetime),
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { secret, token: tokenOf(row) }
}

/** Makes the first token of a database that has none and returns it, the only time that it can be seen; undefined when there are tokens. */
export async function createFirstToken(db: Kysely<Database>): Promise<string | undefined> {
  const secret = newSecret()
  return db.transaction().execute(async (transaction) => {
    await sql`lock table token in share row exclusive mode`.execute(transaction)
    const { rows } = await sql<{ token_id: string }>`
      insert into token (token_id, name, hash, scopes)
      select ${uuidv7()}::uuid, 'first', ${hashOf(secret)}::bytea, '{read,write,admin}' where not exists (select from token)
      returning token_id`.execute(transaction)
    return rows.length === 0 ? undefined : secret
  })
}

/** The tokens that were ever made, in the order of their making: at most `limit` after the one named. */
export async function listTokens(
  db: Kysely<Database>,
  { after, limit = 1_000 }: { after?: string | undefined; limit?: number } = {},
): Promise<Token[]> {
  const rows = await db
    .selectFrom('token')
    .select(columns)
    .$if(after !== undefined, (query) => query.where('token_id', '>', after ?? ''))
    .orderBy('token_id')
    .limit(limit)
    .execute()
  return rows.map(tokenOf)
}

/** Revokes a token for good and returns it; undefined when there is none. Every instance hears of it within 5 seconds. */
export async function revokeToken(db: Kysely<Database>, tokenId: string): Promise<Token | undefined> {
  const uuid = storeUuidOf(tokenId)
  if (uuid === undefined) return undefined
  const row = await db
    .updateTable('token')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('token_id', '=', uuid)
    .returning(columns)
    .executeTakeFirst()
  return row && tokenOf(row)
}

async function requireStores(db: Kysely<Database>, named: readonly string[]): Promise<string[]> {
  const uuids = [...new Set(named.map(storeUuidOf))].filter((uuid) => uuid !== undefined)
  const rows = await db.selectFrom('store').select('store_uuid').where('store_uuid', 'in', uuids).execute()
  const known = new Set(rows.map((row) => row.store_uuid))
  const unknown = named.find((store) => !known.has(storeUuidOf(store) ?? ''))
  if (unknown !== undefined) throw storeNotFound('stores', unknown)
  return uuids
}

function faultsOf({ name, scopes: wanted, stores, expires }: NewToken) {
  const length = lengthOf(name.trim())
  const unknown = wanted.filter((scope) => !isScope(scope))
  return [
    (length < 1 || length > 200 || !isStorable(name)) && {
      field: 'name',
      details: `name must have 1 to 200 characters; got ${shown(name)}`,
    },
    (wanted.length === 0 || unknown.length > 0) && {
      field: 'scopes',
      details: `scopes must be some of ${scopes.join(', ')}; got ${unknown.map(shown).join(', ') || 'none'}`,
    },
    stores != null &&
      (stores.length < 1 || stores.length > mostStores) && {
        field: 'stores',
        details: `stores must name 1 to ${mostStores} stores, or be left out for all; got ${stores.length}`,
      },
    wanted.includes('admin') &&
      stores != null && {
        field: 'scopes',
        details: 'scopes must not have admin in a token that is limited to stores',
      },
    expires != null &&
      millisecondsOf(expires) === undefined && {
        field: 'expires',
        details: `expires must be a duration such as 30d, 12h or 45m; got ${shown(expires)}`,
      },
  ].filter((fault) => fault !== false)
}

function tokenOf(row: Omit<Selectable<Database['token']>, 'hash'>): Token {
  return {
    tokenId: row.token_id,
    name: row.name,
    scopes: row.scopes.filter(isScope),
    stores: row.stores,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}
