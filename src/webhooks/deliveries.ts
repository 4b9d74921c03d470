import { type Kysely, sql } from 'kysely'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { readCursor } from '../catalogue/changes/cursor.ts'
import { daysAhead } from '../database/ledger.ts'
import type { Database } from '../database/tables.ts'
import type { Webhook } from './webhook.ts'

/** An attempt to deliver. */
export interface Delivery {
  deliveryId: string
  /** The header `webhook-id`: the same for each attempt. */
  eventId: string
  type: string
  /** From 1. */
  attempt: number
  at: Date
  /** Of HTTP; null if there was no answer. */
  status: number | null
  durationMs: number
  reason: string | null
  response: string | null
}

export interface Lag {
  events: number
  seconds: number
}

/** Changes are counted up to this. */
const maxCounted = 1_000

/** The latest attempts of a webhook, the newest first. */
export async function listDeliveries(
  { db }: Catalogue,
  { storeUuid, webhookId }: Pick<Webhook, 'storeUuid' | 'webhookId'>,
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select delivery_id as "deliveryId", event_id as "eventId", type, attempt, at, status, duration_ms as "durationMs",
      reason, response
    from webhook_delivery where store_uuid = ${storeUuid} and webhook_id = ${webhookId}
    order by at desc, delivery_id desc limit ${limit}`.execute(db)
  return rows
}

/** How many changes of the store follow those that are delivered, whether they match or not, and since when. */
export async function readLag({ db }: Catalogue, { storeUuid, cursor }: Webhook): Promise<Lag> {
  const { tx, seq } = readCursor(cursor)
  const { rows } = await sql<Lag>`
    select count(*)::integer as events,
      greatest(coalesce(extract(epoch from now() - min(at)), 0), 0)::float8 as seconds
    from changes_after(${storeUuid}::uuid, ${String(tx)}::xid8, ${String(seq)}::bigint, (select next_tx from ledger_state()),
      null, null, '-infinity', 'infinity', ${maxCounted})`.execute(db)
  return rows[0] ?? { events: 0, seconds: 0 }
}

/** Makes the partitions of the attempts for the next days, and drops those that are older than seven days. */
export async function keepDeliveryDays(db: Kysely<Database>): Promise<void> {
  await sql`select add_delivery_days(${daysAhead}::integer)`.execute(db)
  await sql`select drop_delivery_days()`.execute(db)
}
