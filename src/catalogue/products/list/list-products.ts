import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { storeNotFound } from '../../../errors.ts'
import { isStorable } from '../../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../../catalogue.ts'
import { findRecentProducts, mayBeEarlier, splitByRecent } from '../../changes/recent-products.ts'
import { allOf, isBare, type KeysetPage } from '../../conditions.ts'
import { totalOf } from '../product-totals.ts'
import { areSufficient } from './code-lists.ts'
import { countOfLists } from './count-lists.ts'
import { countByValues } from './count-values.ts'
import { allRead, columns, type ListedProduct, measured, type Product } from './measured-products.ts'
import { splitByOldest } from './oldest-products.ts'
import type { ProductFilter } from './product-filter.ts'
import { byCode, sortOf } from './product-order.ts'
import { type Selection, selectionOf } from './selection.ts'

type Condition = RawBuilder<boolean>

/** A page of a store's products. Throws `invalid_request` for attributes that cannot be used so. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: KeysetPage & { orAt?: { after: boolean; before: boolean } },
  order = byCode,
): Promise<ListedProduct[]> {
  const selection = await selectionOf(catalogue, storeUuid, filter, order)
  const { source, keyedSource, ofStore, indexes, table, list } = selection
  const sort = sortOf(order, indexes, keyedSource !== undefined)
  const begin = sort.beginOf(page)
  const byChange = sort.isByChange(page)
  // About twice as many as the page has: some may be deleted, or not match the filter.
  const recent =
    byChange === 'newest first'
      ? await findRecentProducts(catalogue, storeUuid, begin?.value ?? null, 2 * page.limit)
      : undefined
  const split =
    byChange === 'oldest first'
      ? await splitByOldest(catalogue, selection, begin, filter.createdAt, page.limit)
      : recent && splitByRecent(recent)
  const [first, second] = sort.partsOf(page, page.orAt, split)
  const listed = (part: NonNullable<typeof first>, further: Condition | false = false) => {
    const { where, by, text, isWithoutValue } = part
    return sql`
      select p.product_code, ${text} as "orderValue", row_number() over (order by ${by}) as nth
      from ${isWithoutValue ? source : (keyedSource ?? source)} where ${allOf([further, ofStore, ...where])}
      order by ${by}
      limit ${page.limit}`
  }
  if (!first) return []
  if (!second && table === 'product' && !keyedSource) {
    const listed = sql`
        select ${columns}, ${first.text} as "orderValue", row_number() over (order by ${first.by}) as nth
        from ${source}
        where ${allOf([ofStore, ...first.where])}
        order by ${first.by}
        limit ${page.limit}`
    const plan = list ? sql`${customPlan} ` : unlessPlain(filter, order)
    return allRead((await sql<ListedProduct>`${plan}${measured(listed)}`.execute(catalogue.db)).rows)
  }
  // The codes first, then the products. The second part is not read if the first one fills the page.
  const further = allOf([
    sql<boolean>`(select count(*) from first_part) < ${page.limit}`,
    recent !== undefined && filter.updatedAt?.from != null && mayBeEarlier(filter.updatedAt.from, recent),
  ])
  const { rows } = await sql<ListedProduct>`
    ${customPlan} with first_part as materialized (${listed(first)}
    ), second_part as materialized (${second ? listed(second, further) : sql`select * from first_part where false`}
    )${measured(sql`
        select ${columns}, l."orderValue", row_number() over (order by l.part, l.nth) as nth
        from (
          select *, 1 as part from first_part union all select *, 2 from second_part
        ) l ${products(catalogue, storeUuid)}
        order by l.part, l.nth
        limit ${page.limit}`)}`.execute(catalogue.db)
  return allRead(rows)
}

/** Joins the products `p` of the codes of `l`. */
function products(catalogue: Catalogue, storeUuid: string) {
  return sql`cross join lateral (
      select * from product where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = l.product_code
      offset 0
    ) p`
}

/** The marker of a custom plan, unless the filter has one of a few forms: those statements are prepared. */
export function unlessPlain(filter: ProductFilter, order = byCode): RawBuilder<unknown> {
  const { status, codePrefix, codes, search, ...others } = filter
  return order.field === 'code' && isBare(others) ? sql`` : sql`${customPlan} `
}

/** A page by offset, with the exact number of matches: up to three statements. Throws `store_not_found`. */
export async function pageProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  { offset, limit }: { offset: number; limit: number },
) {
  const uuid = requireVisible(catalogue, storeUuid)
  const selection = await selectionOf(catalogue, uuid, filter)
  const { source, ofStore } = selection
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    ${unlessPlain(filter)}select counted.total, page.*
    from store s cross join lateral (
      select ${countOf(uuid, filter, selection)} as total
    ) counted left join lateral (${measured(sql`
        select ${columns}, null as "orderValue", row_number() over (order by l.product_code) as nth
        from (
          select p.product_code from ${source} where ${ofStore} order by p.product_code offset ${offset} limit ${limit}
        ) l ${products(catalogue, uuid)}`)}
    ) page on true
    where s.store_uuid = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  const found = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products: allRead(found) }
}

export async function countProducts(catalogue: Catalogue, storeUuid: string, filter: ProductFilter): Promise<number> {
  const counted = await countByValues(catalogue, storeUuid, filter)
  if (counted !== undefined) return counted
  const uuid = visibleStore(catalogue, storeUuid)
  const { status, ...others } = filter
  const count = isBare(others)
    ? totalOf(uuid, status)
    : countOf(uuid, filter, await selectionOf(catalogue, storeUuid, filter))
  const { rows } = await sql<{ count: number }>`${unlessPlain(filter)}select ${count} as count`.execute(catalogue.db)
  return rows[0]?.count ?? 0
}

/** The number of products that match: from the totals for a filter by status alone, or by long lists. */
function countOf(
  uuid: string | null,
  filter: ProductFilter,
  { source, ofStore, lists, list }: Pick<Selection, 'source' | 'ofStore' | 'lists' | 'list'>,
) {
  const { status, ...others } = filter
  if (isBare(others)) return totalOf(uuid, status)
  if (list || !areSufficient(filter, lists)) return sql<number>`(select count(*)::int from ${source} where ${ofStore})`
  return countOfLists(uuid, lists)
}

export async function findProducts(
  catalogue: Catalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<Product[]> {
  const found = sql`
        select ${columns}, null as "orderValue", row_number() over () as nth from product p
        where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = any(${codes.filter(isStorable)}::text[])`
  return allRead((await sql<Product>`${measured(found)}`.execute(catalogue.db)).rows)
}
