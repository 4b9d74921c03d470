import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../../database/tables.ts'
import { messageOf } from '../../errors.ts'
import { readNewChanges } from '../../live/new-changes.ts'
import { createOutgoing, type OutgoingOptions } from '../../outgoing/outgoing.ts'
import { warnOnceASecond } from '../../request/log.ts'
import type { Result } from './attempt.ts'
import { type DelivererParts, deliverWebhook } from './deliver-webhook.ts'
import { type Due, type DueWebhook, listDue } from './leases.ts'
import { type RetryTimes, retryTimes } from './retries.ts'
import { createScheduler } from './scheduler.ts'
import { createSharedPages } from './shared-pages.ts'

export interface DelivererOptions {
  db: Kysely<Database>
  outgoing: OutgoingOptions
  times?: RetryTimes | undefined
  log: Logger
}

const pollMs = 250
const pauseAfterFailureMs = 1_000
/** Changes of older days are searched only now and then: a transaction is seldom open for longer. */
const usualHours = 24
const allDaysEveryMs = 10 * 60_000
/** How long a shutdown waits for deliveries. What is not recorded then is delivered again. */
const stopWithinMs = 500

/** Delivers changes to webhooks. Several processes may do so at a time, and each may be killed at any time. */
export function startDeliverer({ db, outgoing: options, times = retryTimes, log }: DelivererOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  const outgoing = createOutgoing(options)
  const results: Record<Result, number> = { delivered: 0, refused: 0, unanswered: 0 }
  const warn = (error: unknown, facts: object = {}) => {
    if (signal.aborted) return
    warnOnceASecond(log, 'webhooks could not be delivered', { reason: messageOf(error), ...facts })
  }
  const parts: DelivererParts = {
    ...{ db, outgoing, owner: randomUUID(), times, signal },
    read: createSharedPages((storeUuid, after) => readNewChanges(db, [storeUuid], after)),
    count: (result) => {
      results[result]++
    },
  }
  const deliver = (webhook: DueWebhook) => {
    const { storeUuid, webhookId } = webhook
    return deliverWebhook(parts, webhook).catch((error: unknown) => warn(error, { storeUuid, webhookId }))
  }
  const scheduler = createScheduler(deliver, signal)
  const ended = loop(createPoll(db, scheduler), signal, warn)
  return {
    /** How many attempts there were by result. */
    results: () => ({ ...results }),
    stop: async () => {
      stopping.abort()
      await Promise.race([
        Promise.allSettled([ended, ...scheduler.running()]),
        sleep(stopWithinMs, undefined, { ref: false }),
      ])
      await outgoing.close()
    },
  }
}

async function loop(poll: () => Promise<void>, signal: AbortSignal, warn: (error: unknown) => void): Promise<void> {
  while (!signal.aborted) {
    const pauseMs = await poll().then(
      () => pollMs,
      (error: unknown) => {
        warn(error)
        return pauseAfterFailureMs
      },
    )
    await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {})
  }
}

/** Makes the function that schedules due webhooks, and remembers up to where all are known. */
function createPoll(db: Kysely<Database>, scheduler: ReturnType<typeof createScheduler>): () => Promise<void> {
  let known: string | null = null
  let knownEnded = 0
  let fullAt = 0
  return async () => {
    const isFull = Date.now() - fullAt > allDaysEveryMs
    // What becomes readable during a delivery is due after it: the next poll then checks all.
    const ended = scheduler.ended()
    const isKnown = !isFull && ended === knownEnded
    const { oldest, webhooks }: Due = await listDue(db, isKnown ? known : null, isFull ? null : usualHours)
    if (isFull) fullAt = Date.now()
    known = scheduler.schedule(webhooks) ? oldest : null
    knownEnded = ended
  }
}
