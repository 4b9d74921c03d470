import { sql } from 'kysely'
import { storeNotFound } from '../../errors.ts'
import { isStorable } from '../../text.ts'
import { type Catalogue, requireVisible, visibleKeys, visibleStores } from '../catalogue.ts'
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

export interface ProductKey {
  storeUuid: string
  productCode: string
}

const columns = sql`store_uuid as "storeUuid", product_code as "productCode", status, attributes,
        created_at as "createdAt", updated_at as "updatedAt"`

/** A page of each store's products in the order of their codes, by store. One statement for all stores. */
export async function listProducts(
  catalogue: Catalogue,
  storeUuids: readonly string[],
  filter: ProductFilter,
  page: KeysetPage,
): Promise<Map<string, Product[]>> {
  const direction = page.backwards ? sql`desc` : sql`asc`
  const { rows } = await sql<Product>`
    select p.* from unnest(${visibleStores(catalogue, storeUuids)}::uuid[]) as s(store) cross join lateral (
      select ${columns} from product
      where store_uuid = s.store and ${allOf([matching(filter), ...within(page, 'product_code')])}
      order by product_code ${direction}
      limit ${page.limit}
    ) p
    order by s.store, p."productCode" ${direction}`.execute(catalogue.db)
  return Map.groupBy(rows, (product) => product.storeUuid)
}

/** A page by offset, with the exact number of those that match: one statement. Throws `store_not_found`. */
export async function pageProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  { offset, limit }: { offset: number; limit: number },
) {
  const uuid = requireVisible(catalogue, storeUuid)
  const ofStore = sql`store_uuid = s.store and ${matching(filter)}`
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    select counted.total, page.*
    from (select store_uuid as store from store) s cross join lateral (
      select count(*)::int as total from product where ${ofStore}
    ) counted left join lateral (
      select ${columns} from product
      where ${ofStore} and product_code >= (
          select product_code from product where ${ofStore} order by product_code offset ${offset} limit 1
        )
      order by product_code
      limit ${limit}
    ) page on true
    where s.store = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  const products = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products }
}

export async function countProducts(
  catalogue: Catalogue,
  storeUuids: readonly string[],
  filter: ProductFilter,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ store_uuid: string; count: number }>`
    select store_uuid, count(*)::int as count from product
    where store_uuid = any(${visibleStores(catalogue, storeUuids)}::uuid[]) and ${matching(filter)}
    group by store_uuid`.execute(catalogue.db)
  return new Map(rows.map((row) => [row.store_uuid, row.count]))
}

export async function countStatuses(
  catalogue: Catalogue,
  storeUuids: readonly string[],
): Promise<Map<string, { status: ProductStatus; count: number }[]>> {
  const { rows } = await sql<{ store_uuid: string; status: ProductStatus; count: number }>`
    select store_uuid, status, count(*)::int as count from product
    where store_uuid = any(${visibleStores(catalogue, storeUuids)}::uuid[])
    group by store_uuid, status
    order by store_uuid, status`.execute(catalogue.db)
  return Map.groupBy(rows, (row) => row.store_uuid)
}

export async function findProducts(catalogue: Catalogue, keys: readonly ProductKey[]): Promise<Product[]> {
  const visible = visibleKeys(catalogue, keys)
  const { rows } = await sql<Product>`
    select ${columns}
    from unnest(${visible.map((key) => key.storeUuid)}::uuid[], ${visible.map((key) => key.productCode)}::text[]) as k(store, code)
    join product on store_uuid = k.store and product_code = k.code collate "C"`.execute(catalogue.db)
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
