import { sql } from 'kysely'
import { codeOf, isUnavailable, shortageOf } from '../database/unavailable.ts'

/** How often what runs a job shows in `heartbeat_at` that it lives, and how long each sign of it lasts. */
export const heartbeats = {
  /** With its progress; after a step, which takes at most 10 s. */
  attempt: { everyMs: 2_000, lastsSeconds: 15 },
  upload: { everyMs: 5_000, lastsSeconds: 20 },
  command: { everyMs: 60_000, lastsSeconds: 3600 },
}

export const ago = (seconds: number) => sql<Date>`now() - ${seconds} * interval '1 second'`

/** A job is retried once after its process died or its thread was ended: it may be the cause. */
export const maxCrashes = 2

export const diedTwice = 'the gateway died or lost its database twice while the job was running'

/**
 * What becomes of a job whose attempt threw in its thread: it is queued again, as if the attempt had not been
 * (`requeued`) or after a crash, of which the next attempt knows by the state, or it fails.
 */
export function outcomeOf(error: unknown): 'requeued' | 'crashed' | 'failed' {
  if (isPassing(error)) return 'requeued'
  return isUnavailable(error) ? 'crashed' : 'failed'
}

/**
 * Whether it ends by itself, such as a lock or a full disk. A statement that takes too long does so each time, and so
 * may a deadlock or serialization failure that repeats have not cured.
 */
const isPassing = (error: unknown) =>
  shortageOf(error) !== undefined && !['57014', '40001', '40P01'].includes(codeOf(error))
