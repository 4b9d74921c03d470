import { type RawBuilder, sql } from 'kysely'
import { type Catalogue, requireVisible, visibleStore } from '../catalogue/catalogue.ts'
import { cursorOfText, type LedgerPosition, textOfPosition } from '../catalogue/changes/cursor.ts'
import { CatalogueError } from '../errors.ts'
import type { EventFilter } from '../live/event-filter.ts'
import { storeUuidOf } from '../text.ts'

export type WebhookState = 'active' | 'failing' | 'paused' | 'disabled' | 'lost'

/** A webhook as the API shows it: without secrets and values of headers. */
export interface Webhook {
  storeUuid: string
  webhookId: string
  url: string
  headerNames: string[]
  filter: EventFilter
  state: WebhookState
  failingSince: Date | null
  /** When the next attempt is made, where the last one failed. */
  nextAttemptAt: Date | null
  /** Up to which change all is delivered. */
  cursor: string
  createdAt: Date
}

type Row = Omit<Webhook, 'cursor'> & { position: string }

/** SQL: the columns of `Row`; the table is called `w`. */
const columns = sql`w.store_uuid as "storeUuid", w.webhook_id as "webhookId", w.url, w.filter, w.state,
  array(select jsonb_object_keys(w.headers)) as "headerNames", w.failing_since as "failingSince",
  case when w.attempt > 0 then w.next_at end as "nextAttemptAt", w.position, w.created_at as "createdAt"`

/**
 * SQL: the time of an attempt that is made at once; a user does not cause more than one in a second. It is never past:
 * `isAskedFor` compares it with the begin of the attempt under way.
 */
export const soon = sql`greatest(now(), least(w.next_at, w.checked_at + interval '1 second'))`

/** SQL: the condition for a webhook that the viewer may see. */
function isVisible({ viewer: { stores } }: Catalogue, webhookId: string): RawBuilder<boolean> {
  const own = stores && sql`and w.store_uuid = any(${[...stores]}::uuid[])`
  return sql<boolean>`w.webhook_id = ${storeUuidOf(webhookId) ?? null}::uuid ${own ?? sql``}`
}

/** The webhook of this id; undefined if there is none or the viewer may not see its store. */
export async function findWebhook(catalogue: Catalogue, webhookId: string): Promise<Webhook | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from webhook w where ${isVisible(catalogue, webhookId)}`.execute(catalogue.db)
  return rows[0] && webhookOf(rows[0])
}

/** The webhooks of a store in the order of their creation. */
export async function listWebhooks(catalogue: Catalogue, storeUuid: string): Promise<Webhook[]> {
  const { rows } = await sql<Row>`
    select ${columns} from webhook w where w.store_uuid = ${visibleStore(catalogue, storeUuid)}
    order by w.webhook_id`.execute(catalogue.db)
  return rows.map(webhookOf)
}

/** Changes a webhook and returns it. Throws `webhook_not_found`. */
export async function updateWebhookRow(
  catalogue: Catalogue,
  webhookId: string,
  changes: RawBuilder<unknown>,
): Promise<Webhook> {
  const { rows } = await sql<Row>`
    update webhook w set ${changes} where ${isVisible(catalogue, webhookId)} returning ${columns}`.execute(catalogue.db)
  return webhookOf(required(rows))
}

/** Locks a webhook until the end of the transaction, and returns it. Throws `webhook_not_found`. */
export function lockWebhook(catalogue: Catalogue, webhookId: string): Promise<Webhook> {
  return updateWebhookRow(catalogue, webhookId, sql`secret = secret`)
}

export async function deleteWebhook(catalogue: Catalogue, webhookId: string): Promise<Webhook> {
  const { rows } = await sql<Row>`
    delete from webhook w where ${isVisible(catalogue, webhookId)} returning ${columns}`.execute(catalogue.db)
  return webhookOf(required(rows))
}

export interface NewRow extends Pick<Webhook, 'storeUuid' | 'webhookId' | 'url' | 'filter'> {
  headers: Record<string, string>
  secret: string
  position: LedgerPosition
}

export async function insertWebhook(catalogue: Catalogue, row: NewRow): Promise<Webhook> {
  const { webhookId, url, headers, secret, filter, position } = row
  const { rows } = await sql<Row>`
    insert into webhook as w (store_uuid, webhook_id, url, headers, secret, filter, position)
    values (${requireVisible(catalogue, row.storeUuid)}, ${webhookId}, ${url}, ${JSON.stringify(headers)}::jsonb,
      ${secret}, ${JSON.stringify(filter)}::jsonb, ${textOfPosition(position)})
    returning ${columns}`.execute(catalogue.db)
  return webhookOf(required(rows))
}

function required([row]: readonly Row[]): Row {
  if (row) return row
  throw new CatalogueError('webhook_not_found', [{ field: 'id', details: 'there is no webhook with this id' }])
}

function webhookOf({ position, ...webhook }: Row): Webhook {
  return { ...webhook, cursor: cursorOfText(position) }
}

/** SQL: no delivery is being attempted. */
export const nothingPending = sql`pending = null, pending_since = null`
