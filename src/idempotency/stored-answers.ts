import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'

/** The first request with a key: the hash of its body, and its answer. */
export interface StoredAnswer {
  body: Buffer
  answer: string
}

/** How long an answer is kept (decisions: Idempotency-Key). */
const age = sql`now() - interval '24 hours'`
const deletedAtOnce = 1_000

/** The answer of a scope, if there is one that has not expired. */
export async function findAnswer(db: Kysely<Database>, scope: Buffer): Promise<StoredAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['body', 'answer'])
    .where('scope', '=', scope)
    .where('created_at', '>', sql<Date>`${age}`)
    .executeTakeFirst()
  return row && row.answer !== null ? { body: row.body, answer: row.answer } : undefined
}

/** Claims the scope for this transaction; false if it has an answer. Waits while another transaction has claimed it. */
export async function claim(db: Transaction<Database>, scope: Buffer, body: Buffer): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_key (scope, body) values (${scope}, ${body})
    on conflict (scope) do update set body = excluded.body, answer = null, created_at = now()
      where idempotency_key.created_at <= ${age}
    returning scope`.execute(db)
  return rows.length > 0
}

/** Stores the answer of the claimed scope, in the transaction of the work. */
export async function storeAnswer(db: Transaction<Database>, scope: Buffer, answer: string): Promise<void> {
  await db.updateTable('idempotency_key').set({ answer }).where('scope', '=', scope).execute()
}

/** Deletes expired answers, in batches, and returns their number. */
export async function deleteOldAnswers(db: Kysely<Database>): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from idempotency_key where scope in (
        select scope from idempotency_key where created_at <= ${age} order by created_at limit ${deletedAtOnce}
        for update skip locked
      )`.execute(db)
    const batch = Number(numAffectedRows ?? 0)
    deleted += batch
    if (batch < deletedAtOnce) return deleted
  }
}
