import { sql } from 'kysely'
import { onlyRow } from '../../../database/only-row.ts'
import { readStep } from '../../../request/context.ts'
import { deleteLocked } from '../../products/delete-products.ts'
import { writeProducts } from '../../products/write-products.ts'
import { changedSince, itemsOf, type Reversal, type RevertStep, skip, skippedColumns } from './restore-items.ts'
import type { SkippedItem } from './skipped-item.ts'

/** Restores attributes and statuses, deletes products that the request created, and creates those that it deleted. */
export const products: RevertStep = {
  kinds: ['product'],
  revert: async (catalogue, reversal) => {
    const { db } = catalogue
    await sql`declare parts no scroll cursor for ${partsOf(reversal)}`.execute(db)
    let count = 0
    let part: Part
    do {
      part = onlyRow((await readStep(() => sql<Part>`fetch 1 from parts`.execute(db))).rows)
      const { skipped, skippedCount, patches, statuses, createdAts, deletes } = part
      if (skipped) skip(reversal, { skipped, skippedCount })
      if (deletes !== null) count += (await deleteLocked(catalogue, reversal.storeUuid, deletes)).deleted.length
      if (patches === null) continue
      // Without names: those of earlier values are kept.
      const writes = { patches, removes: true, statuses, createdAts, updates: true, locks: {} }
      const { created, updated, missing, tooLarge } = await writeProducts(catalogue, reversal.storeUuid, writes)
      count += created.length + updated.length
      const known = new Set(created)
      const gone = missing.filter((code) => !known.has(code))
      const items = [...unwritten(part, gone, 'gone'), ...unwritten(part, tooLarge, 'too_large')]
      for (const item of items) reversal.skipped.add(item)
    } while (!part.isLast)
    await sql`close parts`.execute(db)
    return { products: count }
  },
}

/** Products to write and to delete, and all items that later requests changed. */
interface Part {
  /** Null but in the first part. */
  skipped: SkippedItem[] | null
  skippedCount: number
  /** Texts, as `writeProducts` takes them. */
  patches: string | null
  statuses: string
  createdAts: string
  deletes: string[] | null
  isLast: boolean
}

/** About how many bytes of patches are sent at a time; the last patch of a part may have a few MiB. */
const maxBytes = 12 * 1024 * 1024

/**
 * A query for the parts. The oldest undone item of each code and key counts; of attributes, only those from before the
 * product was created or deleted. A product that exists again loses what the deleted one did not have.
 */
const partsOf = (reversal: Reversal) => sql`
    with own as materialized (${itemsOf(reversal, ['product'])}), first as (
      select distinct on (code, key) code, key, action, was
      from (
        select *, min(seq) filter (where key is null) over (partition by code) as whole_seq from own where is_undone
      ) o
      where seq <= whole_seq or whole_seq is null
      order by code, key, seq
    ), old as (
      select code, bool_or(action = 'created') as is_new, max(was) filter (where action = 'deleted')::jsonb as whole,
        max(was) filter (where key = 'status') as status,
        coalesce(jsonb_object_agg(key, was) filter (where key <> 'status'), '{}') as attributes
      from first group by code
    ), patch as (
      select o.code, coalesce(o.status, o.whole ->> 'status') as status,
        extract(epoch from (o.whole ->> 'createdAt')::timestamptz) as created_at,
        case when not o.is_new
          then coalesce(p.cleared, '{}') || coalesce(o.whole -> 'attributes', '{}') || o.attributes end as patch
      from old o left join lateral (
        select (select jsonb_object_agg(name, null::text) from jsonb_object_keys(attributes) name) as cleared
        from product where store_uuid = ${reversal.storeUuid} and product_code = o.code and o.whole is not null
        offset 0
      ) p on true
    ), part as (
      select part, json_object_agg(code, patch) filter (where patch is not null)::text as patches,
        coalesce(json_object_agg(code, status) filter (where status is not null), '{}')::text as statuses,
        coalesce(json_object_agg(code, created_at) filter (where created_at is not null), '{}')::text as "createdAts",
        json_agg(code) filter (where patch is null) as deletes
      from (
        select *, sum(octet_length(code) + coalesce(octet_length(patch::text), 0)) over (order by code)
          / ${maxBytes}::integer as part
        from patch
      ) p
      group by part
    )
    select skipped, "skippedCount", patches, statuses, "createdAts", deletes, "isLast"
    from (
      select part.*, row_number() over (order by part) = 1 as is_first, lead(part) over (order by part) is null as "isLast"
      from (select) s left join part on true
    ) p left join (select ${skippedColumns(changedSince(sql`own`))}) s on is_first
    order by part`

/** The items of products whose patches were not written. */
function unwritten(
  { patches, statuses }: Part,
  codes: readonly string[],
  reason: SkippedItem['reason'],
): SkippedItem[] {
  if (codes.length === 0) return []
  const attributes: Record<string, object> = JSON.parse(patches ?? '{}')
  const statusOf: Record<string, string> = JSON.parse(statuses)
  return codes.flatMap((code) => {
    const keys = [...Object.keys(attributes[code] ?? {}), ...(Object.hasOwn(statusOf, code) ? ['status'] : [])]
    return keys.map((key) => ({ kind: 'product', code, key, reason }))
  })
}
