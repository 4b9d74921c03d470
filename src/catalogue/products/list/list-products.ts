import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { storeNotFound } from '../../../errors.ts'
import { isStorable } from '../../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../../catalogue.ts'
import { changedLast } from '../../changes/recent-products.ts'
import { allOf, isBare } from '../../conditions.ts'
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
  const { keys, short, indexes } = selection
  const planned = planPage(order, page, indexes, keys !== undefined)
  const { byChange } = planned
  if (byChange === 'newest first') return listByChange(catalogue, filter, page, selection, planned)
  const split = byChange && (await splitByOldest(catalogue, selection, planned.begin, filter.createdAt, page.limit))
  const parts = planned.partsOf(split || undefined)
  if (!keys || short || isBare(filter)) return readParts(catalogue, page, selection, parts)
  const soon = await readParts(catalogue, page, selection, page.backwards ? parts : parts.slice(0, 1), maxKeysRead)
  if (soon.length === page.limit) return soon
  const [valued] = page.backwards ? parts.toReversed() : parts
  if (!(await hasMoreKeys(catalogue, keys, valued))) return readParts(catalogue, page, selection, parts)
  const unordered = { ...selection, orderedSource: undefined, keys: undefined }
  return readParts(catalogue, page, unordered, planPage(order, page, indexes, false).partsOf(undefined))
}

/** A page that so many keys do not fill is read from all products. */
const maxKeysRead = 25_000

async function hasMoreKeys({ db }: Catalogue, keys: Sql, part: PagePart | undefined): Promise<boolean> {
  const { rows } = await sql`
    ${customPlan} select from (${keys}) p where ${allOf(part?.where ?? [])} offset ${maxKeysRead} limit 1`.execute(db)
  return rows.length > 0
}

/** So many of the products that were changed last are read if those of a page or two do not fill it. */
const mostChanged = 5_000

/** A page of the products that were changed last: as far as the ledger tells, of these products only. */
async function listByChange(
  catalogue: Catalogue,
  { updatedAt, ...others }: ProductFilter,
  page: ProductPage,
  selection: Selection,
  { begin, partsOf }: ReturnType<typeof planPage>,
): Promise<ListedProduct[]> {
  const { short, isLookedUp, withSearch, uuid } = selection
  const before = begin?.value ?? updatedAt?.to?.toISOString() ?? null
  // About twice as many as the page has: some may be deleted, or not match the filter.
  const numbers = isBare(others) ? [2 * page.limit] : [2 * page.limit, mostChanged]
  for (const wanted of isLookedUp && (short?.length ?? 0) < mostChanged ? [] : numbers) {
    const last = await changedLast(catalogue, uuid, before, wanted, updatedAt?.from)
    if (!last) break
    const [part] = partsOf(undefined).map((one) => ({ ...one, where: [last.where, ...one.where] }))
    const changed = { ...selection, source: withSearch(sql`product p`) }
    const listed = await readParts(catalogue, page, changed, part ? [part] : [])
    if (listed.length === page.limit || last.isAll) return listed
  }
  return readParts(catalogue, page, selection, partsOf(undefined))
}

/** Reads the parts of a page, from at most so many keys. */
async function readParts(
  catalogue: Catalogue,
  page: ProductPage,
  { source, orderedSource, where, table, plan, uuid }: Selection,
  parts: readonly PagePart[],
  most?: number,
): Promise<ListedProduct[]> {
  const [first, second] = parts
  if (first && !second && table === 'product' && !orderedSource) {
    const listed = sql`select ${columns}, ${rowsOf(first, source, allOf([where, ...first.where]), page)}`
    return allRead((await sql<ListedProduct>`${plan}${measured(listed)}`.execute(catalogue.db)).rows)
  }
  // The codes first, then the products. The second part is not read if the first one fills the page.
  const isNeeded = sql<boolean>`(select count(*) from part_0) < ${page.limit}`
  const lists = parts.map((part, i) => {
    const ordered = part.isWithoutValue ? undefined : orderedSource?.(allOf(part.where), part.by, most)
    const rows = rowsOf(part, ordered ?? source, allOf([i > 0 && isNeeded, where, ...part.where]), page)
    return sql`${sql.ref(`part_${i}`)} as materialized (select p.product_code, ${rows})`
  })
  const listed = parts.map((_, i) => sql`select *, ${i}::integer as part from ${sql.ref(`part_${i}`)}`)
  const { rows } = await sql<ListedProduct>`
    ${customPlan} with ${sql.join(lists)}
    ${measured(sql`
        select ${columns}, l."orderValue", row_number() over (order by l.part, l.nth) as nth
        from (${sql.join(listed, sql` union all `)}) l ${products(uuid)}
        order by l.part, l.nth
        limit ${page.limit}`)}`.execute(catalogue.db)
  return allRead(rows)
}

/** The rest of a query for the rows of a part, after their columns. */
function rowsOf({ by, text }: PagePart, source: Sql, where: Sql, { limit }: ProductPage): Sql {
  return sql`${text} as "orderValue", row_number() over (order by ${by}) as nth
      from ${source} where ${where} order by ${by} limit ${limit}`
}

/** Joins the products `p` of the codes of `l`. */
function products(uuid: string | null) {
  return sql`cross join lateral (
      select * from product where store_uuid = ${uuid} and product_code = l.product_code
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
        ) l ${products(uuid)}`)}
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
