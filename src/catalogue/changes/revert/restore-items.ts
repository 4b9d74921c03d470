import { sql } from 'kysely'
import { onlyRow } from '../../../database/only-row.ts'
import { type BoundedFailures, maxFailures } from '../../bounded-failures.ts'
import type { WriteCatalogue } from '../../catalogue.ts'
import type { Sql } from '../../conditions.ts'
import type { CatalogueKind } from '../change.ts'
import { recorded } from '../record-changes.ts'
import type { SkippedItem } from './skipped-item.ts'

/** Which request to revert in a store, and how. */
export interface Reversal {
  /** Canonical. */
  storeUuid: string
  requestId: string
  /** Whether values that later requests changed are overwritten. If not, they are skipped. */
  overwrites: boolean
  /** The `seq` of the request's rows to revert, in order. The caller holds the locks of their items. */
  seqs: string[]
  /** The keys of later rows that may have the same items, as columns. */
  later: Record<'tx' | 'seq' | 'at', string[]>
  /** Reverts of the request that were reverted themselves: they do not count as later changes. */
  cancelled: string[]
  /** What the steps have skipped so far. */
  skipped: BoundedFailures<SkippedItem>
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

/** Reverts the items of some kinds. */
export interface RevertStep {
  kinds: readonly CatalogueKind[]
  revert(catalogue: WriteCatalogue, reversal: Reversal): Promise<Partial<RevertedCounts>>
}

/** What a statement needs to revert items of a kind. */
export interface Restoration {
  /** CTEs: the items that differ from their values before the request, and the writes that restore them. */
  ctes: Sql
  /** A query for the changes to record. */
  changes: Sql
  counts: Partial<Record<keyof RevertedCounts, Sql>>
  /** A query for the items `(kind, code, key, reason)` that are skipped. */
  skipped: Sql
}

/**
 * Restores items in one statement, which also reads and records them. `restorationOf` gets the name of the CTE with
 * `itemsOf` the request.
 */
export async function restoreItems(
  catalogue: WriteCatalogue,
  reversal: Reversal,
  kinds: readonly CatalogueKind[],
  restorationOf: (own: Sql) => Restoration,
): Promise<Partial<RevertedCounts>> {
  const { ctes, changes, counts, skipped } = restorationOf(sql`own`)
  const numbers = Object.entries(counts).flatMap(([name, count]) => [sql`${name}::text`, count])
  const { rows } = await sql<SkippedItems & { reverted: Partial<RevertedCounts> }>`
    with own as materialized (${itemsOf(reversal, kinds)}), ${ctes}
    select json_build_object(${sql.join(numbers)}) as reverted, ${skippedColumns(skipped)},
      ${recorded(catalogue, reversal.storeUuid, changes)}`.execute(catalogue.db)
  const { reverted, ...skippedItems } = onlyRow(rows)
  skip(reversal, skippedItems)
  return reverted
}

/** At most `maxFailures` items that a step skips, and how many there are. */
interface SkippedItems {
  skipped: SkippedItem[]
  skippedCount: number
}

export function skip({ skipped: all }: Reversal, { skipped, skippedCount }: SkippedItems): void {
  for (const item of skipped) all.add(item)
  all.more += skippedCount - skipped.length
}

/** SQL: the columns of `SkippedItems` for a query of skipped items. */
export const skippedColumns = (items: Sql) => sql`(
        select coalesce(json_agg(s), '[]') from (
          select distinct kind, code, key, reason from (${items}) s order by kind, code, key limit ${maxFailures}
        ) s
      ) as skipped,
      (select count(*)::int from (select distinct kind, code, key from (${items}) s) s) as "skippedCount"`

/**
 * A query for the items `(kind, seq, action, code, key, was, asset_id, is_undone)` of the request. An item is undone
 * unless a later request changed it (`key_since`) or its whole row (`row_since`: items of whole rows have no key). The
 * item of a whole row is not undone if a later request changed any key of it (`code_since`), that of a link not if one
 * changed the asset (`asset_since`). Changes of an item after the request's last one do not count if the last of them
 * reverts one of them to the value that the first one found. Window functions, not joins: PostgreSQL cannot estimate
 * the length of arrays.
 */
export function itemsOf(reversal: Reversal, kinds: readonly CatalogueKind[]): Sql {
  const { storeUuid, requestId, overwrites, seqs, later, cancelled } = reversal
  const ofKinds = sql`c.kind = any(${kinds}::text[])`
  const items = sql`cross join lateral (
        select code collate "C" as code, key collate "C" as key, was,
          case c.kind when 'link' then (key::json ->> 1) collate "C" when 'asset' then code end as asset_id
        from unnest(c.codes, c.keys, c.was) as i(code, key, was)
        offset 0
      ) i`
  return sql`
    with own_item as materialized (
      select true as is_own, c.kind, c.seq, c.action, i.* from change c ${items}
      where c.store_uuid = ${storeUuid} and ${ofKinds} and c.request_id = ${requestId}
        and c.seq = any(${seqs}::bigint[])
    ), later_item as materialized (
      select c.kind, c.seq, c.action, c.request_id, c.reverts, i.code, i.key, md5(i.was) as was, i.asset_id
      from unnest(${later.tx}::text[], ${later.seq}::text[], ${later.at}::text[]) k(tx, seq, at) cross join lateral (
        select kind, seq, action, request_id, reverts, codes, keys, was from change
        where store_uuid = ${storeUuid} and tx = k.tx::xid8 and seq = k.seq::bigint and at = k.at::timestamptz
        offset 0
      ) c ${items}
      where ${ofKinds} and (c.request_id <> ${requestId} or c.seq <> all(${seqs}::bigint[]))
        and (c.reverts is null or c.request_id <> all(${cancelled}::text[]))
        and ((i.code in (select code from own_item)) is true or (i.asset_id in (select asset_id from own_item)) is true)
    ), later_of_item as (
      select *, seq > coalesce(
          max(seq) filter (where is_own) over (partition by kind, code, key), (select max(seq) from own_item)) as is_after
      from (
        select is_own, kind, seq, action, null as request_id, null as reverts, code, key, null as was, asset_id from own_item
        union all
        select false, * from later_item
      ) i
    ), ends as (
      select *, first_value(was) over item as first_was, last_value(reverts) over item as last_reverts
      from later_of_item where not is_own
      window item as (
        partition by kind, code, key, is_after order by seq rows between unbounded preceding and unbounded following)
    ), restored as (
      select *, is_after and count(*) filter (where request_id = last_reverts) over item = 1
          and bool_and(was is not distinct from first_was) filter (where request_id = last_reverts) over item as is_restored
      from ends window item as (partition by kind, code, key, is_after)
    ), since as (
      select *,
        max(seq) filter (where not is_own) over (partition by kind, code) as code_since,
        max(seq) filter (where not is_own and key is null) over (partition by kind, code) as row_since,
        max(seq) filter (where not is_own) over (partition by kind, code, key) as key_since,
        max(seq) filter (where not is_own and kind = 'asset') over (partition by asset_id) as asset_since
      from (
        select * from own_item
        union all
        select false, kind, seq, action, code, key, null, asset_id from restored where is_restored is not true
      ) i
    )
    select kind, seq, action, code, key, was, asset_id, ${overwrites}::boolean or seq > greatest(
      key_since, row_since, case when key is null then code_since end, case when asset_id is not null then asset_since end, 0
    ) as is_undone
    from since where is_own`
}

/** A query for the items that later requests changed. */
export const changedSince = (items: Sql): Sql =>
  sql`select kind, code, key, 'changed_since' as reason from ${items} where not is_undone`
