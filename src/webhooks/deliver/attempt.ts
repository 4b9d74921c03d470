import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../database/tables.ts'
import { type createOutgoing, type OutgoingAnswer, OutgoingError } from '../../outgoing/outgoing.ts'
import { nothingPending } from '../webhook.ts'
import { type Attempt, dueAtOnce, isAskedFor, type LeasedWebhook, type Release, record } from './leases.ts'
import { type Batch, type Message, noticeOf, signedHeaders } from './message.ts'
import { pauseAfter, type RetryTimes } from './retries.ts'
import type { ReadPage } from './shared-pages.ts'

export type Result = 'delivered' | 'refused' | 'unanswered'

/** What deliveries need. */
export interface DeliveryParts {
  db: Kysely<Database>
  read: ReadPage
  outgoing: ReturnType<typeof createOutgoing>
  /** The holder of the leases. */
  owner: string
  times: RetryTimes
  signal: AbortSignal
  count(result: Result): void
}

const maxShownBytes = 2_048
const gone = 410

/** A message to a webhook. `end`: the position of its last change. */
export interface Next {
  webhook: LeasedWebhook
  message: Message
  end: string
  isLarge: boolean
}

/** What a success ends with: all changes up to the position are delivered. */
export type Last = Release & { position: string }

/**
 * Posts a message and records the attempt. A success moves the position to its end, and `following` is pending; or it
 * is the `last` one. That and a failure release the lease. Undefined where the lease is lost, or the process stops:
 * then the message is sent again.
 */
export async function deliver(
  parts: DeliveryParts,
  { webhook, message, end }: Next,
  following: Batch | undefined,
  last: Last | undefined,
): Promise<LeasedWebhook | undefined> {
  const { db, owner, times } = parts
  const sent = await post(parts, webhook, message, webhook.attempt + 1)
  if (!sent) return undefined
  if (sent.isSuccess) return record(db, webhook, owner, sent.attempt, delivered(end, following, last), last)
  return record(db, webhook, owner, sent.attempt, failed(webhook, sent, times), dueAtOnce)
}

/** Sends a ping. Where the webhook is to be switched on, a success does that, unless its user has changed that. */
export async function ping(parts: DeliveryParts, webhook: LeasedWebhook): Promise<LeasedWebhook | undefined> {
  const message = noticeOf('webhook.ping', `ping:${uuidv7()}`, { store_uuid: webhook.storeUuid })
  const sent = await post(parts, webhook, message, 1)
  if (!sent) return undefined
  const enables = webhook.ping === 'enable' && sent.isSuccess
  const state = enables
    ? sql`, state = case when ping is distinct from 'enable' then state when has_gap then 'lost' else 'active' end,
        attempt = 0, pause_ms = 0, failing_since = null, next_at = now()`
    : sql``
  return record(parts.db, webhook, parts.owner, sent.attempt, sql`ping = nullif(ping, ${webhook.ping}) ${state}`)
}

interface Sent {
  isSuccess: boolean
  answer: OutgoingAnswer | undefined
  attempt: Attempt
}

async function post(
  { outgoing, signal, count }: DeliveryParts,
  { url, headers, secrets }: LeasedWebhook,
  message: Message,
  number: number,
): Promise<Sent | undefined> {
  const request = { url, headers: { ...headers, ...signedHeaders(message, secrets) }, body: message.body, signal }
  const began = performance.now()
  const answer = await outgoing.post(request).catch((error: unknown) => {
    if (error instanceof OutgoingError) return error
    throw error
  })
  if (signal.aborted) return undefined
  const hasAnswer = !(answer instanceof OutgoingError)
  const isSuccess = hasAnswer && answer.status >= 200 && answer.status < 300
  count(isSuccess ? 'delivered' : hasAnswer ? 'refused' : 'unanswered')
  const attempt = {
    ...{ deliveryId: uuidv7(), eventId: message.id, type: message.type, attempt: number },
    status: hasAnswer ? answer.status : null,
    durationMs: Math.round(performance.now() - began),
    reason: hasAnswer ? (isSuccess ? null : `the receiver must answer 2xx; got ${answer.status}`) : answer.message,
    response: hasAnswer ? shownBody(answer.body) : null,
  }
  return { isSuccess, answer: hasAnswer ? answer : undefined, attempt }
}

/** The beginning of an answer, as PostgreSQL can hold it. */
function shownBody(body: string): string {
  return Buffer.from(body.replaceAll('\0', '')).subarray(0, maxShownBytes).toString()
}

/** SQL: a batch is what is attempted now. */
export const isPending = ({ first, end }: Batch) => sql`pending = ${end}, pending_since = ${first}`

function delivered(end: string, following: Batch | undefined, last: Last | undefined): RawBuilder<unknown> {
  return sql`position = ${last?.position ?? end}, ${following ? isPending(following) : nothingPending},
    attempt = 0, pause_ms = 0, failing_since = null,
    next_at = now() + ${last?.pauseMs ?? 0} * interval '1 millisecond', has_gap = false, state = case when state in ('failing', 'lost') then 'active' else state end`
}

function failed(webhook: LeasedWebhook, { answer }: Sent, times: RetryTimes): RawBuilder<unknown> {
  const pauseMs = Math.round(pauseAfter(webhook, answer?.retryAfter, times))
  const isGone = answer?.status === gone
  const isTooOld = webhook.failingSeconds * 1_000 >= times.pausedAfter
  return sql`attempt = attempt + 1, pause_ms = ${pauseMs}, failing_since = least(failing_since, now()),
    next_at = now() + case when ${isAskedFor} then least(${pauseMs}, 1000) else ${pauseMs} end * interval '1 millisecond',
    state = case when state = 'disabled' or ${isGone}::boolean then 'disabled' when ${isTooOld}::boolean then 'paused'
      when state = 'active' then 'failing' else state end`
}
