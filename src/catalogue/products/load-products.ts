import { sql } from 'kysely'
import type { OwnConnection } from '../../database/connection/own-connection.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdProducts, recorded, updatedProducts } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { refreshValues } from '../values/refresh-values.ts'
import { totalled } from './product-totals.ts'

/** A product to create, or to merge into the one that exists. Its values are checked already. */
export interface LoadedProduct {
  productCode: string
  /** Null keeps the status that the product has; a new product gets `new`. */
  status: string | null
  /** The names of its attributes, each once, and the values at the same indexes. */
  names: readonly string[]
  values: readonly string[]
  /** Whether it counts among those that were created or updated: its row has not failed. */
  isReported: boolean
}

export interface LoadedProducts {
  created: number
  updated: number
}

export async function prepareLoading({ db }: WriteCatalogue): Promise<void> {
  // A chunk is sorted in memory: an import is one connection, which may have more than each of many requests. Whatever
  // statistics say of a store, an import finds its rows by their keys. Matching patterns may take minutes.
  await sql`set local work_mem = '32MB'; set local enable_seqscan = off;
    set local idle_in_transaction_session_timeout = '15min'`.execute(db)
}

/**
 * Creates and merges any number of products, each code once, as `upsertProducts` does. If all are new, as in a first
 * import, they are copied into the table; else into a temporary one, which one statement merges. `failed`: how many
 * rows failed beside them. At most 6 statements.
 */
export async function loadProducts(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  storeUuid: string,
  products: readonly LoadedProduct[],
  failed: number,
): Promise<LoadedProducts> {
  if (products.length === 0) return { created: 0, updated: 0 }
  await lockStore(catalogue, storeUuid, { products: 'all' })
  const codes = products.map(({ productCode }) => productCode)
  if (await hasAny(catalogue, storeUuid, codes)) {
    // A dry run's chunks are savepoints of one transaction.
    await sql`create temporary table if not exists loaded_product (product_code text collate "C", status text,
      attributes jsonb, is_reported boolean) on commit drop; truncate loaded_product`.execute(catalogue.db)
    await connection.copy('loaded_product', products, (product) => {
      return [product.productCode, product.status, jsonOf(product), product.isReported]
    })
    const merged = await merge(catalogue, storeUuid, failed)
    await refreshValues(catalogue, storeUuid, codes)
    return merged
  }
  await connection.copy('product (product_code, status, attributes, store_uuid)', products, (product) => {
    return [product.productCode, product.status ?? 'new', jsonOf(product), storeUuid]
  })
  const statuses = products.map(({ status }) => status ?? 'new')
  const items = createdProducts(sql`select unnest(${codes}::text[]) as product_code`)
  await sql`
    with ${totalled(storeUuid, sql`select unnest(${statuses}::text[]) as status, 1 as delta`)},
    ${recorded(catalogue, storeUuid, items, failed)}
    select`.execute(catalogue.db)
  await refreshValues(catalogue, storeUuid, codes)
  return { created: products.filter(({ isReported }) => isReported).length, updated: 0 }
}

/** Whether the store has one of the products. Each is looked up by its key. */
async function hasAny({ db }: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from unnest(${[...codes]}::text[]) as n(product_code) cross join lateral (
      select from product where store_uuid = ${storeUuid} and product_code = n.product_code collate "C" limit 1
    ) p
    limit 1`.execute(db)
  return rows.length > 0
}

function jsonOf({ names, values }: LoadedProduct): string {
  return `{${names.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(values[i])}`).join(',')}}`
}

/**
 * Writes the products that are new or differ, in the order of their codes. `offset 0` and `on conflict` make PostgreSQL
 * find each product by its key: in a join it may read all of the store's products.
 */
async function merge(catalogue: WriteCatalogue, storeUuid: string, failed: number): Promise<LoadedProducts> {
  const items = sql`${createdProducts(sql`select product_code from item where attributes is null`)} union all
    ${updatedProducts(sql`select * from item where attributes is not null`)}`
  const { rows } = await sql<LoadedProducts>`
    with item as materialized (
      select l.product_code, coalesce(l.status, p.status, 'new') as new_status, l.attributes as new_attributes, l.is_reported,
        p.status, p.attributes
      from loaded_product l left join lateral (
        select status, attributes from product
        where store_uuid = ${storeUuid} and product_code = l.product_code
        offset 0
      ) p on true
      where p.attributes is null or not p.attributes @> l.attributes or p.status <> l.status
      order by l.product_code
    ), written as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, new_status, new_attributes from item
      on conflict (store_uuid, product_code) do update set attributes = product.attributes || excluded.attributes,
        status = excluded.status, updated_at = greatest(excluded.updated_at, product.updated_at)
    ), ${totalled(storeUuid, differences)}, ${recorded(catalogue, storeUuid, items, failed)}
    select count(*) filter (where attributes is null)::int as created, count(attributes)::int as updated
    from item where is_reported`.execute(catalogue.db)
  return rows[0] ?? { created: 0, updated: 0 }
}

const differences = sql`
  select new_status as status, 1 as delta from item union all select status, -1 from item where status is not null`
