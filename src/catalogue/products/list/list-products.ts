import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { storeNotFound } from '../../../errors.ts'
import { currentReadLimit } from '../../../request/context.ts'
import { isStorable } from '../../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../../catalogue.ts'
import { isEarlier } from '../../changes/recent-products.ts'
import { allOf, isBare, type KeysetPage } from '../../conditions.ts'
import type { ProductStatus } from '../../enumerations.ts'
import { withCodes, withTexts } from '../../search-codes.ts'
import { totalOf } from '../product-totals.ts'
import { type AttributeTypes, findTypes, requireBounds, requireOrdered } from './attribute-types.ts'
import { countByValues } from './count-values.ts'
import { matching } from './matching-products.ts'
import { attributesOf, type ProductFilter, partsOf } from './product-filter.ts'
import { byCode, needsProduct, type ProductOrder, sortOf } from './product-order.ts'

type Condition = RawBuilder<boolean>

export interface Product {
  storeUuid: string
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  createdAt: Date
  updatedAt: Date
}

/** A product of a list: `orderValue` is what orders it, if that is not the code. */
export type ListedProduct = Product & { orderValue: string | null }

const columns = sql`p.store_uuid as "storeUuid", p.product_code as "productCode", p.status, p.attributes,
        p.created_at as "createdAt", p.updated_at as "updatedAt"`

/** A page of a store's products. Throws `invalid_request` for attributes that cannot be used so. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: KeysetPage & { orAt?: { after: boolean; before: boolean } },
  order = byCode,
): Promise<ListedProduct[]> {
  const { source, ofStore, types } = await selectionOf(catalogue, storeUuid, filter, order)
  const sort = sortOf(order, types)
  const [first, second] = sort.partsOf(page, page.orAt)
  const listed = ({ where, by }: NonNullable<typeof first>, further: Condition | false = false) => sql`
      select p.product_code, ${sort.text} as "orderValue", row_number() over (order by ${by}) as nth
      from ${source} where ${allOf([further, ofStore, ...where])}
      order by ${by} limit ${page.limit}`
  if (!first) return []
  if (!second && !isIndexed(types)) {
    const { rows } = await sql<ListedProduct>`
    ${unlessPlain(filter, order)}select ${columns}, ${sort.text} as "orderValue" from ${source}
    where ${allOf([ofStore, ...first.where])}
    order by ${first.by}
    limit ${page.limit}`.execute(catalogue.db)
    return rows
  }
  // The codes first, then the products. The second part is not read if the first one fills the page.
  const recent = sort.recent(visibleStore(catalogue, storeUuid), page)
  const further = allOf([
    sql<boolean>`(select count(*) from first_part) < ${page.limit}`,
    recent !== undefined && filter.updatedAt?.from != null && isEarlier(filter.updatedAt.from),
  ])
  const { rows } = await sql<ListedProduct>`
    ${customPlan} with ${recent ?? sql``}first_part as materialized (${listed(first)}
    ), second_part as materialized (${second ? listed(second, further) : sql`select * from first_part where false`}
    )
    select ${columns}, l."orderValue"
    from (
      select *, 1 as part from first_part union all select *, 2 from second_part
    ) l ${products(catalogue, storeUuid)}
    order by l.part, l.nth
    limit ${page.limit}`.execute(catalogue.db)
  return rows
}

/** Joins the products `p` of the codes of `l`. */
function products(catalogue: Catalogue, storeUuid: string) {
  return sql`cross join lateral (
      select * from product where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = l.product_code
      offset 0
    ) p`
}

/**
 * Where the products `p` of a filter are read, the condition on them, and what is known of the attributes. `order`: of
 * the page to read; none if all that match are.
 */
export async function selectionOf(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  order?: ProductOrder,
  further: readonly { name: string; field: string }[] = [],
) {
  const attributes = attributesOf(filter)
  const named = attributes.map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` }))
  const ordered = order?.attribute == null ? [] : [{ name: order.attribute, field: 'orderBy.attribute' }]
  const used = [...named, ...ordered, ...further]
  const types = await findTypes(catalogue, storeUuid, used)
  requireBounds(attributes, types)
  requireOrdered(order?.attribute, types)
  const uuid = visibleStore(catalogue, storeUuid)
  const found = await withCodes(catalogue, uuid, filter)
  const isLean = used.every(({ name }) => types.get(name)?.slot) && !needsProduct(filter, order ?? byCode)
  const products = isIndexed(types) ? indexed(uuid, isLean) : sql`product p`
  const isSearched = partsOf(found).some((part) => part.filter.search != null)
  const source = isSearched ? sql`${products} ${withTexts(uuid, order !== undefined)}` : products
  return { source, ofStore: sql<boolean>`p.store_uuid = ${uuid} and ${matching(uuid, found, types)}`, types }
}

/** Whether any of the attributes is read from `product_value`. */
function isIndexed(types: AttributeTypes): boolean {
  return [...types.values()].some(({ slot }) => slot !== null)
}

/** The rows of `product_value`, joined with the products unless what they hold suffices. */
function indexed(uuid: string | null, isLean: boolean): RawBuilder<unknown> {
  return isLean
    ? sql`product_value p`
    : sql`(
        select v.*, r.attributes, r.created_at, r.updated_at
        from product_value v join product r on r.store_uuid = ${uuid} and r.product_code = v.product_code
        where v.store_uuid = ${uuid}
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
  const { source, ofStore } = await selectionOf(catalogue, uuid, filter)
  const readLimit = currentReadLimit()
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    ${unlessPlain(filter)}select counted.total, page.*
    from store s cross join lateral (
      select ${countOf(uuid, filter, source, ofStore)} as total
    ) counted left join lateral (
      select "storeUuid", "productCode", status, "createdAt", "updatedAt",
        case when sum(pg_column_size(attributes)) over () <= ${readLimit.left} then attributes end as attributes
      from (
        select ${columns}
        from (
          select p.product_code from ${source} where ${ofStore} order by p.product_code offset ${offset} limit ${limit}
        ) l ${products(catalogue, uuid)}
      ) listed
    ) page on true
    where s.store_uuid = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  // Compressed attributes may be longer than their size says: then the connection's limit holds.
  if (first.productCode !== null && first.attributes === null) throw readLimit.exceed()
  const found = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products: found }
}

export async function countProducts(catalogue: Catalogue, storeUuid: string, filter: ProductFilter): Promise<number> {
  const { source, ofStore, types } = await selectionOf(catalogue, storeUuid, filter)
  const counted = await countByValues(catalogue, storeUuid, filter, types)
  if (counted !== undefined) return counted
  const { rows } = await sql<{ count: number }>`
    ${unlessPlain(filter)}select ${countOf(visibleStore(catalogue, storeUuid), filter, source, ofStore)} as count`.execute(
    catalogue.db,
  )
  return rows[0]?.count ?? 0
}

/** The number of products that match: a filter by status alone needs no count. */
function countOf(
  uuid: string | null,
  { status, ...others }: ProductFilter,
  source: RawBuilder<unknown>,
  ofStore: Condition,
) {
  return isBare(others) ? totalOf(uuid, status) : sql<number>`(select count(*)::int from ${source} where ${ofStore})`
}

export async function findProducts(
  catalogue: Catalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<Product[]> {
  const { rows } = await sql<Product>`
    select ${columns} from product p
    where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = any(${codes.filter(isStorable)}::text[])`.execute(
    catalogue.db,
  )
  return rows
}
