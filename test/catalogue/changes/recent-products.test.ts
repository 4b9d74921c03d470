import { type KyselyPlugin, sql } from 'kysely'
import { expect, it } from 'vitest'
import { listProducts } from '../../../src/catalogue/products/lists/list-products.ts'
import { resetLedger, setRecording } from '../../../src/database/ledger.ts'
import { ask } from '../../support/clients/operations.ts'
import { addProducts, newStore, productOf } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()
const random = new Random(20_261_123)

const color = () => `c${random.below(3)}`
const sku = () => `sku-${random.below(72)}`

/** Writes products in requests of different sizes, some of which are deleted or stay as they are. */
async function writeSome(store: string, requests: number): Promise<void> {
  const path = `/v1/products?store_uuid=${store}`
  for (let i = 0; i < requests; i++) {
    const codes = [...new Set(Array.from({ length: 1 + random.below(random.below(4) === 0 ? 40 : 3) }, sku))]
    const body = codes.map((product_code) => ({ product_code, Color: color() }))
    const kind = random.below(5)
    if (kind < 2) await gateway.call(path, { method: 'POST', body })
    else if (kind < 4) await gateway.call(path, { method: 'PUT', body })
    else await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: codes.slice(0, 3) })
  }
}

/** Products that were there before the ledger. */
const addOld = (store: string) =>
  sql`insert into product (store_uuid, product_code, status, attributes, created_at, updated_at)
    select ${store}::uuid, 'old-' || i, 'new', jsonb_build_object('Color', 'c' || i % 3),
      now() - (i / 3 + i % 5) * interval '1 day', now() - i / 3 * interval '1 day'
    from generate_series(3, 25) i`.execute(gateway.database.db)

const document = `query ($store: ID!, $filter: ProductFilter, $direction: OrderDirection!, $first: Int, $after: String, $last: Int, $before: String) {
  store(storeUuid: $store) { products(filter: $filter, orderBy: { field: UPDATED_AT, direction: $direction }, first: $first, after: $after, last: $last, before: $before) {
    pageInfo { endCursor startCursor hasNextPage hasPreviousPage } nodes { productCode } } } }`

interface Page {
  pageInfo: { endCursor: string; startCursor: string; hasNextPage: boolean; hasPreviousPage: boolean }
  nodes: { productCode: string }[]
}

/** All products, forwards in an order, or backwards in the opposite one. */
async function walk(store: string, filter: object, size: number, direction: 'DESC' | 'ASC', forwards: boolean) {
  const found: string[] = []
  for (let place = {}, isMore = true; isMore; ) {
    const count = forwards ? { first: size } : { last: size }
    const data = await gateway.data(document, { store, filter, direction, ...count, ...place })
    const { nodes, pageInfo } = (data.store as unknown as { products: Page }).products
    const codes = nodes.map(({ productCode }) => productCode)
    found.push(...(forwards ? codes : codes.reverse()))
    place = forwards ? { after: pageInfo.endCursor } : { before: pageInfo.startCursor }
    isMore = forwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage
  }
  return found
}

async function expected(store: string, { isRed, from }: { isRed: boolean; from: string | undefined }) {
  const { rows } = await sql<{ code: string }>`
    select product_code as code from product
    where store_uuid = ${store}::uuid and (not ${isRed} or attributes ->> 'Color' = 'c1')
      and updated_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
    order by updated_at desc, product_code desc`.execute(gateway.database.db)
  return rows.map(({ code }) => code)
}

it.each<[title: string, between: () => Promise<unknown>]>([
  ['has recorded all of its changes', async () => {}],
  ['has begun anew', () => resetLedger(gateway.database.db)],
  ['has a gap', () => setRecording(gateway.database.db, false)],
])('products are listed by their last change as the table has them, where the ledger %s', async (_title, between) => {
  const store = await newStore(gateway)
  await addOld(store)
  await writeSome(store, 60)
  const middle = new Date().toISOString()
  await between()
  await writeSome(store, 60)
  for (const isRed of [false, true]) {
    for (const from of [undefined, middle, '2024-01-01T00:00:00Z']) {
      const filter = {
        ...(isRed && { attributes: [{ name: 'Color', eq: 'c1' }] }),
        ...(from && { updatedAt: { from } }),
      }
      const all = await expected(store, { isRed, from })
      expect(all.length).toBeGreaterThan(10)
      for (const direction of ['DESC', 'ASC'] as const) {
        for (const size of [3, 100])
          expect(await walk(store, filter, size, direction, direction === 'DESC')).toEqual(all)
        expect(await walk(store, filter, 20, direction, direction === 'ASC')).toEqual(all.toReversed())
      }
    }
  }
  await setRecording(gateway.database.db, true)
})

it('takes all changes of a transaction, whose products have the time of its begin', async () => {
  const store = await newStore(gateway)
  const path = `/v1/products?store_uuid=${store}`
  const body = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ product_code: `p${i}`, Color: `c${count}` }))
  await addProducts(gateway, store, ['before'])
  await gateway.call(path, { method: 'POST', body: body(3) })
  const products = Array.from({ length: 6 }, (_, i) => ({ productCode: `p${i}`, status: 'ACTIVE' }))
  await addProducts(gateway, store, products)
  const { db } = gateway.database
  const changed = await sql<{ since: string | null; codes: string[] }>`
    select since::text as since, codes from changed_products(${store}::uuid, 'infinity', 2, 1000)`.execute(db)
  const [{ since, codes } = { since: null, codes: [] }] = changed.rows
  const { rows } = await sql<{ found: number }>`
    select count(*)::int as found from product
    where store_uuid = ${store} and updated_at >= ${since}::timestamptz and product_code = any(${codes}::text[])`.execute(
    db,
  )
  // On Citus these changes are on several servers: the function knows none.
  expect(rows).toEqual([{ found: process.env.CITUS_URL ? 0 : 6 }])
})

it('lists a product that was changed within the millisecond from which on products are asked for', async () => {
  const store = await newStore(gateway)
  const { db } = gateway.database
  await addProducts(gateway, store, ['last', 'first'])
  const first = await productOf(gateway, store, 'first')
  // To the millisecond.
  const from = first?.updatedAt
  await sql`
    update product set updated_at = ${from}::timestamptz + interval '100 microseconds'
    where store_uuid = ${store}::uuid and product_code = 'first'`.execute(db)
  await sql`update change set at = ${from}::timestamptz + interval '700 microseconds' where store_uuid = ${store}::uuid and kind = 'product'`.execute(
    db,
  )
  for (let i = 0; i < 4; i++) {
    const body = [{ product_code: 'last', Color: `c${i}` }]
    await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
  }
  expect(await walk(store, { updatedAt: { from } }, 1, 'DESC', true)).toEqual(['last', 'first'])
})

// On Citus the ledger does not tell which products were changed last.
it.skipIf(process.env.CITUS_URL)(
  'a list is as of the time at which its products were looked for in the ledger',
  async () => {
    const store = await newStore(gateway)
    await addProducts(gateway, store, ['before'])
    const { catalogue } = gateway.database
    let added: Date | undefined
    const addBetween: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (!added && result.rows.some((row) => 'codes' in row)) {
          await addProducts(gateway, store, ['between'])
          added = new Date()
        }
        return result
      },
    }
    const page = { limit: 1, backwards: false, after: undefined, before: undefined }
    const order = { field: 'updatedAt', direction: 'desc' } as const
    const { rows, asOf } = await listProducts(
      { ...catalogue, db: catalogue.db.withPlugin(addBetween) },
      store,
      {},
      page,
      order,
    )
    expect(rows.map(({ productCode }) => productCode)).toEqual(['before'])
    const { rows: stored } = await sql<{ at: Date }>`
    select updated_at as at from product where store_uuid = ${store} and product_code = 'between'`.execute(catalogue.db)
    expect(asOf.getTime()).toBeLessThanOrEqual(stored[0]?.at.getTime() ?? 0)
  },
)
