import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'

/** What became of the first request with a key: the hash of its body, and its answer. */
export interface KeptAnswer {
  body: Buffer
  answer: string
}

/** How long an answer is kept (decisions: Idempotency-Key). */
const age = sql`now() - interval '24 hours'`
const sweptAtOnce = 1_000

/** The answer that is kept for the scope, if there is one that is not too old. */
export async function findKept(db: Kysely<Database>, scope: Buffer): Promise<KeptAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['body', 'answer'])
    .where('scope', '=', scope)
    .where('created_at', '>', sql<Date>`${age}`)
    .executeTakeFirst()
  return row && row.answer !== null ? { body: row.body, answer: row.answer } : undefined
}

/**
 * Takes the scope for this transaction; false when somebody else's answer stands there. While another transaction has it this waits, and
 * takes it if that one is rolled back.
 */
export async function claim(db: Transaction<Database>, scope: Buffer, body: Buffer): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_key (scope, body) values (${scope}, ${body})
    on conflict (scope) do update set body = excluded.body, answer = null, created_at = now()
      where idempotency_key.created_at <= ${age}
    returning scope`.execute(db)
  return rows.length > 0
}

/** Writes the answer to the claimed scope: it is kept if the transaction, with the work in it, is committed. */
export async function keepAnswer(db: Transaction<Database>, scope: Buffer, answer: string): Promise<void> {
  await db.updateTable('idempotency_key').set({ answer }).where('scope', '=', scope).execute()
}

/** Removes the answers that are too old, some at a time, and returns how many they were. */
export async function sweepAnswers(db: Kysely<Database>): Promise<number> {
  for (let swept = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from idempotency_key where scope in (
        select scope from idempotency_key where created_at <= ${age} order by created_at limit ${sweptAtOnce}
        for update skip locked
      )`.execute(db)
    const removed = Number(numAffectedRows ?? 0)
    swept += removed
    if (removed < sweptAtOnce) return swept
  }
}
