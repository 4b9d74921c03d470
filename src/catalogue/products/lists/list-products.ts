import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { onlyRow } from '../../../database/only-row.ts'
import type { Catalogue } from '../../catalogue.ts'
import { changedLast } from '../../changes/recent-products.ts'
import { allOf, isBare, type Sql } from '../../conditions.ts'
import { type ListedProduct, requireAllRead, selectedProduct, withinReadLimit } from '../find-products.ts'
import { type Compiled, compile } from '../query/compile.ts'
import { compileNarrowed, narrowByIndex } from '../query/narrow.ts'
import { boundsOf, byCode, type PageSegment, type ProductOrder, type ProductPage, planPage } from '../query/order.ts'
import { attributesOf, type ProductFilter } from '../query/product-filter.ts'
import { isPrepared, readSource, type Source, type SourceState, selectedState } from '../query/source.ts'

/** Products of a list, and the time of which they are: of later changes, some may be in it. */
export interface ProductList {
  rows: ListedProduct[]
  asOf: Date
}

/** A page of a store's products. Throws `invalid_request` for attributes that cannot be used so. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: ProductPage,
  order = byCode,
): Promise<ProductList> {
  const isNewestFirst = order.field === 'updatedAt' && (order.direction === 'desc') !== page.backwards
  if (isNewestFirst && attributesOf(filter).length === 0) {
    const recent = await readSource(catalogue, storeUuid, { filter, order, isExact: true }, (source) =>
      listByChange(catalogue, source, filter, page, order),
    )
    if (recent) return recent
  }
  return readSource(catalogue, storeUuid, { filter, order }, async (source) => {
    const compiled = await compileNarrowed(catalogue, source, filter)
    return readPage(catalogue, source, compiled, page, order, isPrepared(source, filter, order))
  })
}

/** The largest number of products changed last that are read to fill a page. */
const maxChanged = 5_000

/** A page of the products that were changed last; null if the ledger does not have them all. */
async function listByChange(
  catalogue: Catalogue,
  source: Source,
  filter: ProductFilter,
  page: ProductPage,
  order: ProductOrder,
): Promise<ProductList | null | undefined> {
  const { updatedAt, ...others } = filter
  const { where } = compile(source, filter)
  const { begin, end } = boundsOf(order, page)
  const before = begin?.toString() ?? updatedAt?.to ?? null
  const from = end?.toString() ?? updatedAt?.from
  // About twice as many as the page has: some may be deleted, or not match the filter.
  for (const wanted of isBare(others) ? [2 * page.limit] : [2 * page.limit, maxChanged]) {
    const last = await changedLast(catalogue, source.uuid, before, wanted, from)
    if (!last) return null
    const listed = await readPage(catalogue, source, { where: allOf([last.where, where]), indexed: [] }, page, order)
    if (!listed) return undefined
    const asOf = last.asOf < listed.asOf ? last.asOf : listed.asOf
    if (listed.rows.length === page.limit || last.isAll) return { ...listed, asOf }
  }
  return null
}

async function readPage(
  catalogue: Catalogue,
  source: Source,
  compiled: Compiled,
  page: ProductPage,
  order: ProductOrder,
  isPrepared = false,
): Promise<ProductList | undefined> {
  const segments = planPage(source, order, page)
  const { from, few, isWhole } = await narrowByIndex(catalogue, source, compiled)
  const state = selectedState(source, isWhole)
  const [segment] = segments
  if (source.table === 'product' && segment && segments.length === 1) {
    const listed = sql`select ${selectedProduct}, ${rowsOf(segment, from, compiled.where, page)}`
    return readRows(catalogue, isPrepared ? sql`` : customPlan, state, listed)
  }
  const lists = segments.map((segment, i) => {
    // A segment is not read if those before it fill the page.
    const before = sql.join(
      segments.slice(0, i).map((_, j) => sql`(select count(*) from ${sql.ref(`segment_${j}`)})`),
      sql` + `,
    )
    const isNeeded = i > 0 && sql<boolean>`${before} < ${page.limit}`
    const rows = rowsOf(segment, from, allOf([isNeeded, compiled.where]), page)
    return sql`${sql.ref(`segment_${i}`)} as materialized (select p.product_code, ${rows})`
  })
  const listed = segments.map((_, i) => sql`select *, ${i}::integer as segment from ${sql.ref(`segment_${i}`)}`)
  return readRows(
    catalogue,
    sql`${customPlan} with ${sql.join(few ? [few, ...lists] : lists)}`,
    state,
    sql`
        select ${source.uuid}::uuid as "storeUuid", l.product_code as "productCode", p.status,
          coalesce(p.attributes, '{}') as attributes, p.created_at as "createdAt", p.updated_at as "updatedAt",
          l."orderValue", row_number() over (order by l.segment, l.nth) as nth
        from (${sql.join(listed, sql` union all `)}) l left join lateral (
          select * from product where store_uuid = ${source.uuid} and product_code = l.product_code
          offset 0
        ) p on true
        order by l.segment, l.nth
        limit ${page.limit}`,
  )
}

/** SQL: `orderValue` and `nth` as the last columns of the rows of a segment, and the clauses from FROM to LIMIT. */
function rowsOf(
  { where, by, value }: PageSegment,
  from: Sql,
  matches: RawBuilder<boolean>,
  { limit }: ProductPage,
): Sql {
  return sql`${value} as "orderValue", row_number() over (order by ${by}) as nth
      from ${from} where ${allOf([matches, ...where])} order by ${by} limit ${limit}`
}

/** Undefined if the source is outdated. */
async function readRows({ db }: Catalogue, begin: Sql, state: Sql, listed: Sql): Promise<ProductList | undefined> {
  // A join of one row keeps the order.
  const { rows } = await sql<SourceState & (ListedProduct | { productCode: null })>`
    ${begin} select s.*, page.* from (select ${state}) s left join (${withinReadLimit(listed)}) page on true`.execute(
    db,
  )
  const { asOf, isCurrent } = onlyRow(rows)
  if (!isCurrent) return undefined
  const found = rows.flatMap(({ asOf: _, isCurrent: __, ...row }) => (row.productCode === null ? [] : [row]))
  return { rows: requireAllRead(found.map((row) => (row.status === null ? { ...row, isDeleted: true } : row))), asOf }
}
