import { type RawBuilder, sql } from 'kysely'
import type { ChangeKind } from './change.ts'

type Sql = RawBuilder<unknown>

/** What to revert in a store, and how. */
export interface Reversal {
  /** Canonical. */
  storeUuid: string
  requestId: string
  /** Whether values that changed since are overwritten; if not, they are left as they are. */
  overwrites: boolean
  /**
   * The `seq` of the request's rows to revert, in order: the caller holds the locks of their items, not of later ones.
   */
  seqs: string[]
  /** The keys of the later changes that may be of the same items, at the same indexes. */
  later: Record<'tx' | 'seq' | 'at', string[]>
  /**
   * Reverts of the request and of one another that have changed nothing in the end: they are not what changed since.
   */
  cancelled: string[]
}

/** An item of the ledger that was not reverted. */
export interface SkippedItem {
  kind: ChangeKind
  code: string
  key: string | null
  reason: 'changed_since' | 'gone' | 'too_large' | 'store_created'
}

/** How many of each a revert changed. */
export interface RevertedCounts {
  products: number
  assets: number
  links: number
  definitions: number
  requirements: number
  storeFields: number
}

/** What a revert did with the items of some kinds. */
export interface Reverted {
  reverted: Partial<RevertedCounts>
  skipped: SkippedItem[]
  /** How many items were skipped: `skipped` has no more than `mostSkipped` of them. */
  skippedCount: number
}

/** How many skipped items a result lists. */
export const mostSkipped = 10_000

/**
 * CTEs up to `own(kind, seq, action, code, key, was, asset, is_undone)`, the items of the request of some kinds.
 * Reverting them from the newest to the oldest ends at the last change that another request made of the same item
 * (`key_since`), or of its row: of the whole row (`row_since`), which has no key; of any of its keys if the item is a
 * whole row itself (`code_since`); for a link, of its asset. Windows, not joins: PostgreSQL does not know how many
 * items the arrays hold.
 */
export function revertedItems(reversal: Reversal, kinds: readonly string[]): Sql {
  const { storeUuid, requestId, overwrites, seqs, later, cancelled } = reversal
  const ofKinds = sql`c.kind = any(${kinds}::text[])`
  const items = (was: Sql) => sql`cross join lateral (
        select code collate "C" as code, key collate "C" as key, was,
          case c.kind when 'link' then (key::json ->> 1) collate "C" when 'asset' then code end as asset
        from unnest(c.codes, c.keys, ${was}) as i(code, key, was)
        offset 0
      ) i`
  return sql`
    own_item as materialized (
      select true as is_own, c.kind, c.seq, c.action, i.* from change c ${items(sql`c.was`)}
      where c.store_uuid = ${storeUuid} and ${ofKinds} and c.request_id = ${requestId}
        and c.seq = any(${seqs}::bigint[])
    ), later_item as materialized (
      select false as is_own, c.kind, c.seq, c.action, i.*
      from unnest(${later.tx}::text[], ${later.seq}::text[], ${later.at}::text[]) k(tx, seq, at) cross join lateral (
        select kind, seq, action, request_id, reverts, codes, keys from change
        where store_uuid = ${storeUuid} and tx = k.tx::xid8 and seq = k.seq::bigint and at = k.at::timestamptz
        offset 0
      ) c ${items(sql`null::text[]`)}
      where ${ofKinds} and (c.request_id <> ${requestId} or c.seq <> all(${seqs}::bigint[]))
        and (c.reverts is null or c.request_id <> all(${cancelled}::text[]))
        and ((i.code in (select code from own_item)) is true or (i.asset in (select asset from own_item)) is true)
    ), since as (
      select *,
        max(seq) filter (where not is_own) over (partition by kind, code) as code_since,
        max(seq) filter (where not is_own and key is null) over (partition by kind, code) as row_since,
        max(seq) filter (where not is_own) over (partition by kind, code, key) as key_since,
        max(seq) filter (where not is_own and kind = 'asset') over (partition by asset) as asset_since
      from (select * from own_item union all select * from later_item) i
    ), own as materialized (
      select kind, seq, action, code, key, was, asset, ${overwrites}::boolean or seq > greatest(
        key_since, row_since, case when key is null then code_since end, case when asset is not null then asset_since end, 0
      ) as is_undone
      from since where is_own
    )`
}

/** A query for the items that changed since. */
export const changedSince = sql`
  select kind, code, key, 'changed_since' as reason from own where not is_undone`

/** Columns `skipped` and `"skippedCount"`: the items `(kind, code, key, reason)` of a query, each once. */
export const skippedColumns = (items: Sql) => sql`
  (
    select coalesce(json_agg(s), '[]') from (
      select distinct kind, code, key, reason from (${items}) s order by kind, code, key limit ${mostSkipped}
    ) s
  ) as skipped,
  (select count(*)::int from (select distinct kind, code, key from (${items}) s) s) as "skippedCount"`

/** Which item was not reverted, and why. */
export function sentenceOf(item: SkippedItem): string {
  return `${nameOf(item)} ${reasons[item.reason]}`
}

const reasons: Record<SkippedItem['reason'], string> = {
  changed_since: 'was changed since by another request',
  gone: 'cannot be restored: what it belongs to does not exist any more',
  too_large: 'would make its product larger than 4 MiB',
  store_created: 'was created: stores are never deleted',
}

function nameOf({ kind, code, key }: SkippedItem): string {
  const name = JSON.stringify(code)
  if (kind === 'store') return key === null ? 'the store' : `the field ${key} of the store`
  if (kind === 'definition') return `the definition of the attribute ${name}`
  if (kind === 'requirement') return `the requirements of the channel ${name}`
  if (kind === 'asset') return `the asset ${name}`
  if (kind === 'link') {
    const [channel, assetId] = JSON.parse(key ?? '[]') as unknown[]
    return `the link of the asset ${JSON.stringify(assetId)} to ${name} on the channel ${JSON.stringify(channel)}`
  }
  if (key === null) return `the product ${name}`
  return `the ${key === 'status' ? 'status' : `attribute ${JSON.stringify(key)}`} of the product ${name}`
}
