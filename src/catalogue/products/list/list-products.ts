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
import { byCode, type PagePart, type ProductPage, planPage } from './product-order.ts'
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
  const { source, keyedSource, where, indexes, table, plan } = selection
  const planned = planPage(order, page, indexes, keyedSource !== undefined)
  const parts = planned.partsOf(await splitOf(catalogue, storeUuid, filter, page, selection, planned))
  const [first, second] = parts
  if (first && !second && table === 'product' && !keyedSource) {
    const listed = sql`select ${columns}, ${rowsOf(first, source, allOf([where, ...first.where]), page)}`
    return allRead((await sql<ListedProduct>`${plan}${measured(listed)}`.execute(catalogue.db)).rows)
  }
  // The codes first, then the products. The second part is not read if the first one fills the page.
  const isNeeded = sql<boolean>`(select count(*) from part_0) < ${page.limit}`
  const lists = parts.map((part, i) => {
    const from = part.isWithoutValue ? source : (keyedSource ?? source)
    const rows = rowsOf(part, from, allOf([i > 0 && isNeeded, where, ...part.where]), page)
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
  return allRead(rows)
}

/** The rest of a query for the rows of a part, after their columns. */
function rowsOf({ by, text }: PagePart, source: Sql, where: Sql, { limit }: ProductPage): Sql {
  return sql`${text} as "orderValue", row_number() over (order by ${by}) as nth
      from ${source} where ${where} order by ${by} limit ${limit}`
}

/** The parts of a page in the order of the last change. */
async function splitOf(
  catalogue: Catalogue,
  storeUuid: string,
  { createdAt, updatedAt }: ProductFilter,
  { limit }: ProductPage,
  selection: Selection,
  { byChange, begin }: ReturnType<typeof planPage>,
): Promise<Split | undefined> {
  if (!byChange) return undefined
  if (byChange === 'oldest first') return splitByOldest(catalogue, selection, begin, createdAt, limit)
  // About twice as many as the page has: some may be deleted, or not match the filter.
  return splitByRecent(catalogue, storeUuid, begin?.value ?? null, 2 * limit, updatedAt?.from)
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
  const { source, where, plan } = selection
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
