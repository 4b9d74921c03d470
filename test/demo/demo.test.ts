import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { inventChanges } from '../../src/catalogue/changes/invent-changes.ts'
import { findProductAt } from '../../src/catalogue/changes/product-at.ts'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { inventMeasures } from '../../src/catalogue/dashboards/measures.ts'
import { type Enumerations, fallbackEnumerations, productStatuses } from '../../src/catalogue/enumerations.ts'
import { listStores } from '../../src/catalogue/stores/list-stores.ts'
import { createStore } from '../../src/catalogue/stores/stores.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { type TestDatabase, useDatabase } from '../support/database/database.ts'

const lines: string[] = []
const database = useDatabase()
beforeAll(() => fill(database))

function fill({ catalogue }: TestDatabase, enumerations: Enumerations = fallbackEnumerations) {
  return loadDemo(catalogue, enumerations, pino({}, { write: (line: string) => lines.push(line) }))
}

interface Group {
  channel: string
  asset_format: string
  entries: string
}

async function contents({ db }: TestDatabase) {
  const stores = await db.selectFrom('store').selectAll().orderBy('store_name').execute()
  const definitions = await sql<{ store_uuid: string; type: string }>`
    select * from attribute_definition order by store_uuid, name`.execute(db)
  const products = await sql<{ status: string; attributes: Record<string, string> }>`
    select * from product order by store_uuid, product_code`.execute(db)
  const groups = await sql<Group>`
    select * from asset_group order by store_uuid, parent_code, channel, asset_format`.execute(db)
  return { stores, definitions: definitions.rows, products: products.rows, groups: groups.rows }
}

test('numbers of products are not invented for a day that has true ones', async () => {
  const { db, catalogue } = database
  const store = (await listStores(catalogue, {}, { limit: 1, backwards: false }))[0]?.storeUuid ?? ''
  const measures = async () =>
    (await sql`select * from measure where store_uuid = ${store} order by metric, dimension, grain, at`.execute(db))
      .rows
  await sql`update measure set value = value + 1 where store_uuid = ${store} and grain = 'day'`.execute(db)
  const before = await measures()
  await inventMeasures(catalogue, store, 60)
  expect(before.length).toBeGreaterThan(60)
  expect(await measures()).toEqual(before)
})

test('an empty database gets stores, of which two are linked, with definitions, products and assets', async () => {
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
  expect(new Set(definitions.map(({ store_uuid }) => store_uuid)).size).toBe(3)
  expect(products).toHaveLength(300)
  expect(new Set(products.map(({ status }) => status))).toEqual(new Set(productStatuses))
  const images = groups.filter(({ asset_format }) => asset_format === 'image')
  expect(new Set(images.map(({ entries }) => JSON.parse(entries).length))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
  expect(new Set(groups.map(({ asset_format }) => asset_format))).toEqual(new Set(['image', 'video', 'pdf']))
  expect(new Set(groups.map(({ channel }) => channel)).size).toBe(3)
  const beginning = /^\[\{"asset_id":"[^"]+","[^"]* URL 1":"https:\/\/assets\.example\.com\//
  for (const { entries } of groups) expect(entries).toMatch(beginning)
  expect(await checkReadModel(database.db)).toEqual([])
})

test('the numbers of products have a line of 60 days that ends near the present ones', async () => {
  const { rows } = await sql<{ days: number; first: number; last: number; now: number }>`
    select count(distinct at)::integer as days, min(value)::integer as first, max(value)::integer as last,
      (select count(*)::integer from product p where p.store_uuid = m.store_uuid) as now
    from measure m where metric = 'PRODUCTS' and grain = 'day' and at < date_trunc('day', now(), 'UTC')
    group by store_uuid`.execute(database.db)
  expect(rows.map(({ days }) => days)).toEqual([60, 60, 60])
  for (const { first, last, now } of rows) {
    expect(first).toBeLessThan(0.75 * now)
    expect(Math.abs(last - now)).toBeLessThan(0.2 * now)
  }
})

test('a database that has a store is left alone, with a line in the log', async () => {
  const before = await contents(database)
  await fill(database)
  expect(await contents(database)).toEqual(before)
  expect(lines.splice(1)).toEqual([expect.stringMatching(/"msg":"[^"]*has stores already/)])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'demo catalogue added', stores: 3 })
})

describe('in another database', () => {
  const another = useDatabase({}, 'each')

  test('the changes have a line of 29 days, and the last one of a product gives its earlier price', async () => {
    const origin = { requestId: 'demo', actor: 'demo', via: 'cli', operation: 'import' } as const
    await loadDemo({ ...another.catalogue, origin }, fallbackEnumerations, pino({ level: 'silent' }))
    const { rows } = await sql<{ days: number }>`
      select count(distinct at::date)::integer as days from change group by store_uuid`.execute(another.db)
    for (const { days } of rows) expect(days).toBeGreaterThan(20)
    const { rows: unsorted } = await sql`
      select codes from change where request_id like 'prices-%'
        and codes <> array(select code from unnest(codes) code order by code collate "C")`.execute(another.db)
    expect(unsorted).toEqual([])
    const { rows: products } = await sql<{ storeUuid: string; code: string; price: string }>`
      select store_uuid as "storeUuid", product_code as code, attributes ->> 'Price' as price from product
      where product_code = 'FW-1001'`.execute(another.db)
    for (const { storeUuid, code, price } of products) {
      const before = await findProductAt(another.catalogue, storeUuid, code, new Date(Date.now() - 28.5 * 86_400_000))
      expect(Number(before?.attributes.Price)).toBeCloseTo(1.1 * Number(price), 1)
    }
    expect(await checkReadModel(another.db)).toEqual([])
  })

  test('a store without prices has no changes of them', async () => {
    const origin = { requestId: 'demo', actor: 'demo', via: 'cli', operation: 'import' } as const
    const catalogue = { ...another.catalogue, origin }
    const input = { storeName: 'No prices', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
    const { storeUuid } = await inTransaction(catalogue, (within) =>
      createStore(within, fallbackEnumerations, input, { copyTaxonomy: false }),
    )
    await inventChanges(catalogue, storeUuid, 29)
    const { rows } = await sql`select kind, action from change`.execute(another.db)
    expect(rows).toEqual([{ kind: 'store', action: 'created' }])
  })

  test('every database gets the same catalogue', async () => {
    await fill(another)
    const catalogueOf = async ({ db }: TestDatabase) => {
      const { rows } = await sql`
        select store_name, product_code, status, attributes,
          (select json_agg(json_build_array(channel, place, url) order by channel, place, url)
            from asset_link l join asset using (store_uuid, asset_id)
            where l.store_uuid = p.store_uuid and parent_code = product_code) as links,
          (select json_agg(to_jsonb(d) - 'store_uuid' order by name)
            from attribute_definition d where d.store_uuid = p.store_uuid) as definitions
        from product p join store using (store_uuid) order by store_name, product_code`.execute(db)
      return rows
    }
    expect(await catalogueOf(another)).toEqual(await catalogueOf(database))
  })

  test('a column of a format that is not configured stays an attribute, and a store has configured channels', async () => {
    await fill(another, { ...fallbackEnumerations, assetFormats: ['pdf', 'audio'], channels: ['SMP', 'Radio'] })
    const { groups, products, stores } = await contents(another)
    expect(new Set(groups.map(({ asset_format }) => asset_format))).toEqual(new Set(['pdf']))
    expect(products[0]?.attributes).toHaveProperty('Image URL 1')
    expect(stores[0]?.channels).toEqual(['SMP', 'Radio'])
  })
})
