import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addAssets } from '../../src/catalog/add-assets.ts'
import { listGroups, listGroupsOfParents, listGroupsOfStores } from '../../src/catalog/asset-groups.ts'
import { createProducts } from '../../src/catalog/create-products.ts'
import { deleteAssets } from '../../src/catalog/delete-assets.ts'
import { deleteProducts } from '../../src/catalog/delete-products.ts'
import { fallbackEnumerations as all } from '../../src/catalog/enumerations.ts'
import { findProducts, listProducts, pageProducts } from '../../src/catalog/list-products.ts'
import { placeAssets } from '../../src/catalog/place-assets.ts'
import { updateProducts, upsertProducts } from '../../src/catalog/products.ts'
import { createStore } from '../../src/catalog/stores.ts'
import { unlinkAssets } from '../../src/catalog/unlink-assets.ts'
import { type View, type WriteView, within } from '../../src/catalog/viewer.ts'
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
const write = <T>(work: (db: WriteView) => Promise<T>) =>
  explainer.db.transaction().execute((transaction) => work(within(explainer.db, transaction)))

beforeAll(async () => {
  database = await createTestDatabase()
  explainer = createExplainer(database.url)
  const { db } = explainer
  const input = { storeName: 'Shop', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
  const link = { copyTaxonomy: false }
  uuids = []
  for (let i = 0; i < stores; i++) {
    uuids.push((await write((db) => createStore(db, all, input, link))).storeUuid)
  }
  store = uuids[0] ?? ''
  small = uuids[1] ?? ''
  for (const uuid of uuids) await fill(uuid, uuid === store ? big : (groups - big) / (stores - 1))
  for (const table of bigTables) await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
  await sql`vacuum analyze`.execute(db)
  fresh = (await write((db) => createStore(db, all, input, link))).storeUuid
  await fill(fresh, 1_000)
}, 120_000)

async function fill(uuid: string, n: number): Promise<void> {
  const assets = upTo(n * 2, (i) => ({ ...newAsset(i), assetId: assetId(i), parentCode: code(i >> 1) }))
  for (let at = 0; at < assets.length; at += 10_000) {
    const part = assets.slice(at, at + 10_000)
    await write((db) => addAssets(db, all, uuid, part))
  }
  const products = upTo(n, (i) => ({ productCode: code(i), attributes: { Color: 'red', Size: `${i}` } }))
  await write((db) => upsertProducts(db, uuid, products))
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
type Read = (db: View) => Promise<unknown>

/** A page may look at `most` rows in all nodes of its plan; nothing in it may be sorted but the page itself. */
const reads: [title: string, most: number, read: Read][] = [
  ['the first page of groups', 500, (db) => listGroups(db, store, page)],
  ['a page of groups far behind', 21_000, (db) => listGroups(db, store, { ...page, offset: 10_000 })],
  ['a page past the end', 31_000, (db) => listGroups(db, store, { ...page, offset: 1_000_000 })],
  ['a page of groups of each store', 3_000, (db) => listGroupsOfStores(db, uuids, page)],
  ['the groups of a page of products', 1_000, (db) => listGroupsOfParents(db, upTo(100, productKey), {})],
  ['the first page of products', 1_000, (db) => listProducts(db, [store], {}, first)],
  ['a page of products further on', 1_000, (db) => listProducts(db, [store], {}, { ...first, after: code(9_000) })],
  ['the last page of products', 1_000, (db) => listProducts(db, [store], {}, { ...first, backwards: true })],
  ['a page of products of each store', 5_000, (db) => listProducts(db, uuids, {}, first)],
  ['a page of products by offset', 60_000, (db) => pageProducts(db, store, {}, { offset: 5_000, limit: 100 })],
  ['products by a prefix of their code', 1_000, (db) => listProducts(db, [store], { codePrefix: 'sku-123' }, first)],
  ['products by code', 1_000, (db) => listProducts(db, [store], { codes: upTo(20, code) }, first)],
  ['the products of a page of groups', 500, (db) => findProducts(db, upTo(50, productKey))],
]

function productKey(i: number) {
  return { storeUuid: store, productCode: code(i * 7) }
}

for (const [title, most, read] of reads) {
  it(`reads ${title} by an index, in order`, async () => {
    const nodes = await explainer.plansOf(read)
    expect(scannedWhole(nodes)).toEqual([])
    for (const node of nodes) {
      if (node['Node Type'].includes('Sort')) expect(node['Actual Rows']).toBeLessThanOrEqual(stores * first.limit)
    }
    expect(workOf(nodes)).toBeLessThan(most)
  })
}

type Write = (db: WriteView, store: string, n: number) => Promise<unknown>

const writes: [title: string, write: Write][] = [
  ['PUT of products', (db, uuid, n) => updateProducts(db, uuid, upTo(n, patch))],
  [
    'PUT of products of which some are unknown',
    (db, uuid, n) =>
      updateProducts(
        db,
        uuid,
        upTo(n, (i) => patch(i * 3)),
      ),
  ],
  [
    'upsert of new and old products',
    (db, uuid, n) =>
      upsertProducts(
        db,
        uuid,
        upTo(n, (i) => patch(i * 3)),
      ),
  ],
  ['createProducts with assets', (db, uuid, n) => createProducts(db, all, onSmp(uuid), upTo(n, newProduct))],
  ['deleteProducts', (db, uuid, n) => deleteProducts(db, uuid, upTo(n, code))],
  [
    'addAssets to new groups',
    (db, uuid, n) =>
      addAssets(
        db,
        all,
        uuid,
        upTo(n, (i) => newAsset(1e6 + i)),
      ),
  ],
  ['addAssets to one group', (db, uuid, n) => addAssets(db, all, uuid, upTo(n, oneGroup))],
  ['addAssets that are there', (db, uuid, n) => addAssets(db, all, uuid, upTo(n, oldAsset))],
  ['addAssets by URLs that are there', (db, uuid, n) => addAssets(db, all, uuid, upTo(n, newAsset))],
  [
    'placeAssets in front',
    (db, uuid, n) =>
      placeAssets(
        db,
        all,
        onSmp(uuid),
        upTo(n, (i) => placement(i, i)),
      ),
  ],
  [
    'placeAssets in one group',
    (db, uuid, n) =>
      placeAssets(
        db,
        all,
        onSmp(uuid),
        upTo(n, (i) => placement(i, 1)),
      ),
  ],
  ['delete by ids in one item', (db, storeUuid, n) => deleteAssets(db, [{ storeUuid, assetId: upTo(n, assetId) }])],
  [
    'delete by ids in items',
    (db, uuid, n) =>
      deleteAssets(
        db,
        upTo(n, (i) => ({ ...linkOf(uuid, i), channel: null })),
      ),
  ],
  [
    'delete by ids on a channel',
    (db, uuid, n) =>
      deleteAssets(
        db,
        upTo(n, (i) => linkOf(uuid, i)),
      ),
  ],
  [
    'delete of unknown ids',
    (db, uuid, n) =>
      deleteAssets(
        db,
        upTo(n, (i) => linkOf(uuid, 1e6 + i)),
      ),
  ],
  [
    'delete by parents',
    (db, storeUuid, n) =>
      deleteAssets(
        db,
        upTo(n, (i) => ({ storeUuid, parentCode: code(i) })),
      ),
  ],
  ['delete by channel', (db, storeUuid) => deleteAssets(db, [{ storeUuid, channel: 'SMP' }])],
  [
    'unlink of assets',
    (db, uuid, n) =>
      unlinkAssets(
        db,
        upTo(n, (i) => linkOf(uuid, i)),
      ),
  ],
  [
    'unlink of groups',
    (db, uuid, n) =>
      unlinkAssets(
        db,
        upTo(n, (i) => ({ ...linkOf(uuid, i * 2), assetId: null })),
      ),
  ],
]

function onSmp(storeUuid: string) {
  return { storeUuid, channel: 'SMP' }
}

function patch(i: number) {
  return { productCode: code(i), status: 'active', attributes: { Color: 'blue' } }
}

function oldAsset(i: number) {
  return { ...newAsset(i), assetId: assetId(i), parentCode: code(i >> 1) }
}

function oneGroup(i: number) {
  return { ...newAsset(1e6 + i), parentCode: code(1) }
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
for (const [title, work] of writes) {
  it(`does ${title} by indexes, with work that grows as the items do`, async () => {
    for (const n of [1, 500]) {
      for (const [kind, uuid] of Object.entries({ store, small, fresh })) {
        const nodes = await explainer.plansOf((db) => work(db, uuid, n))
        const { length: rows } = await links(uuid)
        const most = title === 'delete by channel' ? 50 * rows : 300 + 80 * n + (n > 1 ? 3 * rows : 0)
        expect({ kind, n, whole: scannedWhole(nodes) }).toEqual({ kind, n, whole: [] })
        expect(workOf(nodes), `${kind}, ${n} items`).toBeLessThan(most)
      }
    }
  })
}

function links(uuid: string) {
  return explainer.db.selectFrom('asset_link').select('asset_id').where('store_uuid', '=', uuid).execute()
}

/** The big tables that a plan reads from one end to the other. */
function scannedWhole(nodes: Awaited<ReturnType<Explainer['plansOf']>>): string[] {
  return nodes.flatMap((node) => {
    const table = node['Relation Name'] ?? ''
    return node['Node Type'] === 'Seq Scan' && bigTables.includes(table) ? [table] : []
  })
}
