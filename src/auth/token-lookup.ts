import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import { type Caller, isScope } from './caller.ts'

/** A token that is not revoked, as the database has it. */
export interface GoodToken {
  hash: Buffer
  caller: Caller
  /** Milliseconds since 1970; infinity when it does not expire. */
  expiresAt: number
  /** When its use was last written down; 0: never. */
  notedAt: number
  /** Another text when anything of it changed. */
  version: string
}

/** The token of this hash, unless it is revoked. */
export async function lookUpToken(db: Kysely<Database>, hash: Buffer): Promise<GoodToken | undefined> {
  const row = await db
    .selectFrom('token')
    .select(['token_id', 'name', 'hash', 'scopes', 'stores', 'expires_at', 'last_used_at', version.as('version')])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const viewer = { stores: row.stores === null ? undefined : new Set(row.stores) }
  const scopes = new Set(row.scopes.filter(isScope))
  return {
    hash: row.hash,
    caller: { tokenId: row.token_id, tokenName: row.name, scopes, viewer },
    expiresAt: row.expires_at?.getTime() ?? Infinity,
    notedAt: row.last_used_at?.getTime() ?? 0,
    version: row.version,
  }
}

/** Which of the tokens are not revoked, with their versions; notes the use of those that were used. One statement. */
export async function confirmTokens(
  db: Kysely<Database>,
  tokenIds: readonly string[],
  used: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ token_id: string; version: string }>`
    with noted as (
      update token set last_used_at = now() where token_id = any(${[...used]}::uuid[])
    )
    select token_id, ${version} as version from token
    where token_id = any(${[...tokenIds]}::uuid[]) and revoked_at is null`.execute(db)
  return new Map(rows.map((row) => [row.token_id, row.version]))
}

const version = sql<string>`concat_ws('/', encode(hash, 'hex'), scopes::text, coalesce(stores::text, 'all'), expires_at::text)`
