import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database/tables.ts'

/** Whoever a token stands for. */
export interface Caller {
  tokenName: string
}

/** How long a token that was found is trusted without asking the database again. */
const trustedMs = 5_000
const mostTrusted = 1_000

/**
 * Makes the check of `Authorization` headers: it answers with the caller, or undefined when the token is missing, malformed or unknown.
 * Tokens are compared by their hashes; the database holds nothing else of them.
 */
export function createAuthentication(db: Kysely<Database>, bootstrapToken: string | undefined) {
  const bootstrap = bootstrapToken === undefined ? undefined : hashOf(bootstrapToken)
  const trusted = new Map<string, { caller: Caller; until: number }>()

  return async (authorization: string | undefined): Promise<Caller | undefined> => {
    const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return undefined
    const hash = hashOf(token)
    if (bootstrap && timingSafeEqual(hash, bootstrap)) return { tokenName: 'bootstrap' }
    const key = hash.toString('base64')
    const known = trusted.get(key)
    if (known && known.until > Date.now()) return known.caller
    trusted.delete(key)
    const row = await db.selectFrom('token').select('name').where('hash', '=', hash).executeTakeFirst()
    if (!row) return undefined
    const caller = { tokenName: row.name }
    if (trusted.size >= mostTrusted) trusted.clear()
    trusted.set(key, { caller, until: Date.now() + trustedMs })
    return caller
  }
}

/** Makes the first token of a database that has none and returns it, the only time that it can be seen; undefined when there are tokens. */
export async function createFirstToken(db: Kysely<Database>): Promise<string | undefined> {
  const token = `cat_${randomBytes(32).toString('base64url')}`
  return db.transaction().execute(async (transaction) => {
    await sql`lock table token in share row exclusive mode`.execute(transaction)
    const { rows } = await sql<{ token_id: string }>`
      insert into token (token_id, name, hash, scopes)
      select ${uuidv7()}::uuid, 'first', ${hashOf(token)}::bytea, '{read,write,admin}' where not exists (select from token)
      returning token_id`.execute(transaction)
    return rows.length === 0 ? undefined : token
  })
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
