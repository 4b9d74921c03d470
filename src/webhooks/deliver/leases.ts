import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import type { EventFilter } from '../../live/event-filter.ts'
import type { Delivery } from '../deliveries.ts'
import { bothSecretsHours } from '../secret.ts'
import type { WebhookState } from '../webhook.ts'

export interface WebhookKey {
  storeUuid: string
  webhookId: string
}

/** A webhook whose lease this process holds. */
export interface LeasedWebhook extends WebhookKey {
  url: string
  headers: Record<string, string>
  /** Those that sign: the present one, and for a day the one before. */
  secrets: string[]
  filter: EventFilter
  state: WebhookState
  /** 0 unless attempts fail. */
  failingSeconds: number
  position: string
  pending: string | null
  attempt: number
  pauseMs: number
  ping: 'test' | 'enable' | null
  /** Raised when its user changes position, filter, URL or headers. The holder of the lease then begins anew. */
  moves: number
  /** Whether the statement that returned this has released the lease. */
  isReleased: boolean
}

/** How a lease ends. */
export interface Release {
  /** The webhook is due again whether it has new changes or not. */
  hasMore: boolean
  /** It is not due before. */
  pauseMs: number
}

export const dueAtOnce: Release = { hasMore: true, pauseMs: 0 }

/** A webhook with a lease, as it was then. */
type Held = WebhookKey & { moves: number }

/** An attempt to deliver, before its time is recorded. */
export type Attempt = Omit<Delivery, 'at'>

/** What has something to do, and the position before which all transactions have ended. */
export interface Due {
  oldest: string
  webhooks: DueWebhook[]
}

export interface DueWebhook extends WebhookKey {
  /** Whether its last attempt failed, or took more than 2 s. */
  isSlow: boolean
}

/** Longer than an attempt takes. */
const leaseSeconds = 20
const leaseTime = sql`${leaseSeconds} * interval '1 second'`
const leased = sql`lease_until = now() + ${leaseTime}`

/** SQL: its user has asked for the next attempt since the lease was renewed, as before each attempt. */
export const isAskedFor = sql<boolean>`next_at > lease_until - ${leaseTime}`

/** SQL: the columns of `LeasedWebhook`. */
const columns = sql`store_uuid as "storeUuid", webhook_id as "webhookId", url, headers, filter, state,
  case when rotated_at > now() - ${bothSecretsHours} * interval '1 hour' then array[secret, previous_secret] else array[secret] end as secrets,
  coalesce(extract(epoch from now() - failing_since), 0)::float8 as "failingSeconds",
  position, pending, attempt, pause_ms as "pauseMs", ping, moves, lease_id is null as "isReleased"`

const isOf = ({ storeUuid, webhookId }: WebhookKey) =>
  sql<boolean>`store_uuid = ${storeUuid} and webhook_id = ${webhookId}`

/**
 * `known`: the `oldest` of the last poll, if all that was due then has been started; null: check all. `sinceHours`:
 * only changes of the last hours are searched; null: all.
 */
export async function listDue(db: Kysely<Database>, known: string | null, sinceHours: number | null): Promise<Due> {
  const { rows } = await sql<{ oldest: string } & { [Name in keyof DueWebhook]: DueWebhook[Name] | null }>`
    select o.oldest, d.due_store as "storeUuid", d.due_webhook as "webhookId", d.is_slow as "isSlow"
    from oldest_open() o(oldest) left join lateral due_webhooks(o.oldest, ${known}::xid8,
      coalesce(now() - ${sinceHours}::float8 * interval '1 hour', '-infinity')) d on true`.execute(db)
  const isDue = (row: (typeof rows)[number]): row is DueWebhook & { oldest: string } => row.storeUuid !== null
  return { oldest: rows[0]?.oldest ?? '0', webhooks: rows.filter(isDue) }
}

/** Acquires the lease for 20 s; undefined if another process has or had it, or nothing is due any more. */
export async function acquire(
  db: Kysely<Database>,
  key: WebhookKey,
  owner: string,
): Promise<LeasedWebhook | undefined> {
  const { rows } = await sql<LeasedWebhook>`
    update webhook set lease_id = ${owner}, ${leased}
    where ${isOf(key)} and (lease_until is null or lease_until <= now())
      and ((ping is not null and checked_at <= now() - interval '1 second') or (state in ('active', 'failing', 'lost') and next_at <= now()))
    returning ${columns}`.execute(db)
  return rows[0]
}

/** SQL: the end of a lease. For `due_webhooks`, what has more has a `lease_until` in the past. */
const released = ({ hasMore }: Release) =>
  sql`lease_id = null, lease_until = ${hasMore ? sql`now()` : sql`null`}, checked_at = now()`

/** SQL: changes a webhook, unless the lease is lost, or its user has moved it. Renews or ends it. */
const updated = (
  { moves, ...key }: Held,
  owner: string,
  changes: RawBuilder<unknown>,
  end?: Release,
) => sql<LeasedWebhook>`
  update webhook set ${changes}, ${end ? released(end) : leased} where ${isOf(key)} and lease_id = ${owner} and moves = ${moves}
  returning ${columns}`

/** Changes a webhook and renews the lease; undefined if it is lost, or its user has moved it. */
export async function update(
  db: Kysely<Database>,
  webhook: Held,
  owner: string,
  changes: RawBuilder<unknown>,
): Promise<LeasedWebhook | undefined> {
  const { rows } = await updated(webhook, owner, changes).execute(db)
  return rows[0]
}

export async function release(db: Kysely<Database>, key: WebhookKey, owner: string, end: Release): Promise<void> {
  await sql`
    update webhook set ${released(end)}, next_at = greatest(next_at, now() + ${end.pauseMs} * interval '1 millisecond')
    where ${isOf(key)} and lease_id = ${owner}`.execute(db)
}

/**
 * Records an attempt, and what it changes if the lease is still held. Returns the webhook as `update` does. If
 * the attempt cannot be recorded, its changes are made, so that it is not repeated, and the error is thrown.
 * `end`: releases the lease, too.
 */
export async function record(
  db: Kysely<Database>,
  webhook: Held,
  owner: string,
  { deliveryId, eventId, type, attempt, status, durationMs, reason, response }: Attempt,
  changes: RawBuilder<unknown>,
  end?: Release,
): Promise<LeasedWebhook | undefined> {
  const recorded = sql<LeasedWebhook>`
    with recorded as (
      insert into webhook_delivery (store_uuid, webhook_id, delivery_id, event_id, type, attempt, status, duration_ms,
        reason, response)
      values (${webhook.storeUuid}, ${webhook.webhookId}, ${deliveryId}, ${eventId}, ${type}, ${attempt}, ${status},
        ${durationMs}, ${reason}, ${response})
    ) ${updated(webhook, owner, sql`${changes}, last_ms = ${durationMs}`, end)}`.execute(db)
  const { rows } = await recorded.catch(async (error: unknown) => {
    await update(db, webhook, owner, changes)
    throw error
  })
  return rows[0]
}
