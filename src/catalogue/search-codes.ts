import { sql } from 'kysely'
import type { Catalogue } from './catalogue.ts'
import { containing } from './conditions.ts'
import type { ProductFilter } from './products/list/product-filter.ts'

/** Among so many codes, the first ones of the store, a part that so many have is common: products are read in order. */
const probed = 2_000
const common = 40
/** A part is rare if at most so many products have it. */
const mostCodes = 5_000

/** A part without three such characters in a row is in no index. */
const indexed = /[a-z0-9]{3}/i

/**
 * The filter with the codes of the products that it searches for, if they are few among many. Plans are made for any
 * part: which are common must be found out first. At most two statements; none without a search.
 */
export async function withCodes(
  { db }: Catalogue,
  storeUuid: string | null,
  filter: ProductFilter,
): Promise<ProductFilter> {
  const { search, codes, ...others } = filter
  if (search == null || codes != null || !indexed.test(search)) return filter
  const { rows: probes } = await sql<{ isRare: boolean }>`
    select count(*) = ${probed} and count(*) filter (where ${hasPart(search)}) < ${common} as "isRare"
    from (
      select product_code from product where store_uuid = ${storeUuid} order by product_code limit ${probed}
    ) p ${withTexts(storeUuid, true)}`.execute(db)
  if (!probes[0]?.isRare) return filter
  const { rows } = await sql<{ code: string }>`
    select codes_like(${storeUuid}::uuid, ${containing(search)}, ${mostCodes + 1}) as code`.execute(db)
  return rows.length <= mostCodes ? { ...others, codes: rows.map(({ code }) => code) } : filter
}

/**
 * Joins products `p` with the values of their searchable attributes, `x`: those of each product are looked up where few
 * products are read, else PostgreSQL may read those of all.
 */
export function withTexts(storeUuid: string | null, areFew: boolean) {
  if (!areFew) return sql`left join product_text x on x.store_uuid = ${storeUuid} and x.product_code = p.product_code`
  return sql`left join lateral (
      select text from product_text t where t.store_uuid = ${storeUuid} and t.product_code = p.product_code and exists (
        select from attribute_definition d where d.store_uuid = ${storeUuid} and d.searchable)
      offset 0
    ) x on true`
}

/** Whether the code of a product `p`, or a value of it in `x`, has a part. */
export function hasPart(search: string) {
  return sql<boolean>`(p.product_code collate "default" ilike ${containing(search)} or x.text ilike ${containing(search)})`
}
