import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkReadModel } from '../../src/catalogue/asset-groups/check-read-model.ts'
import { type Enumerations, fallbackEnumerations, productStatuses } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'

let database: TestDatabase
let lines: string[]

beforeEach(async () => {
  database = await createTestDatabase()
  lines = []
})

afterEach(() => database.drop())

function fill(enumerations: Enumerations = fallbackEnumerations) {
  return loadDemo(database.catalogue, enumerations, pino({}, { write: (line: string) => lines.push(line) }))
}

interface Row {
  store_uuid: string
}

/** What the demo decides: everything but UUIDs and times. */
async function contents({ db }: TestDatabase) {
  const stores = await db.selectFrom('store').selectAll().orderBy('store_name').execute()
  const names = new Map(stores.map((store) => [store.store_uuid, store.store_name]))
  const named = <T extends { store_uuid: string }>({ store_uuid, ...row }: T) => ({
    ...row,
    store: names.get(store_uuid),
  })
  const [definitions, products, links, groups] = await Promise.all([
    db.selectFrom('attribute_definition').selectAll().orderBy('name').execute(),
    sql<Row & { product_code: string; status: string; attributes: Record<string, string> }>`
      select store_uuid, product_code, status, attributes from product order by product_code`.execute(db),
    sql<Row & { parent_code: string; channel: string; place: number; url: string }>`
      select store_uuid, parent_code, channel, place, url from asset_link join asset using (store_uuid, asset_id)
      order by url, channel`.execute(db),
    sql<Row & { channel: string; asset_format: string; entries: string }>`
      select * from asset_group order by parent_code, channel, asset_format`.execute(db),
  ])
  return {
    stores,
    definitions: definitions.map(named).sort((a, b) => `${a.store}${a.name}`.localeCompare(`${b.store}${b.name}`)),
    products: products.rows.map(named),
    links: links.rows.map(named),
    groups: groups.rows.map((group) =>
      named({ ...group, entries: group.entries.replaceAll(/"asset_id":"[^"]*",/g, '') }),
    ),
  }
}

test('an empty database gets stores, of which two are linked, with definitions, products and assets', async () => {
  await fill()
  const { stores, definitions, products, groups } = await contents(database)
  expect(stores.map(({ store_name }) => store_name)).toEqual([
    'Fernwood Outfitters',
    'Fernwood Outlet',
    'Harbour & Home',
  ])
  expect(new Set(stores.map(({ store_group }) => store_group)).size).toBe(2)
  expect(stores[0]?.store_group).toBe(stores[1]?.store_group)
  expect(new Set(definitions.map(({ type }) => type))).toEqual(
    new Set(['enum', 'number', 'text', 'date', 'boolean', 'url']),
  )
  expect(new Set(definitions.map(({ store }) => store)).size).toBe(3)
  expect(products).toHaveLength(300)
  expect(new Set(products.map(({ status }) => status))).toEqual(new Set(productStatuses))
  const images = groups.filter(({ asset_format }) => asset_format === 'image')
  expect(new Set(images.map(({ entries }) => JSON.parse(entries).length))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
  expect(new Set(groups.map(({ asset_format }) => asset_format))).toEqual(new Set(['image', 'video', 'pdf']))
  expect(new Set(groups.map(({ channel }) => channel)).size).toBe(3)
  for (const { entries } of groups) expect(entries).toMatch(/^\[\{"[^"]* URL 1":"https:\/\/assets\.example\.com\//)
  expect(await checkReadModel(database.db)).toEqual([])
})

test('the same catalogue is loaded every time', async () => {
  await fill()
  const first = await contents(database)
  await database.drop()
  database = await createTestDatabase()
  await fill()
  const second = await contents(database)
  expect({ ...second, stores: [] }).toEqual({ ...first, stores: [] })
})

test('a database that has a store is left alone, with a line in the log', async () => {
  await fill()
  const before = await contents(database)
  await fill()
  expect(await contents(database)).toEqual(before)
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'demo catalogue added', stores: 3 })
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ msg: expect.stringMatching(/has stores already/) })
})

test('a column of a format that is not configured stays an attribute, and a store has configured channels', async () => {
  await fill({ ...fallbackEnumerations, assetFormats: ['pdf', 'audio'], channels: ['SMP', 'Radio'] })
  const { groups, products, stores } = await contents(database)
  expect(new Set(groups.map(({ asset_format }) => asset_format))).toEqual(new Set(['pdf']))
  expect(products[0]?.attributes).toHaveProperty('Image URL 1')
  expect(stores[0]?.channels).toEqual(['SMP', 'Radio'])
})
