import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'

interface WebhookFigures {
  /** How many webhooks are in each state. */
  byState: Record<string, number>
  /** Age of the oldest change that a webhook attempts to deliver. */
  lagSeconds: number
}

/** Of the webhooks of all stores. */
export async function readWebhookFigures(db: Kysely<Database>): Promise<WebhookFigures> {
  const { rows } = await sql<{ state: string; count: number; lag: number }>`
    select state, count(*)::integer as count,
      coalesce(extract(epoch from now() - min(pending_since) filter (where state in ('active', 'failing'))), 0)::float8 as lag
    from webhook group by state`.execute(db)
  const byState = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  return { byState, lagSeconds: Math.max(0, ...rows.map(({ lag }) => lag)) }
}
