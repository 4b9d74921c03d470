import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { listProducts } from '../../src/catalogue/products/lists/list-products.ts'
import { pageProducts } from '../../src/catalogue/products/lists/page-products.ts'
import type { ProductOrder } from '../../src/catalogue/products/query/order.ts'
import type { AttributeFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { limitedTo } from '../../src/database/tenant.ts'
import { storeIn } from '../support/factories.ts'
import { useExplainer, workOf } from './explain.ts'

/** What each hundredth product of one large store has, all others of the second one have, in each slot. */
const products = 60_000
const small = 20
/** The creation and last change of a product: as many minutes later as its number. */
const begin = sql`timestamptz '2020-01-01T00:00:00Z'`
const minute = (i: number) => new Date(Date.UTC(2020, 0, 1, 0, i))
let stores: string[]
const explainer = useExplainer(async (catalogue) => {
  for (let i = 0; i < 40; i++) await addStore(catalogue, small, i % 2 === 0)
  await sql`analyze`.execute(catalogue.db)
  stores = [await addStore(catalogue, products, true), await addStore(catalogue, products, false)]
})

/** Fills the index as the follower does, in a few statements. */
async function addStore(catalogue: Catalogue, count: number, isRare: boolean): Promise<string> {
  const { db } = catalogue
  const uuid = await storeIn(catalogue)
  const of = (rare: string, usual: string) => sql`case when (i % 100 = 0) = ${isRare} then ${rare} else ${usual} end`
  await sql`
    insert into product (store_uuid, product_code, status, created_at, updated_at, attributes)
    select ${uuid}::uuid, lpad(i::text, 6, '0'), ${of('draft', 'new')}, ${begin} + i * interval '1 minute',
      ${begin} + i * interval '1 minute',
      jsonb_build_object('Kind', ${of('a', 'b')}, 'Price', ${of('1', '2')}, 'Name', md5(i::text))
    from generate_series(1, ${count}::integer) i`.execute(db)
  await sql`insert into product_total values (${uuid}::uuid, 0, 'new', ${count}::integer)`.execute(db)
  for (const [slot, name] of ['Kind', 'Price', 'Name'].entries()) {
    const isNumber = name === 'Price'
    await sql`insert into attribute_definition (store_uuid, name, type, filterable)
      values (${uuid}::uuid, ${name}, ${isNumber ? 'number' : 'text'}, true)`.execute(db)
    await sql`insert into product_index_slot values (${uuid}::uuid, ${slot + 1}, ${name}, ${isNumber}, null)`.execute(
      db,
    )
  }
  await sql`
    insert into product_index (store_uuid, product_code, status, created_at, updated_at, t1, t2, n2, t3)
    select store_uuid, product_code, status, created_at, updated_at, attributes ->> 'Kind', attributes ->> 'Price',
      (attributes ->> 'Price')::float8, attributes ->> 'Name'
    from product where store_uuid = ${uuid}`.execute(db)
  return uuid
}

const few: [title: string, filter: AttributeFilter | 'draft'][] = [
  ['a rare text', { name: 'Kind', eq: 'a' }],
  ['texts that begin so', { name: 'Kind', startsWith: 'a' }],
  ['a rare number', { name: 'Price', eq: '1.0' }],
  ['a range of rare numbers', { name: 'Price', lt: '2' }],
  ['a rare status', 'draft'],
]
const orders: ProductOrder[] = [
  { field: 'code' },
  { field: 'createdAt', direction: 'desc' },
  { field: 'updatedAt' },
  { field: 'attribute', attribute: 'Name' },
  { field: 'attribute', attribute: 'Kind', direction: 'desc' },
]

it.each([
  ['creation alone', { createdAt: { from: minute(products / 2), to: minute(products / 2 + 60) } }],
  [
    'creation and last change together',
    { createdAt: { from: minute(products / 2) }, updatedAt: { to: minute(products / 2 + 60) } },
  ],
])('reads few products for a page of an hour by %s', async (_title, filter) => {
  for (const store of stores) {
    const nodes = await explainer.plansOf((catalogue) =>
      listProducts(catalogue, store, filter, { limit: 51, backwards: false }),
    )
    expect(workOf(nodes)).toBeLessThan(0.5 * products)
  }
})

it.each(few)('reads few products for a page of %s, in any order, whatever other stores have', async (_title, rare) => {
  const filter = rare === 'draft' ? { status: ['draft'] as const } : { attributes: [rare] }
  for (const [i, store] of stores.entries()) {
    for (const order of orders) {
      for (const isLimited of [false, true]) {
        const nodes = await explainer.plansOf((catalogue) => {
          const { db } = catalogue
          const limited = isLimited ? { ...catalogue, db: limitedTo(db, new Set([store])) } : catalogue
          return listProducts(limited, store, filter, { limit: 51, backwards: false }, order)
        })
        // In the first store few products match; in the second one nearly all, so that any order finds a page soon.
        const work = workOf(nodes)
        expect(nodes.some((node) => node['Relation Name'] === 'product_index')).toBe(true)
        expect(work, `${JSON.stringify(order)} ${isLimited}`).toBeLessThan((i === 0 ? 0.5 : 6) * products)
      }
    }
  }
})

it.each(['draft', 'new', 'problem'] as const)(
  'reads the products of a page by offset of the status %s',
  async (status) => {
    for (const store of stores) {
      for (const isLimited of [false, true]) {
        const nodes = await explainer.plansOf((catalogue) => {
          const { db } = catalogue
          const limited = isLimited ? { ...catalogue, db: limitedTo(db, new Set([store])) } : catalogue
          return pageProducts(limited, store, { status: [status] }, { offset: 10, limit: 50 })
        })
        expect(nodes.some((node) => node['Relation Name'] === 'product_index')).toBe(false)
        expect(workOf(nodes), `${isLimited}`).toBeLessThan(2_000)
      }
    }
  },
)
