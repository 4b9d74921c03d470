import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { WriteCatalogue } from '../catalogue/catalogue.ts'
import { lockStore } from '../catalogue/locks.ts'
import { CatalogueError, invalidRequest } from '../errors.ts'
import { latestPosition } from '../live/new-changes.ts'
import { shown, withoutNulls } from '../text.ts'
import { bothSecretsHours, newWebhookSecret } from './secret.ts'
import {
  insertWebhook,
  listWebhooks,
  lockWebhook,
  nothingPending,
  soon,
  updateWebhookRow,
  type Webhook,
} from './webhook.ts'
import { requireWebhookInput, type WebhookHeader, type WebhookInput } from './webhook-input.ts'

/** At most so many of a store. */
const maxWebhooks = 20

export interface NewWebhook {
  /** Shown only once. */
  secret: string
  webhook: Webhook
}

/**
 * Creates a webhook, which begins after the latest change. `allow`: what OUTGOING_ALLOW has. Throws `invalid_request`,
 * `store_not_found` or `quota_exceeded`.
 */
export async function createWebhook(
  catalogue: WriteCatalogue,
  storeUuid: string,
  input: WebhookInput & { url: string },
  allow: readonly string[],
): Promise<NewWebhook> {
  requireWebhookInput(input, allow)
  const store = await lockStore(catalogue, storeUuid, { jobs: 'all' })
  const { length } = await listWebhooks(catalogue, store)
  if (length >= maxWebhooks) {
    throw new CatalogueError('quota_exceeded', `a store may have ${maxWebhooks} webhooks; it has ${length}`)
  }
  const secret = newWebhookSecret()
  const webhook = await insertWebhook(catalogue, {
    storeUuid: store,
    webhookId: uuidv7(),
    url: input.url,
    headers: headersOf(input.headers),
    filter: withoutNulls(input.filter ?? {}),
    secret,
    position: await latestPosition(catalogue.db, [store]),
  })
  return { secret, webhook }
}

/**
 * Changes what is given. `enabled`: false switches the webhook off; true on, when a ping has succeeded. A URL of
 * another origin needs `headers`, too, if there are any. Another URL or other headers end the failures, and the
 * wait before the next attempt. Throws `invalid_request` or `webhook_not_found`.
 */
export async function updateWebhook(
  catalogue: WriteCatalogue,
  webhookId: string,
  input: WebhookInput & { enabled?: boolean | null | undefined },
  allow: readonly string[],
): Promise<Webhook> {
  requireWebhookInput(input, allow)
  const { url = null, headers, filter, enabled = null } = input
  if (url !== null && headers == null) await requireOrigin(catalogue, webhookId, url)
  const headersText = headers == null ? null : JSON.stringify(headersOf(headers))
  const filterText = filter == null ? null : JSON.stringify(withoutNulls(filter))
  // The result of an attempt under way is of the receiver that it had, and says nothing of the present one.
  const isOther = sql<boolean>`(url, headers) is distinct from
      (coalesce(${url}::text, url), coalesce(${headersText}::jsonb, headers))`
  // A webhook that is switched off keeps what led to it.
  const isRenewed = sql<boolean>`${isOther} and state not in ('paused', 'disabled')`
  // What is pending was chosen by the filter that it had.
  const unchosen = filter == null ? sql`` : sql`, ${nothingPending}`
  return updateWebhookRow(
    catalogue,
    webhookId,
    sql`url = coalesce(${url}::text, url), headers = coalesce(${headersText}::jsonb, headers),
      filter = coalesce(${filterText}::jsonb, filter),
      state = case when not ${enabled}::boolean then 'disabled'
        when ${isOther} and state = 'failing' then 'active' else state end,
      ping = case when not ${enabled}::boolean then null
        when ${enabled}::boolean and state in ('paused', 'disabled') then 'enable' else ping end,
      next_at = ${soon}, moves = moves + (${isOther} or ${filter != null}::boolean)::int,
      attempt = case when ${isRenewed} then 0 else attempt end,
      pause_ms = case when ${isRenewed} then 0 else pause_ms end,
      failing_since = case when ${isRenewed} then null else failing_since end ${unchosen}`,
  )
}

/** Gives a webhook a new secret; the former one signs, too, for a day. Throws `invalid_request` within that day. */
export async function rotateSecret(catalogue: WriteCatalogue, webhookId: string): Promise<NewWebhook> {
  const secret = newWebhookSecret()
  const isRecent = sql<boolean>`rotated_at > now() - ${bothSecretsHours} * interval '1 hour'`
  const before = await lockWebhook(catalogue, webhookId)
  const { rows } = await sql<{ isRecent: boolean | null }>`
    select ${isRecent} as "isRecent" from webhook where store_uuid = ${before.storeUuid}
      and webhook_id = ${before.webhookId}`.execute(catalogue.db)
  if (rows[0]?.isRecent) {
    const details = `id: the secret was rotated within the last ${bothSecretsHours} hours, and the former one is still valid`
    throw invalidRequest([{ field: 'id', details }])
  }
  const changes = sql`previous_secret = secret, secret = ${secret}, rotated_at = now()`
  return { secret, webhook: await updateWebhookRow(catalogue, webhookId, changes) }
}

/** Headers may be credentials, and a user who changes the URL need not know them: they are of one origin. */
async function requireOrigin(catalogue: WriteCatalogue, webhookId: string, url: string): Promise<void> {
  const before = await lockWebhook(catalogue, webhookId)
  const [from, to] = [new URL(before.url).origin, new URL(url).origin]
  if (before.headerNames.length === 0 || from === to) return
  const details = `headers must be given (or an empty list) if the URL leaves the origin ${from}; got ${shown(to)} without headers`
  throw invalidRequest([{ field: 'headers', details }])
}

function headersOf(headers: readonly WebhookHeader[] | null | undefined): Record<string, string> {
  return Object.fromEntries((headers ?? []).map(({ name, value }) => [name.toLowerCase(), value]))
}
