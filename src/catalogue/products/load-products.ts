import { sql } from 'kysely'
import type { OwnConnection } from '../../database/connection/own-connection.ts'
import { jsonOfOrigin, type WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'
import { maxSize } from './product-patches.ts'
import { jsonObject, writeProducts } from './write-products.ts'

/** A product to create, or to merge into the one that exists. Its values are checked already. */
export interface LoadedProduct {
  productCode: string
  /** Null keeps the status that the product has; a new product gets `new`. */
  status: string | null
  /** The names of its attributes, each once, and the values at the same indexes. */
  names: readonly string[]
  values: readonly string[]
}

/** `tooLarge`: the codes of products that would be too large; these are not written, and others may not be. */
export interface LoadedProducts {
  created: number
  updated: number
  tooLarge: string[]
}

export async function prepareLoading({ db }: WriteCatalogue): Promise<void> {
  // A chunk is sorted in memory: an import is one connection, which may have more than each of many requests. Whatever
  // statistics say of a store, an import finds its rows by their keys.
  await sql`set local work_mem = '32MB'; set local enable_seqscan = off`.execute(db)
}

/**
 * Creates and merges any number of products, each code once, as `upsertProducts` does. If all are new, as in a first
 * import, they are copied into the table. `failed`: how many other rows failed.
 */
export async function loadProducts(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  storeUuid: string,
  products: readonly LoadedProduct[],
  failed: number,
): Promise<LoadedProducts> {
  if (products.length === 0) return { created: 0, updated: 0, tooLarge: [] }
  await lockStore(catalogue, storeUuid, { products: 'all' })
  const jsonOf = jsonWriter()
  const patches = products.map((product): [code: string, json: string] => [product.productCode, jsonOf(product)])
  const tooLarge = patches.flatMap(([code, json]) => (Buffer.byteLength(json) > maxSize ? code : []))
  if (tooLarge.length > 0) return { created: 0, updated: 0, tooLarge }
  const codes = products.map(({ productCode }) => productCode)
  // Rows of a file share one list of names.
  const names = [...new Set([...new Set(products.map((product) => product.names))].flat())]
  const someExist = await hasAny(catalogue, storeUuid, codes)
  if (someExist) {
    const withStatus = products.filter(({ status }) => status !== null)
    const written = await writeProducts(catalogue, storeUuid, {
      patches: jsonObject(patches),
      statuses: jsonObject(withStatus.map(({ productCode, status }) => [productCode, JSON.stringify(status)])),
      creates: true,
      updates: true,
      locks: {},
      failed,
      names,
      mostNames: Math.max(...products.map(({ names }) => names.length)),
    })
    return { created: written.created.length, updated: written.updated.length, tooLarge: written.tooLarge }
  }
  const statuses = products.map(({ status }) => status ?? 'new')
  const rows = patches.map(([code, json], i) => [code, statuses[i] ?? 'new', json, storeUuid])
  await connection.copy('product (product_code, status, attributes, store_uuid)', rows, (row) => row)
  await sql`
    select record_change(${storeUuid}::uuid, ${jsonOfOrigin(catalogue)}::jsonb, 'product', 'created', codes, null, null,
        cardinality(codes), ${failed}::integer), mark_products(${storeUuid}::uuid, codes, 1),
      keep_attribute_names(${storeUuid}::uuid, ${names}::text[]),
      count_products(${storeUuid}::uuid, ${statuses}::text[], array_fill(1::bigint, array[cardinality(codes)]))
    from (select ${codes}::text[] as codes) c`.execute(catalogue.db)
  return { created: codes.length, updated: 0, tooLarge: [] }
}

/**
 * Whether the store has one of the products. Each is looked up by its key, unless none is between them: so it is in a
 * first import of a file in the order of the codes.
 */
async function hasAny({ db }: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    with n as materialized (select c.code collate "C" as product_code from unnest(${[...codes]}::text[]) as c(code))
    select from n cross join lateral (
      select from product where store_uuid = ${storeUuid} and product_code = n.product_code limit 1
    ) p
    where (
      select product_code from product
      where store_uuid = ${storeUuid} and product_code >= (select min(product_code) from n)
      order by product_code limit 1
    ) <= (select max(product_code) from n)
    limit 1`.execute(db)
  return rows.length > 0
}

/** A writer of attributes as JSON. Rows of a file share one list of names, which it writes once. */
function jsonWriter(): (product: LoadedProduct) => string {
  let last: { names?: readonly string[]; keys: readonly string[] } = { keys: [] }
  return ({ names, values }) => {
    if (names !== last.names)
      last = { names, keys: names.map((name, i) => `${i > 0 ? ',' : ''}${JSON.stringify(name)}:`) }
    let json = '{'
    for (const [i, key] of last.keys.entries()) json += key + JSON.stringify(values[i])
    return `${json}}`
  }
}
