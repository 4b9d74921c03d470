import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listGroupsOfParents, listGroupsOfStores } from '../../src/catalogue/asset-groups/asset-groups.ts'
import { listGroups } from '../../src/catalogue/asset-groups/list-groups.ts'
import { addAssets } from '../../src/catalogue/assets/add-assets.ts'
import { deleteAssets } from '../../src/catalogue/assets/delete-assets.ts'
import { placeAssets } from '../../src/catalogue/assets/place-assets.ts'
import { unlinkAssets } from '../../src/catalogue/assets/unlink-assets.ts'
import { type Catalogue, inTransaction, type WriteCatalogue } from '../../src/catalogue/catalogue.ts'
import { fallbackEnumerations as all } from '../../src/catalogue/enumerations.ts'
import { createProducts } from '../../src/catalogue/products/create-products.ts'
import { deleteProducts } from '../../src/catalogue/products/delete-products.ts'
import { findProducts, listProducts, pageProducts } from '../../src/catalogue/products/list-products.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { createStore } from '../../src/catalogue/stores/stores.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createExplainer, type Explainer, workOf } from './explain.ts'

/** One big store and some small ones: 20,000 groups of two assets each, and as many products. */
const groups = 20_000
const big = 15_000
const stores = 6
const bigTables = ['asset_group', 'asset_link', 'asset', 'product']

let database: TestDatabase
let explainer: Explainer
let uuids: string[]
let store: string
/** A store that the statistics do not know: for the planner it is as good as empty. */
let fresh: string
let small: string

const code = (i: number) => `sku-${String(i).padStart(5, '0')}`
const assetId = (i: number) => `asset-${i}`
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))
const write = <T>(work: (catalogue: WriteCatalogue) => Promise<T>) =>
  explainer.catalogue.db.transaction().execute((transaction) => work(inTransaction(explainer.catalogue, transaction)))

beforeAll(async () => {
  database = await createTestDatabase()
  explainer = createExplainer(database.url)
  const { db } = explainer.catalogue
  const input = { storeName: 'Shop', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
  const link = { copyTaxonomy: false }
  uuids = []
  for (let i = 0; i < stores; i++) {
    uuids.push((await write((catalogue) => createStore(catalogue, all, input, link))).storeUuid)
  }
  store = uuids[0] ?? ''
  small = uuids[1] ?? ''
  for (const uuid of uuids) await fill(uuid, uuid === store ? big : (groups - big) / (stores - 1))
  for (const table of bigTables) await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
  await sql`vacuum analyze`.execute(db)
  fresh = (await write((catalogue) => createStore(catalogue, all, input, link))).storeUuid
  await fill(fresh, 1_000)
}, 120_000)

async function fill(uuid: string, n: number): Promise<void> {
  const assets = upTo(n * 2, (i) => ({ ...newAsset(i), assetId: assetId(i), parentCode: code(i >> 1) }))
  for (let at = 0; at < assets.length; at += 10_000) {
    const part = assets.slice(at, at + 10_000)
    await write((catalogue) => addAssets(catalogue, all, uuid, part))
  }
  const products = upTo(n, (i) => ({ productCode: code(i), attributes: { Color: 'red', Size: `${i}` } }))
  await write((catalogue) => upsertProducts(catalogue, uuid, products))
}

function newAsset(i: number) {
  return { channel: 'SMP', parentCode: code(i), assetFormat: 'image', url: `https://assets.example/${i}.jpg` }
}

afterAll(async () => {
  await explainer.close()
  await database.drop()
})

const page = { channel: 'SMP', assetFormat: 'image', offset: 0, limit: 50 }
const first = { limit: 101, backwards: false }
type Read = (catalogue: Catalogue) => Promise<unknown>

/** A page may look at `most` rows in all nodes of its plan; nothing in it may be sorted but the page itself. */
const reads: Record<string, [most: number, read: Read]> = {
  'the first page of groups': [500, (catalogue) => listGroups(catalogue, store, page)],
  'a page at a large offset': [21_000, (catalogue) => listGroups(catalogue, store, { ...page, offset: 10_000 })],
  'a page past the end': [31_000, (catalogue) => listGroups(catalogue, store, { ...page, offset: 1_000_000 })],
  'a page of groups of each store': [3_000, (catalogue) => listGroupsOfStores(catalogue, uuids, page)],
  'the groups of a page of products': [1_000, (catalogue) => listGroupsOfParents(catalogue, upTo(100, productKey), {})],
  'the first page of products': [1_000, products({}, first)],
  'a page of products further on': [1_000, products({}, { ...first, after: code(9_000) })],
  'the last page of products': [1_000, products({}, { ...first, backwards: true })],
  'a page of products of each store': [5_000, (catalogue) => listProducts(catalogue, uuids, {}, first)],
  'a page of products by offset': [
    60_000,
    (catalogue) => pageProducts(catalogue, store, {}, { offset: 5_000, limit: 100 }),
  ],
  'products by a prefix of their code': [1_000, products({ codePrefix: 'sku-123' }, first)],
  'products by code': [1_000, products({ codes: upTo(20, code) }, first)],
  'the products of a page of groups': [500, (catalogue) => findProducts(catalogue, upTo(50, productKey))],
}

function products(filter: Parameters<typeof listProducts>[2], of: Parameters<typeof listProducts>[3]): Read {
  return (catalogue) => listProducts(catalogue, [store], filter, of)
}

function productKey(i: number) {
  return { storeUuid: store, productCode: code(i * 7) }
}

for (const [title, [most, read]] of Object.entries(reads)) {
  it(`reads ${title} by an index, in order`, async () => {
    const nodes = await explainer.plansOf(read)
    expect(scannedWhole(nodes)).toEqual([])
    for (const node of nodes) {
      if (node['Node Type'].includes('Sort')) expect(node['Actual Rows']).toBeLessThanOrEqual(stores * first.limit)
    }
    expect(workOf(nodes)).toBeLessThan(most)
  })
}

type Write = (catalogue: WriteCatalogue, store: string, n: number) => Promise<unknown>

const adding =
  (item: (i: number) => ReturnType<typeof newAsset>): Write =>
  (catalogue, uuid, n) =>
    addAssets(catalogue, all, uuid, upTo(n, item))
const placing =
  (item: (i: number) => ReturnType<typeof placement>): Write =>
  (catalogue, uuid, n) =>
    placeAssets(catalogue, all, onSmp(uuid), upTo(n, item))
const deleting =
  (item: (uuid: string, i: number) => Parameters<typeof deleteAssets>[1][number]): Write =>
  (catalogue, uuid, n) => {
    const items = upTo(n, (i) => item(uuid, i))
    return deleteAssets(catalogue, items)
  }
const unlinking =
  (item: (uuid: string, i: number) => Parameters<typeof unlinkAssets>[1][number]): Write =>
  (catalogue, uuid, n) => {
    const items = upTo(n, (i) => item(uuid, i))
    return unlinkAssets(catalogue, items)
  }

const writes: Record<string, Write> = {
  'PUT of products': (catalogue, uuid, n) => updateProducts(catalogue, uuid, upTo(n, patch)),
  'PUT of products of which some are unknown': (catalogue, uuid, n) =>
    updateProducts(catalogue, uuid, upTo(n, everyThirdPatch)),
  'upsert of new and old products': (catalogue, uuid, n) => upsertProducts(catalogue, uuid, upTo(n, everyThirdPatch)),
  'createProducts with assets': (catalogue, uuid, n) =>
    createProducts(catalogue, all, onSmp(uuid), upTo(n, newProduct)),
  deleteProducts: (catalogue, uuid, n) => deleteProducts(catalogue, uuid, upTo(n, code)),
  'addAssets to new groups': adding((i) => newAsset(1e6 + i)),
  'addAssets to one group': adding((i) => ({ ...newAsset(1e6 + i), parentCode: code(1) })),
  'addAssets that are there': adding((i) => ({ ...newAsset(i), assetId: assetId(i), parentCode: code(i >> 1) })),
  'addAssets by URLs that are there': adding(newAsset),
  'placeAssets in front': placing((i) => placement(i, i)),
  'placeAssets in one group': placing((i) => placement(i, 1)),
  'delete by ids in one item': (catalogue, storeUuid, n) =>
    deleteAssets(catalogue, [{ storeUuid, assetId: upTo(n, assetId) }]),
  'delete by ids in items': deleting((uuid, i) => ({ ...linkOf(uuid, i), channel: null })),
  'delete by ids on a channel': deleting(linkOf),
  'delete of unknown ids': deleting((uuid, i) => linkOf(uuid, 1e6 + i)),
  'delete by parents': deleting((storeUuid, i) => ({ storeUuid, parentCode: code(i) })),
  'delete by channel': (catalogue, storeUuid) => deleteAssets(catalogue, [{ storeUuid, channel: 'SMP' }]),
  'unlink of assets': unlinking(linkOf),
  'unlink of groups': unlinking((uuid, i) => ({ ...linkOf(uuid, i * 2), assetId: null })),
}

function onSmp(storeUuid: string) {
  return { storeUuid, channel: 'SMP' }
}

function patch(i: number) {
  return { productCode: code(i), status: 'active', attributes: { Color: 'blue' } }
}

function everyThirdPatch(i: number) {
  return patch(i * 3)
}

function placement(i: number, group: number) {
  return { parentCode: code(group), assetFormat: 'image', assets: { 'Image URL 1': newAsset(2e6 + i).url } }
}

function newProduct(i: number) {
  return { productCode: code(big + i), attributes: { Color: 'red', 'Image URL 1': newAsset(3e6 + i).url } }
}

function linkOf(storeUuid: string, i: number) {
  return { storeUuid, parentCode: code(i >> 1), channel: 'SMP', assetId: [assetId(i)] }
}

/** One item may not read the whole store; for many that is fair, once or twice, but never each item with each. */
for (const [title, work] of Object.entries(writes)) {
  it(`does ${title} by indexes, with work that grows as the items do`, async () => {
    for (const n of [1, 500]) {
      for (const [kind, uuid] of Object.entries({ store, small, fresh })) {
        const nodes = await explainer.plansOf((catalogue) => work(catalogue, uuid, n))
        const { length: rows } = await links(uuid)
        const most = title === 'delete by channel' ? 50 * rows : 300 + 80 * n + (n > 1 ? 3 * rows : 0)
        expect({ kind, n, whole: scannedWhole(nodes) }).toEqual({ kind, n, whole: [] })
        expect(workOf(nodes), `${kind}, ${n} items`).toBeLessThan(most)
      }
    }
  })
}

async function links(uuid: string) {
  const found = sql<{ asset_id: string }>`select asset_id from asset_link where store_uuid = ${uuid}`
  return (await found.execute(explainer.catalogue.db)).rows
}

/** The big tables that a plan reads from one end to the other. */
function scannedWhole(nodes: Awaited<ReturnType<Explainer['plansOf']>>): string[] {
  return nodes.flatMap((node) => {
    const table = node['Relation Name'] ?? ''
    return node['Node Type'] === 'Seq Scan' && bigTables.includes(table) ? [table] : []
  })
}
