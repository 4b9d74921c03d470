import { sql } from 'kysely'
import { CopyRows, type Session } from '../database/copy.ts'
import { lockStores } from './locks.ts'
import { storeKey } from './store-key.ts'
import type { WriteView } from './viewer.ts'

/** A product to create, or to merge into the one that exists: judged already, each code once. */
export interface LoadedProduct {
  productCode: string
  /** Null: that of the product, `new` where there is none. */
  status: string | null
  /** A JSON object of strings. */
  attributes: string
  /** Whether what becomes of it is counted. */
  isCounted: boolean
}

/** How many of the counted products were created and changed. */
export interface LoadCounts {
  created: number
  updated: number
}

/** Makes the tables of the session that rows are streamed into. */
export async function prepareLoading({ db }: Session): Promise<void> {
  // A chunk is sorted and hashed in memory: one import at a time has it, not each of many requests.
  await sql`set work_mem = '32MB'`.execute(db)
  await sql`set temp_buffers = '32MB'`.execute(db)
  await sql`create temporary table loaded_product (product_code text collate "C", status text, attributes jsonb)`.execute(
    db,
  )
  await sql`create temporary table loaded_asset (index integer, parent_code text collate "C",
    asset_format text collate "C", url text collate "C", place integer, nth integer)`.execute(db)
}

/**
 * Creates and merges products as `upsertProducts` does, by way of `COPY`. Four statements, whatever their number. A product that somebody else
 * creates at the same time is a serialization failure: the transaction is done again.
 */
export async function loadProducts(
  session: Session,
  transaction: WriteView,
  storeUuid: string,
  products: readonly LoadedProduct[],
): Promise<LoadCounts> {
  if (products.length === 0) return { created: 0, updated: 0 }
  await lockStores(transaction, new Map([[storeUuid, { products: 'all' }]]))
  await sql`truncate loaded_product`.execute(transaction)
  await session.copy('loaded_product', rowsOf(products))
  const uncounted = products.filter(({ isCounted }) => !isCounted).map(({ productCode }) => productCode)
  const { rows } = await sql<LoadCounts>`
    with changing as materialized (
      select p.product_code from product p join loaded_product l using (product_code)
      where p.store_uuid = ${storeKey(storeUuid)} and (not p.attributes @> l.attributes or p.status <> l.status)
      order by p.product_code
      for no key update of p
    ), changed as (
      update product p set attributes = p.attributes || l.attributes, status = coalesce(l.status, p.status), updated_at = now()
      from loaded_product l
      where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = l.product_code
        and p.product_code in (select product_code from changing)
      returning p.product_code
    ), made as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from loaded_product l
      where not exists (
        select from product p where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = l.product_code
      )
      order by product_code
      returning product_code
    )
    select (select count(*)::int from made where product_code <> all(${uncounted}::text[])) as created,
      (select count(*)::int from changed where product_code <> all(${uncounted}::text[])) as updated`
    .execute(transaction)
    .catch(againWhenCreatedMeanwhile)
  return rows[0] ?? { created: 0, updated: 0 }
}

/** A unique violation is what a serialization failure is to the writer: nothing is wrong with its work, which is done again. */
function againWhenCreatedMeanwhile(error: unknown): never {
  const isTwin = error instanceof Error && 'code' in error && error.code === '23505'
  throw isTwin ? Object.assign(error, { code: '40001' }) : error
}

function rowsOf(products: readonly LoadedProduct[]): CopyRows {
  const rows = new CopyRows()
  for (const { productCode, status, attributes } of products) rows.add([productCode, status, attributes])
  return rows
}
