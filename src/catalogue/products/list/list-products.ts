import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { storeNotFound } from '../../../errors.ts'
import { isStorable } from '../../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../../catalogue.ts'
import { splitByRecent } from '../../changes/recent-products.ts'
import { allOf, type Split } from '../../conditions.ts'
import { countOf } from './count-products.ts'
import { allRead, columns, type ListedProduct, measured, type Product } from './measured-products.ts'
import { splitByOldest } from './oldest-products.ts'
import type { ProductFilter } from './product-filter.ts'
import { byCode, type PagePart, type ProductOrder, type ProductPage, planPage } from './product-order.ts'
import { type Selection, selectionOf } from './selection.ts'

type Sql = RawBuilder<unknown>

/** A page of a store's products. Throws `invalid_request` for attributes that cannot be used so. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: ProductPage,
  order = byCode,
): Promise<ListedProduct[]> {
  const selection = await selectionOf(catalogue, storeUuid, filter, order)
  const request: PageRequest = { storeUuid, filter, page, order }
  const { listed, mayBeMore } = await readPage(catalogue, request, selection, true)
  if (listed.length === page.limit || !mayBeMore) return listed
  const all = { ...selection, orderedSource: undefined, hasKeys: false }
  return (await readPage(catalogue, request, all, false)).listed
}

interface PageRequest {
  storeUuid: string
  filter: ProductFilter
  page: ProductPage
  order: ProductOrder
}

/**
 * Reads a page. `isQuick`: only of those products that come first in its order, as far as they are soon found;
 * `mayBeMore` says that others may match.
 */
async function readPage(catalogue: Catalogue, request: PageRequest, selection: Selection, isQuick: boolean) {
  const { storeUuid, page, order } = request
  const { orderedSource, hasKeys, where, indexes, table, plan } = selection
  const planned = planPage(order, page, indexes, hasKeys)
  const split = await splitOf(catalogue, request, selection, planned, isQuick)
  // What the ledger says was changed last is found by codes.
  const source = split ? selection.sourceOf(sql`product p`) : selection.source
  const isFirst = isQuick && (selection.isCut || (split !== undefined && planned.byChange === 'newest first'))
  const parts = isFirst ? planned.partsOf(split).slice(0, 1) : planned.partsOf(split)
  const [first, second] = parts
  if (first && !second && table === 'product' && !orderedSource) {
    const listed = sql`select ${columns}, ${rowsOf(first, source, allOf([where, ...first.where]), page)}`
    const { rows } = await sql<ListedProduct>`${plan}${measured(listed)}`.execute(catalogue.db)
    return { listed: allRead(rows), mayBeMore: isFirst }
  }
  // The codes first, then the products. The second part is not read if the first one fills the page.
  const isNeeded = sql<boolean>`(select count(*) from part_0) < ${page.limit}`
  const lists = parts.map((part, i) => {
    const ordered = part.isWithoutValue ? undefined : orderedSource?.(allOf(part.where), part.by)
    const rows = rowsOf(part, ordered ?? source, allOf([i > 0 && isNeeded, where, ...part.where]), page)
    return sql`${sql.ref(`part_${i}`)} as materialized (select p.product_code, ${rows})`
  })
  const listed = parts.map((_, i) => sql`select *, ${i}::integer as part from ${sql.ref(`part_${i}`)}`)
  const { rows } = await sql<ListedProduct>`
    ${customPlan} with ${sql.join(lists)}
    ${measured(sql`
        select ${columns}, l."orderValue", row_number() over (order by l.part, l.nth) as nth
        from (${sql.join(listed, sql` union all `)}) l ${products(catalogue, storeUuid)}
        order by l.part, l.nth
        limit ${page.limit}`)}`.execute(catalogue.db)
  return { listed: allRead(rows), mayBeMore: isFirst }
}

/** The rest of a query for the rows of a part, after their columns. */
function rowsOf({ by, text }: PagePart, source: Sql, where: Sql, { limit }: ProductPage): Sql {
  return sql`${text} as "orderValue", row_number() over (order by ${by}) as nth
      from ${source} where ${where} order by ${by} limit ${limit}`
}

/** So few products are looked up as soon as the ledger is asked which ones were changed last. */
const fewLookedUp = 500
/** How many products that were changed last are read if those of a page or two do not fill it. */
const mostChanged = 5_000

/** The parts of a page in the order of the last change. */
async function splitOf(
  catalogue: Catalogue,
  { storeUuid, filter: { createdAt, updatedAt }, page: { limit } }: PageRequest,
  selection: Selection,
  { byChange, begin }: ReturnType<typeof planPage>,
  isQuick: boolean,
): Promise<Split | undefined> {
  if (!byChange) return undefined
  if (byChange === 'oldest first') return splitByOldest(catalogue, selection, begin, createdAt, limit)
  if (selection.lookedUp < (isQuick ? fewLookedUp : Number.POSITIVE_INFINITY)) return undefined
  const before = begin?.value ?? updatedAt?.to?.toISOString() ?? null
  // About twice as many as the page has: some may be deleted, or not match the filter.
  return splitByRecent(catalogue, storeUuid, before, isQuick ? 2 * limit : mostChanged, updatedAt?.from)
}

/** Joins the products `p` of the codes of `l`. */
function products(catalogue: Catalogue, storeUuid: string) {
  return sql`cross join lateral (
      select * from product where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = l.product_code
      offset 0
    ) p`
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
  const { orderedSource, where, plan } = selection
  const source = orderedSource?.(sql`true`, sql`p.product_code`) ?? selection.source
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    ${plan}select counted.total, page.*
    from store s cross join lateral (
      select ${await countOf(catalogue, filter, selection)} as total
    ) counted left join lateral (${measured(sql`
        select ${columns}, null as "orderValue", row_number() over (order by l.product_code) as nth
        from (
          select p.product_code from ${source} where ${where} order by p.product_code offset ${offset} limit ${limit}
        ) l ${products(catalogue, uuid)}`)}
    ) page on true
    where s.store_uuid = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  const found = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products: allRead(found) }
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
