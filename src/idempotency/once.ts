import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { CatalogueError } from '../errors.ts'
import { claim, findKept, type KeptAnswer, keepAnswer } from './kept-answers.ts'

/** A write that its sender may repeat: what its key counts for, and what must be the same when it comes again. */
export interface KeyedRequest {
  key: string
  /** The bearer token that it came with; only its hash is kept. */
  token: string
  method: string
  /** The path with its query, as it came. */
  target: string
  body: Uint8Array
}

/** Does the work in the transaction that keeps its answer, and returns that; or returns the answer that is kept. */
export type Once = (request: KeyedRequest, work: (db: Transaction<Database>) => Promise<string>) => Promise<string>

/**
 * Makes the function that does a keyed write once (decisions: Idempotency-Key). The key is kept with the work or not at all: work that throws
 * leaves neither. Throws `idempotency_conflict` when the key came with another body before.
 */
export function createOnce(db: Kysely<Database>): Once {
  // Those who come while their key's work is done here wait here: in the database each would hold a connection.
  const underWay = new Map<string, Promise<KeptAnswer>>()
  return async (request, work) => {
    const body = hashOf(request.body)
    const scope = hashOf(JSON.stringify([request.token, request.method, request.target, request.key]))
    const name = scope.toString('base64')
    for (let other = underWay.get(name); other; other = underWay.get(name)) {
      const kept = await other.catch(() => undefined)
      if (kept) return answerTo(body, kept)
    }
    const own = find(db, scope, body, work).finally(() => underWay.delete(name))
    underWay.set(name, own)
    return answerTo(body, await own)
  }
}

async function find(
  db: Kysely<Database>,
  scope: Buffer,
  body: Buffer,
  work: (db: Transaction<Database>) => Promise<string>,
): Promise<KeptAnswer> {
  for (;;) {
    const kept =
      (await findKept(db, scope)) ??
      (await db.transaction().execute(async (transaction) => {
        if (!(await claim(transaction, scope, body))) return undefined
        const answer = await work(transaction)
        await keepAnswer(transaction, scope, answer)
        return { body, answer }
      }))
    // Somebody else was faster: then the answer is there now, unless it has just been swept.
    if (kept) return kept
  }
}

function answerTo(body: Buffer, kept: KeptAnswer): string {
  if (kept.body.equals(body)) return kept.answer
  const details = 'Idempotency-Key must come with the same body as before, or be a new one'
  throw new CatalogueError('idempotency_conflict', [
    { reason: 'idempotency_conflict', details, field: 'Idempotency-Key' },
  ])
}

function hashOf(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
