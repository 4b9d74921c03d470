import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../../database/tables.ts'
import { codeOf } from '../../database/unavailable.ts'
import { messageOf } from '../../errors.ts'
import { readNewChanges } from '../../live/new-changes.ts'
import { createOutgoing, type OutgoingOptions } from '../../outgoing/outgoing.ts'
import { inTimeForShutdown } from '../../request/give-up.ts'
import { warnOnce } from '../../request/log.ts'
import type { DeliveryParts, Result } from './attempt.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { type DueWebhook, listDue } from './leases.ts'
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

/** Delivers changes to webhooks. Several processes may do so at a time, and each may be killed at any time. */
export function startDeliverer({ db, outgoing: options, times = retryTimes, log }: DelivererOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  const outgoing = createOutgoing(options)
  const results: Record<Result, number> = { delivered: 0, refused: 0, unanswered: 0 }
  const warn = (error: unknown, facts: object = {}) => {
    if (signal.aborted) return
    const reason = messageOf(error)
    // All webhooks and polls that one fault of the database concerns have one warning.
    warnOnce(log, 'webhooks could not be delivered', { reason, ...facts }, codeOf(error) || reason)
  }
  const parts: DeliveryParts = {
    ...{ db, outgoing, owner: randomUUID(), times, signal },
    read: createSharedPages((storeUuid, after) => readNewChanges(db, [storeUuid], after)),
    count: (result) => {
      results[result]++
    },
  }
  const deliver = (webhook: DueWebhook) => {
    const { storeUuid, webhookId } = webhook
    return deliverWebhook(parts, webhook).catch((error: unknown) => {
      warn(error, { storeUuid, webhookId })
      throw error
    })
  }
  const { poll, running } = createPoll(db, deliver, signal)
  const ended = loop(poll, signal, warn)
  return {
    /** How many attempts there were by result. */
    results: () => ({ ...results }),
    stop: async () => {
      stopping.abort()
      // What is not recorded then is delivered again.
      await inTimeForShutdown(Promise.allSettled([ended, ...running()]))
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
function createPoll(db: Kysely<Database>, deliver: (webhook: DueWebhook) => Promise<void>, signal: AbortSignal) {
  let known: string | null = null
  let fullAt = 0
  let failures = 0
  const forget = () => {
    known = null
    failures++
  }
  const { schedule, running } = createScheduler((webhook) => deliver(webhook).catch(forget), signal)
  const poll = async () => {
    const isFull = Date.now() - fullAt > allDaysEveryMs
    const [knownBefore, failuresBefore] = [known, failures]
    // For the next poll, if this one fails.
    known = null
    const { oldest, webhooks } = await listDue(db, isFull ? null : knownBefore, isFull ? null : usualHours)
    if (isFull) fullAt = Date.now()
    // What a delivery that failed meanwhile left is due again.
    if (schedule(webhooks) && failures === failuresBefore) known = oldest
  }
  return { poll, running }
}
