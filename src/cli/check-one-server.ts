import { type Kysely, sql } from 'kysely'
import { listGroups } from '../catalogue/asset-groups/list-groups.ts'
import { addAssets } from '../catalogue/assets/add-assets.ts'
import { listAssets } from '../catalogue/assets/list-assets.ts'
import { placeAssets } from '../catalogue/assets/place-assets.ts'
import { deleteAssets, unlinkAssets } from '../catalogue/assets/remove-assets.ts'
import { defineAttributes } from '../catalogue/attributes/attribute-definitions.ts'
import { joinTransaction, type Origin, type WriteCatalogue, wholeCatalogue } from '../catalogue/catalogue.ts'
import { listChanges, listHistory } from '../catalogue/changes/list-changes.ts'
import { findProductAt } from '../catalogue/changes/product-at.ts'
import { readReceipt } from '../catalogue/changes/receipt.ts'
import { revertRequest } from '../catalogue/changes/revert/revert-request.ts'
import { defaultAssetFormat, defaultChannel, fallbackEnumerations } from '../catalogue/enumerations.ts'
import { deleteProducts } from '../catalogue/products/delete-products.ts'
import { countProducts } from '../catalogue/products/lists/count-products.ts'
import { countFacets } from '../catalogue/products/lists/facets.ts'
import { listProducts } from '../catalogue/products/lists/list-products.ts'
import { pageProducts } from '../catalogue/products/lists/page-products.ts'
import { updateProducts } from '../catalogue/products/update-products.ts'
import { upsertProducts } from '../catalogue/products/upsert-products.ts'
import { setRequirements } from '../catalogue/readiness/requirements.ts'
import { findStoreReadiness } from '../catalogue/readiness/store-readiness.ts'
import { createStore } from '../catalogue/stores/stores.ts'
import { addChangeDays } from '../database/ledger.ts'
import type { Database } from '../database/tables.ts'
import { listJobs } from '../jobs/job.ts'

class RolledBack extends Error {}

/**
 * Throws unless Citus runs each statement of the operations on a store as one task, on the server that holds the
 * store. Everything is rolled back.
 */
export async function checkOneServer(db: Kysely<Database>): Promise<void> {
  await addChangeDays(db)
  const tried = db.transaction().execute(async (transaction) => {
    await sql`set local citus.multi_task_query_log_level = 'error'`.execute(transaction)
    const catalogue = joinTransaction({ ...wholeCatalogue(db), origin }, transaction)
    const { storeUuid } = await createStore(catalogue, all, newStore, { copyTaxonomy: false })
    await write(catalogue, storeUuid)
    await read(catalogue, storeUuid)
    await remove(catalogue, storeUuid)
    throw new RolledBack()
  })
  await tried.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error
  })
}

const all = fallbackEnumerations
const origin: Origin = { requestId: 'check', actor: 'check', via: 'cli', operation: 'check' }
const newStore = { storeName: 'check', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
const [productCode, channel, assetFormat] = ['A', defaultChannel, defaultAssetFormat]
const url = 'https://example.com/1.jpg'
const firstPage = { limit: 50, backwards: false }

async function write(catalogue: WriteCatalogue, storeUuid: string): Promise<void> {
  const size = { name: 'Size', type: 'text', filterable: true, searchable: true } as const
  await defineAttributes(catalogue, storeUuid, [size])
  await upsertProducts(catalogue, storeUuid, [{ productCode }])
  await updateProducts(catalogue, storeUuid, [{ productCode, attributes: { Size: 'M' } }])
  await addAssets(catalogue, all, storeUuid, [{ channel, parentCode: productCode, assetFormat, url }])
  const assets = { 'Image URL 1': `${url}?2` }
  await placeAssets(catalogue, all, { storeUuid, channel }, [{ parentCode: productCode, assetFormat, assets }])
  const requirement = { code: 'SIZE', kind: 'ATTRIBUTE', attribute: 'Size', severity: 'REQUIRED' } as const
  await setRequirements(catalogue, all, storeUuid, channel, [requirement])
}

async function read(catalogue: WriteCatalogue, storeUuid: string): Promise<void> {
  const attributes = [{ name: 'Size', eq: 'M' }]
  await listGroups(catalogue, storeUuid, { channel, assetFormat, offset: 0, limit: 50 })
  await listAssets(catalogue, storeUuid, {}, firstPage)
  await pageProducts(catalogue, storeUuid, {}, { offset: 0, limit: 50 })
  await listProducts(catalogue, storeUuid, { attributes, search: 'small' }, firstPage, {
    field: 'attribute',
    attribute: 'Size',
  })
  await countProducts(catalogue, storeUuid, { attributes })
  await countFacets(catalogue, storeUuid, { names: ['Size'], filter: {}, first: 1 })
  await listChanges(catalogue, storeUuid, {}, { after: null, limit: 10 })
  await listHistory(catalogue, storeUuid, { productCode }, { after: null, limit: 10 })
  await readReceipt(catalogue, storeUuid, origin.requestId)
  await findProductAt(catalogue, storeUuid, productCode, new Date())
  await findStoreReadiness(catalogue, storeUuid, channel)
  await listJobs(catalogue, storeUuid, {}, firstPage)
}

async function remove(catalogue: WriteCatalogue, storeUuid: string): Promise<void> {
  await unlinkAssets(catalogue, [{ storeUuid, parentCode: productCode, channel }])
  await deleteAssets(catalogue, [{ storeUuid, channel }])
  await deleteProducts(catalogue, storeUuid, [productCode])
  const reverting = { ...catalogue, origin: { ...origin, requestId: 'revert', reverts: origin.requestId } }
  await revertRequest(reverting, storeUuid, origin.requestId, 'SKIP')
}
