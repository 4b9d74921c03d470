import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addAssets } from '../../src/catalogue/assets/add-assets.ts'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { importFile } from '../../src/import/import-file.ts'
import { importRequest } from '../../src/import/options.ts'
import { useCatalog } from './catalog.ts'

const catalog = useCatalog()

const url = (name: string) => `https://a.example/${name}`
const row = (sku: string, name: string) => Buffer.from(`${JSON.stringify({ sku, 'Image URL 1': url(name) })}\n`)

/** Imports rows in chunks of 200. */
function importOf(store: string, rows: () => AsyncIterable<Buffer>) {
  const request = { ...importRequest('file.jsonl', { store, chunkRows: 200 }), storeUuid: store }
  return importFile(catalog.database.db, rows(), request, {
    enumerations: fallbackEnumerations,
    signal: new AbortController().signal,
  })
}

async function idsOf(store: string): Promise<Record<string, string>> {
  const { rows } = await sql<{ code: string; id: string }>`
    select parent_code as code, asset_id as id from asset_link where store_uuid = ${store}::uuid`.execute(
    catalog.database.db,
  )
  return Object.fromEntries(rows.map(({ code, id }) => [code, id]))
}

test('a URL that an earlier chunk brought to an empty store keeps its asset', async () => {
  const store = await catalog.newStore()
  const { counts } = await importOf(store, async function* () {
    for (let i = 0; i < 1_000; i++) yield row(`P${i}`, String(i % 400))
  })
  expect(counts).toMatchObject({ created: 1_000, assetsAdded: 400, linksAdded: 1_000 })
  const ids = await idsOf(store)
  expect(ids.P950).toBe(ids.P150)
  expect(await checkReadModel(catalog.database.db)).toEqual([])
})

test('a URL that another writer brings in the middle of an import keeps its asset', async () => {
  const store = await catalog.newStore()
  const asset = { assetId: 'own-id', parentCode: 'X', channel: 'SMP', assetFormat: 'image', url: url('other') }
  const { counts } = await importOf(store, async function* () {
    for (let i = 0; i < 1_500; i++) yield row(`P${i}`, String(i))
    await expect.poll(async () => Object.keys(await idsOf(store)).length).toBeGreaterThan(0)
    await inTransaction(catalog.database.catalogue, (work) => addAssets(work, fallbackEnumerations, store, [asset]))
    yield row('Q', 'other')
  })
  expect(counts).toMatchObject({ created: 1_501, assetsAdded: 1_500, linksAdded: 1_501 })
  expect((await idsOf(store)).Q).toBe('own-id')
})

test('a URL that is in the group already is not linked again, whatever the id of its asset', async () => {
  const store = await catalog.newStore()
  const asset = (assetId: string, parentCode: string) => ({ assetId, parentCode, channel: 'SMP', url: url('same') })
  const assets = [asset('first', 'X'), asset('second', 'P')].map((each) => ({ ...each, assetFormat: 'image' }))
  await inTransaction(catalog.database.catalogue, (work) => addAssets(work, fallbackEnumerations, store, assets))
  const { counts } = await importOf(store, async function* () {
    yield row('P', 'same')
    yield row('Q', 'same')
    yield row('P', 'another')
  })
  expect(counts).toMatchObject({ created: 2, assetsAdded: 1, linksAdded: 2 })
  const { rows } = await sql<{ parent_code: string; asset_id: string }>`
    select parent_code, asset_id from asset_link where store_uuid = ${store}::uuid and asset_id in ('first', 'second')
    order by parent_code`.execute(catalog.database.db)
  expect(rows.map(({ parent_code, asset_id }) => [parent_code, asset_id])).toEqual([
    ['P', 'second'],
    ['Q', 'first'],
    ['X', 'first'],
  ])
})
