import { hash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { CatalogueError } from '../errors.ts'
import { type Caller, tenantOf } from '../request/caller.ts'

/** The scope of a key: a later JSON Web Token of the same subject and stores is the same caller. */
interface Scope {
  key: string
  caller: Caller
  method: string
  target: string
}

/** A write with an idempotency key. The body must be the same in a repetition. */
interface KeyedRequest extends Scope {
  body: Uint8Array
}

/** A secret of a webhook in an answer, which nobody but its receiver may keep. */
const webhookSecret = /(?<="secret":")whsec_[\w+/]{43}=(?=")/g

/**
 * Runs a keyed write once, and stores the text of what it returns: a repetition returns only that text, in which the
 * secret of a webhook is empty. Throws `idempotency_conflict` for another body than before, or `quota_exceeded`.
 */
export async function doOnce<Done extends { text: string }>(
  db: Kysely<Database>,
  { body: given, ...ofKey }: KeyedRequest,
  work: (db: Transaction<Database>) => Promise<Done>,
): Promise<Done | { text: string }> {
  const scope = scopeOf(ofKey)
  const body = hash('sha256', given, 'buffer')
  // The tenant, in whose quota the answer counts.
  const owner = hash('sha256', tenantOf(ofKey.caller), 'buffer')
  for (;;) {
    const stored = await findAnswer(db, scope)
    if (stored && !stored.body.equals(body)) {
      const details = 'Idempotency-Key must come with the same body as before, or be a new one'
      throw new CatalogueError('idempotency_conflict', [{ details, field: 'Idempotency-Key' }])
    }
    if (stored) return { text: stored.answer }
    const done = await db.transaction().execute(async (transaction) => {
      if (!(await claim(transaction, { scope, body, owner }))) return undefined
      const made = await work(transaction)
      await transaction
        .updateTable('idempotency_key')
        .set({ answer: made.text.replace(webhookSecret, '') })
        .where('scope', '=', scope)
        .execute()
      return made
    })
    // Another request was faster: its answer is stored now, unless it has just been deleted.
    if (done) return done
  }
}

/** The stored answer of a key; undefined if there is none. */
export async function answerFor(db: Kysely<Database>, scope: Scope): Promise<string | undefined> {
  return (await findAnswer(db, scopeOf(scope)))?.answer
}

function scopeOf({ caller, method, target, key }: Scope): Buffer {
  return hash('sha256', JSON.stringify([caller.tokenId, tenantOf(caller), method, target, key]), 'buffer')
}

/** Answers from before have expired. */
const expiredBefore = sql<Date>`now() - interval '24 hours'`
const deletedAtOnce = 1_000
const maxMebibytes = 64
const maxBytes = maxMebibytes * 1024 * 1024

/** The answer of a scope, unless it has expired, and the hash of its request's body. */
function findAnswer(db: Kysely<Database>, scope: Buffer) {
  return db
    .selectFrom('idempotency_key')
    .select(['body', 'answer'])
    .where('scope', '=', scope)
    .where('created_at', '>', expiredBefore)
    .where('answer', 'is not', null)
    .$narrowType<{ answer: string }>()
    .executeTakeFirst()
}

/**
 * Claims the scope for this transaction; false if it has an answer. Waits while another transaction has claimed it.
 * Throws `quota_exceeded` if the answers of the owner have reached the quota.
 */
async function claim(
  db: Transaction<Database>,
  { scope, body, owner }: Record<'scope' | 'body' | 'owner', Buffer>,
): Promise<boolean> {
  const { rows } = await sql<{ isClaimed: boolean; isFull: boolean }>`
    with used as (
      select coalesce(sum(bytes), 0) >= ${maxBytes} as "full" from idempotency_key
      where owner = ${owner} and created_at > ${expiredBefore}
    ), claimed as (
      insert into idempotency_key (scope, body, owner) select ${scope}::bytea, ${body}::bytea, ${owner}::bytea from used where not "full"
      on conflict (scope) do update set body = excluded.body, owner = excluded.owner, answer = null, created_at = excluded.created_at
        where idempotency_key.created_at <= ${expiredBefore}
      returning scope
    )
    select "full" as "isFull", exists (select from claimed) as "isClaimed" from used`.execute(db)
  if (rows[0]?.isFull) {
    const details = `the answers that are kept for Idempotency-Keys must take at most ${maxMebibytes} MiB for a token's stores: send smaller requests, without a key, or again when answers of the last 24 hours have expired`
    throw new CatalogueError('quota_exceeded', [{ details, field: 'Idempotency-Key' }])
  }
  return rows[0]?.isClaimed ?? false
}

export async function deleteOldAnswers(db: Kysely<Database>): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from idempotency_key where scope in (
        select scope from idempotency_key where created_at <= ${expiredBefore} order by created_at limit ${deletedAtOnce}
        for update skip locked
      )`.execute(db)
    const batch = Number(numAffectedRows ?? 0)
    deleted += batch
    if (batch < deletedAtOnce) return deleted
  }
}
