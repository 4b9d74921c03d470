import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { allOf } from '../conditions.ts'
import type { Change, ReadChange } from './change.ts'
import { changesOf, type PageRow, pageOfChanges } from './change-page.ts'
import {
  cursorOf,
  durable,
  feedPosition,
  type LedgerState,
  latest,
  latestOf,
  readCursor,
  requireKept,
  requireSameLedger,
  startOf,
} from './cursor.ts'

/** All given conditions must hold. `productCode`: changes of the product, and of the links of its assets. */
export interface ChangeFilter {
  requestId?: string | null | undefined
  productCode?: string | null | undefined
  operation?: string | null | undefined
  actor?: string | null | undefined
  from?: Date | null | undefined
  to?: Date | null | undefined
}

export interface PageRequest<HasItems extends boolean> {
  after?: string | null | undefined
  limit: number
  /** Whether the items of the changes are read, of which a page may have 2 MiB: so by default. */
  hasItems?: HasItems
}

export interface ChangePage<HasItems extends boolean> {
  changes: ReadChange<HasItems>[]
  /** The cursor of the next page; null at the end of a history. */
  next: string | null
  hasMore: boolean
}

/**
 * A page of the feed of a store, in the order of `tx` and `seq`. It ends before the oldest open transaction, so that no
 * change is added before its cursor. An empty page has a cursor, too. Throws `invalid_request` or `cursor_expired`.
 */
export async function listChanges<HasItems extends boolean = true>(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ChangeFilter,
  { after, limit, hasItems }: PageRequest<HasItems>,
): Promise<ChangePage<HasItems>> {
  const uuid = requireVisible(catalogue, storeUuid)
  const isLatest = after === latest
  const given = startOf(after)
  const { tx, seq } = given ?? { tx: 0n, seq: 0n }
  const size = isLatest ? 0 : limit + 1
  const { operation = null, actor = null, from, to } = filter
  const isNarrow = filter.requestId != null || filter.productCode != null
  const following = [
    sql<boolean>`(k.tx, k.seq) > (${String(tx)}::xid8, ${String(seq)}::bigint)`,
    sql<boolean>`k.tx < state.oldest_open`,
  ]
  const found = isNarrow
    ? narrowed(uuid, filter, following)
    : sql`changes_after(${uuid}::uuid, ${String(tx)}::xid8, ${String(seq)}::bigint, state.oldest_open, ${operation}::text,
        ${actor}::text, coalesce(${from ?? null}::timestamptz, '-infinity'), coalesce(${to ?? null}::timestamptz, 'infinity'),
        ${size}::integer)`
  const { rows } = await sql<LedgerState & { durable_tx: string } & PageRow>`
    select * from ledger_state() state cross join lateral (${durable}) d
      left join lateral (${pageOfChanges(found, sql`k.tx, k.seq`, size, hasItems ?? true)}) page on true
    order by page.tx, page.seq`.execute(catalogue.db)
  const state = onlyRow(rows)
  if (given) requireKept(given, state)
  const { changes, hasMore } = changesOf<HasItems>(rows, state.ledger, limit)
  const last = isLatest ? await findLast(catalogue, uuid, state.oldest_open) : changes.at(-1)
  const ends = [
    given,
    last && feedPosition(last.tx, last.seq),
    feedPosition(state.horizon_tx, state.horizon_seq),
    feedPosition(state.durable_tx, 0),
  ]
  return { changes, hasMore, next: cursorOf(state.ledger, hasMore && last ? last : latestOf(ends)) }
}

/** The last change of a store before a transaction. A statement of its own: on Citus the store's server runs it. */
async function findLast(
  { db }: Catalogue,
  uuid: string,
  beforeTx: string,
): Promise<Pick<Change, 'tx' | 'seq'> | undefined> {
  const { rows } = await sql<Pick<Change, 'tx' | 'seq'>>`
    select tx, seq from change where store_uuid = ${uuid} and tx < ${beforeTx}::xid8
    order by tx desc, seq desc limit 1`.execute(db)
  return rows[0]
}

/** A page of all matching changes, the newest or the oldest first, including those that the feed still delays. */
export async function listHistory<HasItems extends boolean = true>(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ChangeFilter,
  { after, limit, hasItems }: PageRequest<HasItems>,
  order: 'newest first' | 'oldest first' = 'newest first',
): Promise<ChangePage<HasItems>> {
  const uuid = requireVisible(catalogue, storeUuid)
  const isNewestFirst = order === 'newest first'
  const given = after == null ? undefined : readCursor(after)
  const start = given ? String(given.seq) : null
  const further = isNewestFirst ? sql<boolean>`k.seq < ${start}::bigint` : sql<boolean>`k.seq > ${start}::bigint`
  const direction = isNewestFirst ? sql`desc` : sql`asc`
  const { rows } = await sql<LedgerState & PageRow>`
    select * from ledger_state() state left join (
      ${pageOfChanges(narrowed(uuid, filter, [start !== null && further]), sql`k.seq ${direction}`, limit + 1, hasItems ?? true)}
    ) page on true
    order by page.seq ${direction}`.execute(catalogue.db)
  const state = onlyRow(rows)
  if (given) requireSameLedger(given, state)
  const { changes, hasMore } = changesOf<HasItems>(rows, state.ledger, limit)
  return { changes, hasMore, next: hasMore ? (changes.at(-1)?.cursor ?? null) : null }
}

/** The changes of a product or a request that meet the conditions. */
function narrowed(uuid: string, filter: ChangeFilter, conditions: Parameters<typeof allOf>[0]) {
  const { requestId, productCode, operation, actor, from, to } = filter
  const since = sql`coalesce(${from ?? null}::timestamptz - interval '1 microsecond', '-infinity')`
  const source =
    productCode == null
      ? sql`changes_by(${uuid}::uuid, ${requestId}::text)`
      : sql`changes_of(${uuid}::uuid, array[${productCode}]::text[], ${since})`
  const matching = allOf([
    ...conditions,
    productCode != null && sql<boolean>`k.kind in ('product', 'link')`,
    requestId != null && sql<boolean>`k.request_id = ${requestId}`,
    operation != null && sql<boolean>`k.operation = ${operation}`,
    actor != null && sql<boolean>`k.actor = ${actor}`,
    from != null && sql<boolean>`k.at >= ${from}::timestamptz`,
    to != null && sql<boolean>`k.at < ${to}::timestamptz`,
  ])
  return sql`(select * from ${source} k where ${matching})`
}
