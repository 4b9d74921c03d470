import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue/catalogue.ts'
import { feedPosition, type LedgerPosition, readCursor, textOfPosition } from '../catalogue/changes/cursor.ts'
import { invalidRequest } from '../errors.ts'
import { latestPosition, requireKeptChanges } from '../live/new-changes.ts'
import { shown, timeOf } from '../text.ts'
import { lockWebhook, nothingPending, soon, updateWebhookRow, type Webhook } from './webhook.ts'

/** Makes the webhook due for the next poll of any process, as one whose lease has ended. */
const dueNow = sql`next_at = ${soon}, lease_until = greatest(lease_until, now())`
/** Ends what is being attempted; the holder of the lease begins anew. */
const startedOver = sql`moves = moves + 1, ${nothingPending}, attempt = 0, pause_ms = 0, failing_since = null, has_gap = false,
  state = case when state in ('failing', 'lost') then 'active' else state end`

/** Sends a ping soon; its result is among the deliveries. Throws `webhook_not_found`, as all of these. */
export function testWebhook(catalogue: WriteCatalogue, webhookId: string): Promise<Webhook> {
  return updateWebhookRow(catalogue, webhookId, sql`ping = coalesce(ping, 'test')`)
}

/** Makes the next attempt now. */
export function retryWebhook(catalogue: WriteCatalogue, webhookId: string): Promise<Webhook> {
  return updateWebhookRow(catalogue, webhookId, dueNow)
}

/** Skips the delivery whose last attempt failed. If there is none, nothing changes. */
export async function skipWebhookEvent(catalogue: WriteCatalogue, webhookId: string): Promise<Webhook> {
  const webhook = await lockWebhook(catalogue, webhookId)
  if (!webhook.nextAttemptAt) return webhook
  return updateWebhookRow(catalogue, webhookId, sql`position = coalesce(pending, position), ${startedOver}, ${dueNow}`)
}

/** Delivers again from a cursor, or a time as RFC 3339. Throws `invalid_request` or `cursor_expired`, too. */
export async function replayWebhook(catalogue: WriteCatalogue, webhookId: string, from: string): Promise<Webhook> {
  const { storeUuid } = await lockWebhook(catalogue, webhookId)
  const time = timeOf(from)
  const position = time ? await positionAt(catalogue, storeUuid, time) : await positionOfCursor(catalogue, from)
  return updateWebhookRow(catalogue, webhookId, sql`position = ${textOfPosition(position)}, ${startedOver}, ${dueNow}`)
}

async function positionOfCursor({ db }: WriteCatalogue, from: string): Promise<LedgerPosition> {
  if (!/^[\w-]{1,200}$/.test(from)) {
    throw invalidRequest([
      { field: 'from', details: `from must be a cursor of changes, or a time; got ${shown(from)}` },
    ])
  }
  const position = readCursor(from, 'from')
  await requireKeptChanges(db, position, 'from')
  return position
}

/** The position before the first change from a time on. */
async function positionAt({ db }: WriteCatalogue, storeUuid: string, time: Date): Promise<LedgerPosition> {
  const latest = await latestPosition(db, [storeUuid])
  const { rows } = await sql<{ tx: string; seq: string }>`
    select tx, seq from changes_after(${storeUuid}::uuid, '0', 0, ${String(latest.tx + 1n)}::xid8, null, null,
      ${time}::timestamptz, 'infinity', 1)`.execute(db)
  const [first] = rows
  return first ? { ...feedPosition(first.tx, String(BigInt(first.seq) - 1n)), ledger: latest.ledger } : latest
}
