import { sql } from 'kysely'
import { storeNotFound } from '../../errors.ts'
import { isStorable } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../catalogue.ts'
import { allOf, containing, type KeysetPage, within } from '../conditions.ts'
import type { ProductStatus } from '../enumerations.ts'

export interface Product {
  storeUuid: string
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  createdAt: Date
  updatedAt: Date
}

/** All given conditions must hold. `search`: part of the product code, case-insensitive. */
export interface ProductFilter {
  status?: readonly ProductStatus[] | null | undefined
  codePrefix?: string | null | undefined
  codes?: readonly string[] | null | undefined
  search?: string | null | undefined
}

const columns = sql`store_uuid as "storeUuid", product_code as "productCode", status, attributes,
        created_at as "createdAt", updated_at as "updatedAt"`

/** A page of a store's products in the order of their codes. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: KeysetPage,
): Promise<Product[]> {
  const direction = page.backwards ? sql`desc` : sql`asc`
  const { rows } = await sql<Product>`
    select ${columns} from product
    where store_uuid = ${visibleStore(catalogue, storeUuid)} and ${allOf([matching(filter), ...within(page, 'product_code')])}
    order by product_code ${direction}
    limit ${page.limit}`.execute(catalogue.db)
  return rows
}

/** A page by offset, with the exact number of those that match: one statement. Throws `store_not_found`. */
export async function pageProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  { offset, limit }: { offset: number; limit: number },
) {
  const uuid = requireVisible(catalogue, storeUuid)
  const ofStore = sql`store_uuid = ${uuid} and ${matching(filter)}`
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    select counted.total, page.*
    from store s cross join lateral (
      select count(*)::int as total from product where ${ofStore}
    ) counted left join lateral (
      select ${columns} from product
      where ${ofStore} and product_code >= (
          select product_code from product where ${ofStore} order by product_code offset ${offset} limit 1
        )
      order by product_code
      limit ${limit}
    ) page on true
    where s.store_uuid = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  const products = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products }
}

export async function countProducts(catalogue: Catalogue, storeUuid: string, filter: ProductFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from product
    where store_uuid = ${visibleStore(catalogue, storeUuid)} and ${matching(filter)}`.execute(catalogue.db)
  return rows[0]?.count ?? 0
}

export async function countStatuses(
  catalogue: Catalogue,
  storeUuid: string,
): Promise<{ status: ProductStatus; count: number }[]> {
  const { rows } = await sql<{ status: ProductStatus; count: number }>`
    select status, count(*)::int as count from product where store_uuid = ${visibleStore(catalogue, storeUuid)}
    group by status
    order by status`.execute(catalogue.db)
  return rows
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

/** Added to a prefix, it sorts after every code with that prefix. */
const beyondAll = '\u{10ffff}'.repeat(255)

function matching(filter: ProductFilter) {
  return allOf([
    filter.status != null && sql<boolean>`status = any(${[...filter.status]}::text[])`,
    filter.codes != null && sql<boolean>`product_code = any(${filter.codes.filter(isStorable)}::text[])`,
    filter.codePrefix != null && sql<boolean>`product_code >= ${filter.codePrefix}`,
    filter.codePrefix != null && sql<boolean>`product_code <= ${filter.codePrefix + beyondAll}`,
    filter.search != null && sql<boolean>`product_code collate "default" ilike ${containing(filter.search)}`,
  ])
}
