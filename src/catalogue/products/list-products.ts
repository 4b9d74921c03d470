import { type RawBuilder, sql } from 'kysely'
import { storeNotFound } from '../../errors.ts'
import { currentReadLimit } from '../../request/context.ts'
import { isStorable } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../catalogue.ts'
import { allOf, type KeysetPage } from '../conditions.ts'
import type { ProductStatus } from '../enumerations.ts'
import { withCodes } from '../search-codes.ts'
import { findTypes, requireBounds } from './attribute-types.ts'
import { matching } from './matching-products.ts'
import { attributesOf, type ProductFilter } from './product-filter.ts'
import { byCode, type ProductOrder, sortOf } from './product-order.ts'
import { totalOf } from './product-totals.ts'

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

const columns = sql`store_uuid as "storeUuid", product_code as "productCode", status, attributes,
        created_at as "createdAt", updated_at as "updatedAt"`

/** A page of a store's products. Throws `invalid_request` for attributes that cannot be used so. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: KeysetPage & { orAt?: { after: boolean; before: boolean } },
  order = byCode,
): Promise<ListedProduct[]> {
  const { after, before, limit, orAt } = page
  const { ofStore, types } = await selectionOf(catalogue, storeUuid, filter, order)
  const sort = sortOf(order, types)
  const { rows } = await sql<ListedProduct>`
    ${unlessPlain(filter, order)}select ${columns}, ${sort.text} as "orderValue" from product p
    where ${allOf([
      ofStore,
      after !== undefined && sort.beyond(after, 'after', orAt?.after),
      before !== undefined && sort.beyond(before, 'before', orAt?.before),
    ])}
    order by ${sort.by(page)}
    limit ${limit}`.execute(catalogue.db)
  return rows
}

/** The condition of a filter on the products of a store, and the types that it and the order need. */
export async function selectionOf(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  { attribute }: ProductOrder = byCode,
  further: readonly { name: string; field: string }[] = [],
) {
  const attributes = attributesOf(filter)
  const named = attributes.map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` }))
  const ordered = attribute == null ? [] : [{ name: attribute, field: 'orderBy.attribute' }]
  const types = await findTypes(catalogue, storeUuid, [...named, ...ordered, ...further])
  requireBounds(attributes, types)
  const uuid = visibleStore(catalogue, storeUuid)
  const found = await withCodes(catalogue, uuid, filter)
  return { ofStore: sql<boolean>`p.store_uuid = ${uuid} and ${matching(uuid, found, types)}`, types }
}

/** Begins a statement that is not prepared: connections keep a few hundred, and filters may have any form. */
export function unlessPlain(filter: ProductFilter, order = byCode): RawBuilder<unknown> {
  const { status, codePrefix, codes, search, ...others } = filter
  const isPlain = order.field === 'code' && Object.values(others).every((condition) => condition == null)
  return isPlain ? sql`` : sql`/* any filter */ `
}

/** A page by offset, with the exact number of those that match: one statement, up to three with a search. Throws `store_not_found`. */
export async function pageProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  { offset, limit }: { offset: number; limit: number },
) {
  const uuid = requireVisible(catalogue, storeUuid)
  const { ofStore } = await selectionOf(catalogue, uuid, filter)
  const readLimit = currentReadLimit()
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    ${unlessPlain(filter)}select counted.total, page.*
    from store s cross join lateral (
      select ${countOf(uuid, filter, ofStore)} as total
    ) counted left join lateral (
      select "storeUuid", "productCode", status, "createdAt", "updatedAt",
        case when sum(pg_column_size(attributes)) over () <= ${readLimit.left} then attributes end as attributes
      from (
        select ${columns} from product p
        where ${ofStore} and product_code >= (
            select product_code from product p where ${ofStore} order by product_code offset ${offset} limit 1
          )
        order by product_code
        limit ${limit}
      ) listed
    ) page on true
    where s.store_uuid = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  // Compressed attributes may be longer than their size says: then the connection's limit holds.
  if (first.productCode !== null && first.attributes === null) throw readLimit.exceed()
  const products = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products }
}

export async function countProducts(catalogue: Catalogue, storeUuid: string, filter: ProductFilter): Promise<number> {
  const { ofStore } = await selectionOf(catalogue, storeUuid, filter)
  const { rows } = await sql<{ count: number }>`
    ${unlessPlain(filter)}select ${countOf(visibleStore(catalogue, storeUuid), filter, ofStore)} as count`.execute(
    catalogue.db,
  )
  return rows[0]?.count ?? 0
}

/** The number of products that match: a filter by status alone needs no count. */
function countOf(uuid: string | null, { status, ...others }: ProductFilter, ofStore: RawBuilder<boolean>) {
  const isTotal = Object.values(others).every((condition) => condition == null)
  return isTotal ? totalOf(uuid, status) : sql<number>`(select count(*)::int from product p where ${ofStore})`
}

export async function findProducts(
  catalogue: Catalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<Product[]> {
  const { rows } = await sql<Product>`
    select ${columns} from product
    where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = any(${codes.filter(isStorable)}::text[])`.execute(
    catalogue.db,
  )
  return rows
}
