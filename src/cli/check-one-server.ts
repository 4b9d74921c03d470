import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { listGroups } from '../catalogue/asset-groups/list-groups.ts'
import { addAssets } from '../catalogue/assets/add-assets.ts'
import { deleteAssets } from '../catalogue/assets/delete-assets.ts'
import { placeAssets } from '../catalogue/assets/place-assets.ts'
import { unlinkAssets } from '../catalogue/assets/unlink-assets.ts'
import { defineAttributes } from '../catalogue/attributes/attribute-definitions.ts'
import { inTransaction, wholeCatalogue } from '../catalogue/catalogue.ts'
import { fallbackEnumerations } from '../catalogue/enumerations.ts'
import { deleteProducts } from '../catalogue/products/delete-products.ts'
import { countValues } from '../catalogue/products/list/facets.ts'
import { countProducts, pageProducts } from '../catalogue/products/list/list-products.ts'
import { updateProducts } from '../catalogue/products/update-products.ts'
import { upsertProducts } from '../catalogue/products/upsert-products.ts'
import { createStore } from '../catalogue/stores/stores.ts'
import { indexValues } from '../catalogue/values/index-values.ts'
import type { Database } from '../database/tables.ts'

class Undone extends Error {}

/**
 * Throws unless Citus runs each statement of the operations on a store as one task: on the server that has the store.
 * In a transaction that is rolled back.
 */
export async function checkOneServer(db: Kysely<Database>): Promise<void> {
  const tried = db.transaction().execute(async (transaction) => {
    await sql`set local citus.multi_task_query_log_level = 'error'`.execute(transaction)
    await operate(transaction)
    throw new Undone()
  })
  await tried.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}

async function operate(db: Kysely<Database>): Promise<void> {
  const all = fallbackEnumerations
  const catalogue = inTransaction(wholeCatalogue(db), db as Parameters<typeof inTransaction>[1])
  const input = { storeName: 'check', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
  const { storeUuid } = await createStore(catalogue, all, input, { copyTaxonomy: false })
  const [productCode, channel, assetFormat] = ['A', 'SMP', 'image']
  const url = 'https://example.com/1.jpg'
  await defineAttributes(catalogue, storeUuid, [{ name: 'Size', type: 'text', filterable: true }])
  await indexValues(catalogue, storeUuid, randomUUID())
  await upsertProducts(catalogue, storeUuid, [{ productCode }])
  await updateProducts(catalogue, storeUuid, [{ productCode, attributes: { Size: 'M' } }])
  await addAssets(catalogue, all, storeUuid, [{ channel, parentCode: productCode, assetFormat, url }])
  const assets = { 'Image URL 1': `${url}?2` }
  await placeAssets(catalogue, all, { storeUuid, channel }, [{ parentCode: productCode, assetFormat, assets }])
  await listGroups(catalogue, storeUuid, { channel, assetFormat, offset: 0, limit: 50 })
  await pageProducts(catalogue, storeUuid, {}, { offset: 0, limit: 50 })
  await countProducts(catalogue, storeUuid, { attributes: [{ name: 'Size', eq: 'M' }] })
  await countValues(catalogue, storeUuid, { names: ['Size'], filter: {}, first: 1 })
  await unlinkAssets(catalogue, [{ storeUuid, parentCode: productCode, channel }])
  await deleteAssets(catalogue, [{ storeUuid, channel }])
  await deleteProducts(catalogue, storeUuid, [productCode])
}
