import { type Selectable, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import { storeNotFound } from '../errors.ts'
import type { ProductStatus } from './enumerations.ts'
import type { KeysetPage } from './keyset.ts'
import { containing } from './like.ts'
import { isStorable } from './text.ts'
import { type View, visibleKeys, visibleStore, visibleStores } from './viewer.ts'

export interface Product {
  storeUuid: string
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  createdAt: Date
  updatedAt: Date
}

/** `search`: part of the product code, in any case. Every condition given must hold. */
export interface ProductFilter {
  status?: readonly ProductStatus[] | null | undefined
  codePrefix?: string | null | undefined
  codes?: readonly string[] | null | undefined
  search?: string | null | undefined
}

/** A page of products in the order of their codes. */
export interface ProductPage {
  storeUuid: string
  /** All products that match, exactly. */
  totalProducts: number
  products: Product[]
}

/** The key of a product across stores. */
export interface ProductKey {
  storeUuid: string
  productCode: string
}

/** A page of each store's products in the order of their codes, by store. One statement for all stores. */
export async function listProducts(
  db: View,
  storeUuids: readonly string[],
  filter: ProductFilter,
  page: KeysetPage,
): Promise<Map<string, Product[]>> {
  const direction = sql.raw(page.backwards ? 'desc' : 'asc')
  const { rows } = await sql<Selectable<Database['product']>>`
    select p.* from unnest(${visibleStores(db, storeUuids)}::uuid[]) as s(store_uuid) cross join lateral (
      select store_uuid, product_code, status, attributes, created_at, updated_at from product p
      where p.store_uuid = s.store_uuid and ${matching(filter)}
        ${page.after === undefined ? sql`` : sql`and product_code > ${page.after}`}
        ${page.before === undefined ? sql`` : sql`and product_code < ${page.before}`}
      order by product_code ${direction}
      limit ${page.limit}
    ) p
    order by store_uuid, product_code ${direction}`.execute(db)
  return Map.groupBy(rows.map(productOf), (product) => product.storeUuid)
}

/** A page of one store's products by offset, with the exact number of all that match; throws `store_not_found`. One statement. */
export async function pageProducts(
  db: View,
  storeUuid: string,
  filter: ProductFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<ProductPage> {
  const uuid = visibleStore(db, storeUuid)
  if (!uuid) throw storeNotFound('storeUuid', storeUuid)
  const { rows } = await sql<{ total: number; product_code: string | null } & Selectable<Database['product']>>`
    select counted.total, page.*
    from store s cross join lateral (
      select count(*)::int as total from product p where p.store_uuid = s.store_uuid and ${matching(filter)}
    ) counted left join lateral (
      select store_uuid, product_code, status, attributes, created_at, updated_at from product p
      where p.store_uuid = s.store_uuid and ${matching(filter)} and product_code >= (
          select product_code from product p
          where p.store_uuid = s.store_uuid and ${matching(filter)}
          order by product_code offset ${offset} limit 1
        )
      order by product_code
      limit ${limit}
    ) page on true
    where s.store_uuid = ${uuid}
    order by page.product_code`.execute(db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  return {
    storeUuid: uuid,
    totalProducts: first.total,
    products: rows.filter((row) => row.product_code !== null).map(productOf),
  }
}

/** How many products of each store match, by store. */
export async function countProducts(
  db: View,
  storeUuids: readonly string[],
  filter: ProductFilter,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ store_uuid: string; count: number }>`
    select store_uuid, count(*)::int as count from product p
    where store_uuid = any(${visibleStores(db, storeUuids)}::uuid[]) and ${matching(filter)}
    group by store_uuid`.execute(db)
  return new Map(rows.map((row) => [row.store_uuid, row.count]))
}

/** How many products of each store have each status that occurs, by store. */
export async function countStatuses(
  db: View,
  storeUuids: readonly string[],
): Promise<Map<string, { status: ProductStatus; count: number }[]>> {
  const { rows } = await sql<{ store_uuid: string; status: ProductStatus; count: number }>`
    select store_uuid, status, count(*)::int as count from product
    where store_uuid = any(${visibleStores(db, storeUuids)}::uuid[])
    group by store_uuid, status
    order by store_uuid, status`.execute(db)
  return Map.groupBy(rows, (row) => row.store_uuid)
}

/** The products that exist among the keys. One statement, whatever their number. */
export async function findProducts(db: View, keys: readonly ProductKey[]): Promise<Product[]> {
  const storable = visibleKeys(db, keys).filter((key) => isStorable(key.productCode))
  const { rows } = await sql<Selectable<Database['product']>>`
    select p.store_uuid, p.product_code, p.status, p.attributes, p.created_at, p.updated_at
    from unnest(${storable.map((key) => key.storeUuid)}::uuid[], ${storable.map((key) => key.productCode)}::text[])
      as k(store_uuid, product_code)
    join product p on p.store_uuid = k.store_uuid and p.product_code = k.product_code collate "C"`.execute(db)
  return rows.map(productOf)
}

/** What no code that begins with a prefix goes beyond, behind it: the last code point as often as a code can be long. */
const beyondAll = '\u{10ffff}'.repeat(255)

function matching(filter: ProductFilter) {
  const conditions = [
    filter.status != null && sql<boolean>`status = any(${[...filter.status]}::text[])`,
    filter.codes != null && sql<boolean>`product_code = any(${filter.codes.filter(isStorable)}::text[])`,
    filter.codePrefix != null && sql<boolean>`starts_with(product_code, ${filter.codePrefix})`,
    filter.codePrefix != null && sql<boolean>`product_code >= ${filter.codePrefix}`,
    filter.codePrefix != null && sql<boolean>`product_code <= ${filter.codePrefix + beyondAll}`,
    filter.search != null && sql<boolean>`product_code collate "default" ilike ${containing(filter.search)}`,
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function productOf(row: Selectable<Database['product']>): Product {
  return {
    storeUuid: row.store_uuid,
    productCode: row.product_code,
    status: row.status,
    attributes: row.attributes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
