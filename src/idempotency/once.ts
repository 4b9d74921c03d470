import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { CatalogueError } from '../errors.ts'
import { claim, findAnswer, type StoredAnswer, storeAnswer } from './stored-answers.ts'

/** A write with an idempotency key. All but the body is the key's scope; the body must be the same in a repetition. */
export interface KeyedRequest {
  key: string
  /** The bearer token; only a hash of it is stored. */
  token: string
  method: string
  /** The path with its query, as received. */
  target: string
  body: Uint8Array
}

/** Does the work in the transaction that stores its answer, or returns the stored answer. */
export type Once = (request: KeyedRequest, work: (db: Transaction<Database>) => Promise<string>) => Promise<string>

/**
 * Makes the function that runs a write with a key once (decisions: Idempotency-Key). Nothing is stored when the work throws. Throws
 * `idempotency_conflict` when the key was used with another body.
 */
export function createOnce(db: Kysely<Database>): Once {
  // Repetitions wait here for work in progress: in the database each would hold a connection.
  const running = new Map<string, Promise<StoredAnswer>>()
  return async (request, work) => {
    const body = hashOf(request.body)
    const scope = hashOf(JSON.stringify([request.token, request.method, request.target, request.key]))
    const name = scope.toString('base64')
    for (let other = running.get(name); other; other = running.get(name)) {
      const stored = await other.catch(() => undefined)
      if (stored) return answerTo(body, stored)
    }
    const own = find(db, scope, body, work).finally(() => running.delete(name))
    running.set(name, own)
    return answerTo(body, await own)
  }
}

async function find(
  db: Kysely<Database>,
  scope: Buffer,
  body: Buffer,
  work: (db: Transaction<Database>) => Promise<string>,
): Promise<StoredAnswer> {
  for (;;) {
    const stored =
      (await findAnswer(db, scope)) ??
      (await db.transaction().execute(async (transaction) => {
        if (!(await claim(transaction, scope, body))) return undefined
        const answer = await work(transaction)
        await storeAnswer(transaction, scope, answer)
        return { body, answer }
      }))
    // Another process was faster: its answer is stored now, unless it has just been deleted.
    if (stored) return stored
  }
}

function answerTo(body: Buffer, stored: StoredAnswer): string {
  if (stored.body.equals(body)) return stored.answer
  const details = 'Idempotency-Key must come with the same body as before, or be a new one'
  throw new CatalogueError('idempotency_conflict', [
    { reason: 'idempotency_conflict', details, field: 'Idempotency-Key' },
  ])
}

function hashOf(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
