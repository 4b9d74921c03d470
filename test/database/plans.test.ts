import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listGroupsOfParents } from '../../src/catalogue/asset-groups/asset-groups.ts'
import { listGroups } from '../../src/catalogue/asset-groups/list-groups.ts'
import { addAssets } from '../../src/catalogue/assets/add-assets.ts'
import { moveAssets } from '../../src/catalogue/assets/move-assets.ts'
import { placeAssets } from '../../src/catalogue/assets/place-assets.ts'
import { deleteAssets, unlinkAssets } from '../../src/catalogue/assets/remove-assets.ts'
import { type Catalogue, catalogueFor, joinTransaction, type WriteCatalogue } from '../../src/catalogue/catalogue.ts'
import { fallbackEnumerations as all } from '../../src/catalogue/enumerations.ts'
import { deleteProducts } from '../../src/catalogue/products/delete-products.ts'
import { findProducts } from '../../src/catalogue/products/find-products.ts'
import { listProducts } from '../../src/catalogue/products/lists/list-products.ts'
import { pageProducts } from '../../src/catalogue/products/lists/page-products.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { createProducts, upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import type { TestDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { createExplainer, createPlainDatabase, type Explainer, useExplainer, workOf } from './explain.ts'

/** One big store and some small ones: 20,000 groups of two assets each, and as many products. */
const groups = 20_000
const big = 15_000
const stores = 6
const bigTables = ['asset_group', 'asset_link', 'asset', 'product']

let store: string
/** A store that is newer than the statistics: the planner takes it for empty. */
let fresh: string
let small: string

const code = (i: number) => `sku-${String(i).padStart(5, '0')}`
const assetId = (i: number) => `asset-${i}`
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

const explainer = useExplainer(async (catalogue) => {
  const uuids = await Promise.all(upTo(stores, () => storeIn(catalogue)))
  store = uuids[0] ?? ''
  small = uuids[1] ?? ''
  for (const uuid of uuids) await fill(catalogue, uuid, uuid === store ? big : (groups - big) / (stores - 1))
  for (const table of bigTables)
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(catalogue.db)
})
beforeAll(async () => {
  fresh = await storeIn(explainer.catalogue)
  await fill(explainer.catalogue, fresh, 1_000)
})

async function fill(catalogue: Catalogue, uuid: string, n: number): Promise<void> {
  const assets = upTo(n * 2, (i) => ({ ...newAsset(i), assetId: assetId(i), parentCode: code(i >> 1) }))
  for (let at = 0; at < assets.length; at += 10_000) {
    const part = assets.slice(at, at + 10_000)
    await inTransaction(catalogue, (work) => addAssets(work, all, uuid, part))
  }
  const products = upTo(n, (i) => ({ productCode: code(i), attributes: { Color: 'red', Size: `${i}` } }))
  await inTransaction(catalogue, (work) => upsertProducts(work, uuid, products))
}

function newAsset(i: number) {
  return { channel: 'SMP', parentCode: code(i), assetFormat: 'image', url: `https://assets.example/${i}.jpg` }
}

const page = { channel: 'SMP', assetFormat: 'image', offset: 0, limit: 50 }
const first = { limit: 101, backwards: false }
type Read = (catalogue: Catalogue) => Promise<unknown>

/** A page may look at `most` rows in all nodes of its plan; nothing in it may be sorted but the page itself. */
const reads: Record<string, [most: number, read: Read]> = {
  'the first page of groups': [500, (catalogue) => listGroups(catalogue, store, page)],
  'a page at a large offset': [21_000, (catalogue) => listGroups(catalogue, store, { ...page, offset: 10_000 })],
  'a page past the end': [31_000, (catalogue) => listGroups(catalogue, store, { ...page, offset: 1_000_000 })],
  'the groups of a page of products': [
    1_000,
    (catalogue) => listGroupsOfParents(catalogue, store, upTo(100, everySeventh), {}),
  ],
  'the first page of products': [1_000, products({}, first)],
  'a page of products further on': [1_000, products({}, { ...first, after: code(9_000) })],
  'the last page of products': [1_000, products({}, { ...first, backwards: true })],
  'a page of products by offset': [
    60_000,
    (catalogue) => pageProducts(catalogue, store, {}, { offset: 5_000, limit: 100 }),
  ],
  'products by a prefix of their code': [1_000, products({ codePrefix: 'sku-123' }, first)],
  'products by code': [1_000, products({ codes: upTo(20, code) }, first)],
  'the products of a page of groups': [500, (catalogue) => findProducts(catalogue, store, upTo(50, everySeventh))],
}

function products(filter: Parameters<typeof listProducts>[2], of: Parameters<typeof listProducts>[3]): Read {
  return (catalogue) => listProducts(catalogue, store, filter, of)
}

function everySeventh(i: number) {
  return code(i * 7)
}

for (const [title, [most, read]] of Object.entries(reads)) {
  it(`reads ${title} by an index, in order`, async () => {
    const nodes = await explainer.plansOf(read)
    expect(scannedWhole(nodes)).toEqual([])
    for (const node of nodes) {
      if (node['Node Type'].includes('Sort')) expect(node['Actual Rows']).toBeLessThanOrEqual(first.limit)
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
    createProducts(catalogue, uuid, upTo(n, newProduct), { enumerations: all, channel: 'SMP' }),
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

/** One item may not read the whole store. Many items may read it once or twice, but not compare each with each. */
for (const [title, work] of Object.entries(writes)) {
  it(`does ${title} by indexes, with work in proportion to the items`, async () => {
    for (const n of [1, 500]) {
      for (const [kind, uuid] of Object.entries({ store, small, fresh })) {
        const nodes = await explainer.plansOf((catalogue) => work(catalogue, uuid, n))
        const { length: rows } = await links(uuid)
        const most = title === 'delete by channel' ? 55 * rows : 300 + 100 * n + (n > 1 ? 3 * rows : 0)
        expect({ kind, n, whole: scannedWhole(nodes) }).toEqual({ kind, n, whole: [] })
        expect(workOf(nodes), `${kind}, ${n} items`).toBeLessThan(most)
      }
    }
  })
}

it('finds the URLs for a token that is limited to a store by an index', async () => {
  for (const uuid of [store, fresh]) {
    const nodes = await explainer.plansOf((catalogue) => {
      const limited = catalogueFor(catalogue.db, { stores: new Set([uuid]) })
      const assets = upTo(100, (i) => newAsset(1e6 + i))
      return limited.db
        .transaction()
        .execute((transaction) => addAssets(joinTransaction(limited, transaction), all, uuid, assets))
    })
    expect(workOf(nodes)).toBeLessThan(300 + 80 * 100)
  }
})

it('orders a group with work in proportion to its assets, not to their square', async () => {
  const n = 2_000
  const nodes = await explainer.plansOf(async (catalogue) => {
    await addAssets(
      catalogue,
      all,
      store,
      upTo(n, (i) => ({ ...newAsset(1e6 + i), parentCode: 'one', assetId: `one-${i}` })),
    )
    const group = { storeUuid: store, channel: 'SMP', parentCode: 'one', assetFormat: 'image' }
    await moveAssets(
      catalogue,
      group,
      upTo(n, (i) => `one-${n - 1 - i}`),
    )
  })
  expect(workOf(nodes)).toBeLessThan(300 * n)
})

/** Statistics of small stores mislead about a large one: whatever PostgreSQL knows, no item may read all of it. */
describe.each<[assets: number, analyzed: 'never' | 'before' | 'after', token: 'any' | 'limited']>([
  [1, 'never', 'any'],
  [1, 'before', 'any'],
  [1, 'before', 'limited'],
  [1, 'after', 'any'],
  [20, 'before', 'any'],
  [20, 'after', 'any'],
  [20, 'after', 'limited'],
])('a store of 5,000 assets among 300 of %i, analyzed %s it came, %s token', (assets, analyzed, token) => {
  const n = 1_000
  const large = '01900000-0000-7000-8000-000000000000'
  let among: TestDatabase
  let explained: Explainer

  beforeAll(async () => {
    among = await createPlainDatabase()
    for (const table of bigTables)
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(among.db)
    await fillStores(among.db, 300, assets)
    if (analyzed === 'before') await sql`analyze`.execute(among.db)
    await fillStores(among.db, 1, 5_000)
    if (analyzed === 'after') await sql`analyze`.execute(among.db)
    explained = createExplainer(among.direct)
  })
  afterAll(async () => {
    await explained.close()
    await among.drop()
  })

  for (const [title, work] of Object.entries({ ...writes, 'groups of parents': parents })) {
    it(`does ${title} without reading it for each item`, async () => {
      const nodes = await explained.plansOf((catalogue) => {
        if (token === 'any') return work(catalogue, large, n)
        const limited = catalogueFor(catalogue.db, { stores: new Set([large]) })
        return limited.db.transaction().execute((transaction) => work(joinTransaction(limited, transaction), large, n))
      })
      const rescanned = nodes.filter((node) => node['Actual Loops'] > 1 && workOf([node]) > 200 * node['Actual Loops'])
      expect(rescanned).toEqual([])
      expect(workOf(nodes)).toBeLessThan(300 + 80 * n + 50 * 5_000)
    })
  }
})

function parents(catalogue: Catalogue, uuid: string, n: number) {
  return listGroupsOfParents(catalogue, uuid, upTo(n, code), {})
}

/** Stores with products and groups of two assets. */
async function fillStores(db: TestDatabase['db'], n: number, assets: number): Promise<void> {
  const first = n === 1 ? 0 : 1
  const uuids = sql`(select ('01900000-0000-7000-8000-' || lpad(s::text, 12, '0'))::uuid as uuid
    from generate_series(${first}::int, ${first + n - 1}::int) s) s`
  const items = sql`${uuids}, generate_series(0, ${assets - 1}::int) i`
  const pairs = sql`${uuids}, generate_series(0, ${(assets - 1) >> 1}::int) i`
  const codeOf = (i: ReturnType<typeof sql>) => sql`'sku-' || lpad((${i})::text, 5, '0')`
  const urlOf = (i: ReturnType<typeof sql>) => sql`'https://assets.example/' || (${i}) || '.jpg'`
  await sql`
    insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
    select uuid, uuid, 'Shop', 'catalog', '{}', '{}', '{}' from ${uuids}`.execute(db)
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select uuid, ${codeOf(sql`i`)}, 'new', '{"Color": "red"}' from ${items}`.execute(db)
  await sql`
    insert into asset (store_uuid, asset_id, asset_format, url)
    select uuid, 'asset-' || i, 'image', ${urlOf(sql`i`)} from ${items}`.execute(db)
  await sql`
    insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
    select uuid, ${codeOf(sql`i / 2`)}, 'SMP', 'asset-' || i, 1 + i % 2 from ${items}`.execute(db)
  await sql`
    insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
    select uuid, 'SMP', 'image', ${codeOf(sql`i`)}, json_build_array(
      json_build_object('asset_id', 'asset-' || 2 * i, 'Image URL 1', ${urlOf(sql`2 * i`)}),
      json_build_object('asset_id', 'asset-' || 2 * i + 1, 'Image URL 2', ${urlOf(sql`2 * i + 1`)})
    ) from ${pairs}`.execute(db)
  const groups = (assets + 1) >> 1
  await sql`
    insert into asset_group_range (store_uuid, channel, asset_format, first_code, groups)
    select uuid, 'SMP', 'image', '', ${groups}::int from ${uuids}`.execute(db)
  await sql`
    insert into asset_group_total (store_uuid, channel, asset_format, shard, groups, version)
    select uuid, 'SMP', 'image', 0, ${groups}::int, 1 from ${uuids}`.execute(db)
}

async function links(uuid: string) {
  const found = sql<{ asset_id: string }>`select asset_id from asset_link where store_uuid = ${uuid}`
  return (await found.execute(explainer.catalogue.db)).rows
}

/** The big tables that a plan reads by a sequential scan. */
function scannedWhole(nodes: Awaited<ReturnType<Explainer['plansOf']>>): string[] {
  return nodes.flatMap((node) => {
    const table = node['Relation Name'] ?? ''
    return node['Node Type'] === 'Seq Scan' && bigTables.includes(table) ? [table] : []
  })
}
