import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { countProducts } from '../../src/catalogue/products/lists/count-products.ts'
import { countFacets } from '../../src/catalogue/products/lists/facets.ts'
import { listProducts } from '../../src/catalogue/products/lists/list-products.ts'
import { pageProducts } from '../../src/catalogue/products/lists/page-products.ts'
import type { ProductOrder } from '../../src/catalogue/products/query/order.ts'
import type { ProductFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { chooseSource } from '../../src/catalogue/products/query/source.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { createProjectionWait } from '../../src/catalogue/projections/wait-for-projections.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { requestContext, withCore } from '../../src/request/context.ts'
import { ReadBytes } from '../../src/request/read-bytes.ts'
import { newRequestId } from '../../src/request/request-id.ts'
import { caughtUp } from '../support/caught-up.ts'
import { useDatabase } from '../support/database/database.ts'
import { buildIndex } from '../support/database/product-index.ts'
import { storeIn } from '../support/factories.ts'

/** No gateway runs: nothing follows the writes. */
const database = useDatabase({ connection: { cores: 1 } })
const products = 6_000

async function filledStore(count: number): Promise<string> {
  const { catalogue, db } = database
  const uuid = await storeIn(catalogue)
  await addProducts(uuid, 1, count)
  await sql`insert into product_total values (${uuid}::uuid, 0, 'new', ${count}::integer)`.execute(db)
  await sql`insert into attribute_definition (store_uuid, name, type, filterable)
    values (${uuid}::uuid, 'Color', 'text', true), (${uuid}::uuid, 'Size', 'number', true)`.execute(db)
  await buildIndex(catalogue, uuid)
  return uuid
}

const addProducts = (uuid: string, from: number, to: number) =>
  sql`insert into product (store_uuid, product_code, status, attributes)
    select ${uuid}::uuid, lpad(i::text, 6, '0'), 'new', jsonb_build_object('Color', 'c' || i % 2, 'Size', i)
    from generate_series(${from}::integer, ${to}::integer) i`.execute(database.db)

/** The catalogue of which the first statement that has a part is followed by some work, before the next one is sent. */
function afterFirst(part: string, work: () => Promise<unknown>): Catalogue {
  let isDone = false
  const { catalogue, db } = database
  const texts = new Map<unknown, string>()
  return {
    ...catalogue,
    db: db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        texts.set(queryId, JSON.stringify(node))
        return node
      },
      transformResult: async ({ result, queryId }) => {
        if (isDone || !texts.get(queryId)?.includes(part)) return result
        isDone = true
        await work()
        return result
      },
    }),
  }
}

const color = (eq: string) => ({ attributes: [{ name: 'Color', eq }] })
const firstPage = { limit: 3, backwards: false }
const codesOf = (rows: readonly { productCode: string }[]) => rows.map(({ productCode }) => productCode)

it('lists products that begin to match while a page is read, and the others too', async () => {
  const uuid = await filledStore(products)
  const catalogue = afterFirst(' as counts', async () => {
    await sql`update product set attributes = attributes || '{"Color": "c0"}' where store_uuid = ${uuid}`.execute(
      database.db,
    )
    await sql`update product_index set t1 = 'c0' where store_uuid = ${uuid}`.execute(database.db)
  })
  const order: ProductOrder = { field: 'code', direction: 'desc' }
  const { rows } = await listProducts(catalogue, uuid, color('c0'), firstPage, order)
  expect(codesOf(rows)).toEqual(['006000', '005999', '005998'])
})

const reads: [title: string, read: (catalogue: Catalogue, uuid: string) => Promise<unknown>, expected: unknown][] = [
  [
    'a list',
    async (catalogue, uuid) => codesOf((await listProducts(catalogue, uuid, color('c1'), firstPage)).rows),
    ['000001', '000003', '000005'],
  ],
  ['a number', async (catalogue, uuid) => (await countProducts(catalogue, uuid, color('c1'))).count, products / 2],
  [
    'a facet',
    async (catalogue, uuid) => {
      const [facet] = await countFacets(catalogue, uuid, { names: ['Color'], filter: {}, first: 2 })
      return facet?.values
    },
    ['c0', 'c1'].map((value) => ({ value, count: products / 2 })),
  ],
  [
    'a page',
    async (catalogue, uuid) => {
      const { products, totalProducts } = await pageProducts(catalogue, uuid, color('c1'), { offset: 0, limit: 1 })
      return [totalProducts, codesOf(products)]
    },
    [products / 2, ['000001']],
  ],
]

it.each(reads)('answers %s though the attribute gets another slot meanwhile', async (_title, read, expected) => {
  const uuid = await filledStore(products)
  const catalogue = afterFirst(' as products', async () => {
    const { db } = database
    await sql`update product_index set t3 = t1, t1 = 'c1' where store_uuid = ${uuid}`.execute(db)
    await sql`update product_index_slot set slot = 3 where store_uuid = ${uuid} and name = 'Color'`.execute(db)
    await sql`insert into product_index_slot values (${uuid}::uuid, 1, 'Other', false, null)`.execute(db)
  })
  expect(await read(catalogue, uuid)).toEqual(expected)
})

const dirty = async (uuid: string, projection: string | null, minutes: number) => {
  const { rows } = await sql<{ at: Date }>`
    insert into product_dirty (store_uuid, codes, projection, at)
    values (${uuid}::uuid, '{000001}', ${projection}, date_trunc('second', now()) - ${minutes} * interval '1 minute')
    returning at`.execute(database.db)
  return rows[0]?.at
}
const now = async () => {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(database.db)
  return Number(rows[0]?.now)
}

it('tells of when a list and a number are by the projections that they read', async () => {
  const { catalogue } = database
  const uuid = await filledStore(products)
  const readiness = await dirty(uuid, 'READINESS', 3)
  const filters = await dirty(uuid, 'FILTERS', 2)
  const asOf = async (filter: ProductFilter, order?: ProductOrder) => {
    const list = await listProducts(catalogue, uuid, filter, firstPage, order)
    const number = await countProducts(catalogue, uuid, filter)
    if (!order) expect(number.asOf >= list.asOf, JSON.stringify(filter)).toBe(true)
    return list.asOf
  }
  expect(await asOf(color('c1'))).toEqual(filters)
  expect(await asOf({}, { field: 'attribute', attribute: 'Color' })).toEqual(filters)
  expect(await asOf({ blockedOn: 'SMP' })).toEqual(readiness)
  expect(await asOf({ and: [color('c1'), { not: { readyOn: 'SMP' } }] })).toEqual(readiness)
  const begun = await now()
  for (const filter of [{}, { codePrefix: '0' }, { search: '0001' }, { ...color('c1'), codes: ['000001'] }]) {
    expect(Number(await asOf(filter)), JSON.stringify(filter)).toBeGreaterThanOrEqual(begun)
  }
})

it('answers a page by offset as it is now, whatever the index has', async () => {
  const { catalogue, db } = database
  const uuid = await filledStore(products)
  await sql`update product set status = 'draft' where store_uuid = ${uuid} and product_code in ('000007', '000008')`.execute(
    db,
  )
  await sql`update product_total set count = count - 2 where store_uuid = ${uuid}`.execute(db)
  await sql`insert into product_total values (${uuid}::uuid, 0, 'draft', 2)`.execute(db)
  await sql`delete from product where store_uuid = ${uuid} and product_code = '000001'`.execute(db)
  const page = async (filter: ProductFilter) => {
    const { totalProducts, products } = await pageProducts(catalogue, uuid, filter, { offset: 0, limit: 3 })
    return [totalProducts, codesOf(products)]
  }
  expect(await page({ status: ['draft'] })).toEqual([2, ['000007', '000008']])
  database.statements()
  expect(await page({ status: ['new'] })).toEqual([products - 2, ['000002', '000003', '000004']])
  expect(database.statements()).toBe(1)
  expect(await page({ codes: ['000007', '000009'], status: ['new'] })).toEqual([1, ['000009']])
})

it('counts the values of an attribute once, until a change of the store is applied', async () => {
  const uuid = await filledStore(products)
  const { catalogue } = database
  const ask = async (filter: ProductFilter = {}) => {
    const query = { names: ['Color'], filter, first: 20 }
    const before = new Date()
    database.statements()
    const [facet] = await countFacets(catalogue, uuid, query)
    expect(facet?.asOf.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1_000)
    return { counts: facet?.values.map(({ count }) => count), statements: database.statements() }
  }
  expect(await ask()).toEqual({ counts: [3_000, 3_000], statements: 2 })
  expect(await ask()).toEqual({ counts: [3_000, 3_000], statements: 1 })
  const cheap = { attributes: [{ name: 'Size', lte: '10' }] }
  expect(await ask(cheap)).toEqual({ counts: [5, 5], statements: 2 })
  expect(await ask(cheap)).toEqual({ counts: [5, 5], statements: 1 })
  await inTransaction(catalogue, (work) =>
    upsertProducts(work, uuid, [{ productCode: '000001', attributes: { Color: 'c0' } }]),
  )
  expect(await ask()).toEqual({ counts: [3_000, 3_000], statements: 1 })
  await caughtUp(database, uuid)
  expect(await ask()).toEqual({ counts: [3_001, 2_999], statements: 2 })
  expect(await ask(cheap)).toEqual({ counts: [6, 4], statements: 2 })
  expect((await ask({ missingAssets: {} })).statements).toBeGreaterThan(1)
  expect((await ask({ missingAssets: {} })).statements).toBeGreaterThan(1)
  // What is counted while changes wait is not kept.
  await inTransaction(catalogue, (work) => upsertProducts(work, uuid, [{ productCode: 'new' }]))
  const waiting = { attributes: [{ name: 'Size', lte: '20' }] }
  for (let i = 0; i < 2; i++) expect(await ask(waiting)).toMatchObject({ statements: 2 })
})

it('counts the values of a small store as they are now', async () => {
  const uuid = await filledStore(10)
  const { catalogue } = database
  await inTransaction(catalogue, (work) => upsertProducts(work, uuid, [{ productCode: 'new' }]))
  const [facet] = await countFacets(catalogue, uuid, { names: ['Color'], filter: {}, first: 1 })
  expect(facet).toMatchObject({ distinct: 2, missing: 1 })
})

it('refuses an attribute that is declared and not indexed yet with how far that is', async () => {
  const { catalogue, db } = database
  const uuid = await storeIn(catalogue)
  await sql`insert into product_total values (${uuid}::uuid, 0, 'new', 50001)`.execute(db)
  await sql`insert into attribute_definition (store_uuid, name, type, filterable)
    values (${uuid}::uuid, 'Color', 'text', true), (${uuid}::uuid, 'Size', 'number', false)`.execute(db)
  const refused = (name: string) =>
    expect(listProducts(catalogue, uuid, { attributes: [{ name, eq: '1' }] }, firstPage)).rejects
  await refused('Color').toThrow('"Color" is being indexed: 0 of 50,001 products')
  await refused('Size').toThrow('"Size" is not: declare it by defineAttributes')
})

it('refuses a search of a large store until the searchable attributes are indexed', async () => {
  const { catalogue, db } = database
  const uuid = await storeIn(catalogue)
  await sql`insert into product_total values (${uuid}::uuid, 0, 'new', 50001)`.execute(db)
  const codes = () => countProducts(catalogue, uuid, { or: [{ search: 'a' }, { codePrefix: 'b' }] })
  expect(await codes()).toMatchObject({ count: 0 })
  await sql`insert into attribute_definition (store_uuid, name, type, searchable)
    values (${uuid}::uuid, 'Name', 'text', true)`.execute(db)
  await expect(codes()).rejects.toThrow(
    'filter.or[0].search must wait until all searchable attributes are indexed, in a store of more than 50,000 products; they are being indexed: 0 of 50,001 products',
  )
  await sql`insert into product_text_state (store_uuid, names, built_to) values (${uuid}::uuid, '{Name}', null)`.execute(
    db,
  )
  expect(await codes()).toMatchObject({ count: 0 })
})

it('waits for the latest writes and chooses what it reads while long statements have all cores', async () => {
  const uuid = await filledStore(products)
  const context = {
    requestId: newRequestId(),
    traceparent: undefined,
    trace: undefined,
    signal: new AbortController().signal,
    tenant: 'a',
    tokenId: 'a',
    readBytes: new ReadBytes(2 ** 30),
  }
  await using holder = await database.client()
  await holder.query('select pg_advisory_lock(1)')
  await requestContext.run(context, async () => {
    const holding = withCore(() => sql`select pg_advisory_lock(1), pg_advisory_unlock(1)`.execute(database.db))
    await expect.poll(() => database.lockWaiters()).toBe(1)
    await dirty(uuid, null, 1)
    const catalogue = { ...database.catalogue, waitForProjections: createProjectionWait(database.catalogue) }
    const chosen = withCore(() => chooseSource(catalogue, uuid, { filter: color('c1') }))
    await sql`delete from product_dirty where store_uuid = ${uuid}`.execute(database.db)
    expect((await chosen).table).toBe('product_index')
    await holder.query('select pg_advisory_unlock(1)')
    await holding
  })
})
