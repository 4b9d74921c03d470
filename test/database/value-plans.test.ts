import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { defineAttributes } from '../../src/catalogue/attributes/attribute-definitions.ts'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { deleteProducts } from '../../src/catalogue/products/delete-products.ts'
import { countProducts } from '../../src/catalogue/products/list/count-products.ts'
import { listProducts } from '../../src/catalogue/products/list/list-products.ts'
import type { AttributeFilter, ProductFilter } from '../../src/catalogue/products/list/product-filter.ts'
import { cursorKey, type ProductOrder, type ProductPage } from '../../src/catalogue/products/list/product-order.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { write } from '../../src/catalogue/transaction.ts'
import { indexValues } from '../../src/catalogue/values/index-values.ts'
import { storeIn } from '../support/factories.ts'
import { useExplainer, workOf } from './explain.ts'

/** One store of many products, of which few have the attribute `Rare`, a third `Third`, and some small ones. */
const products = 30_000
const rare = 20

let store: string
const explainer = useExplainer(async (catalogue) => {
  for (const count of [500, 500, products]) store = await newStore(catalogue, count)
})

async function newStore(catalogue: Catalogue, count: number): Promise<string> {
  const uuid = await storeIn(catalogue)
  await sql`
    with totalled as (
      insert into product_total (store_uuid, shard, status, count) values (${uuid}::uuid, 0, 'new', ${count}::int)
    )
    insert into product (store_uuid, product_code, status, attributes, created_at)
    select ${uuid}::uuid, lpad(i::text, 6, '0'), 'new', jsonb_build_object('Color', 'c' || i % 3, 'Price', (i % 200)::text)
      || case when i % ${products / rare}::int = 1 then '{"Rare": "x"}' else '{}' end::jsonb
      || case when i % 3 = 1 then '{"Third": "x"}' else '{}' end::jsonb, '2026-01-01'::timestamptz + i % 100 * interval '1 hour'
    from generate_series(1, ${count}::int) i`.execute(catalogue.db)
  const definition = { allowedValues: null, maxLength: null, pattern: null, filterable: true }
  await write(catalogue, false, (work) =>
    defineAttributes(work, uuid, [
      { ...definition, name: 'Color', type: 'text' },
      { ...definition, name: 'Price', type: 'number' },
      { ...definition, name: 'Rare', type: 'text' },
      { ...definition, name: 'Third', type: 'text' },
    ]),
  )
  await indexValues(catalogue, uuid, '01900000-0000-7000-8000-000000000000')
  return uuid
}

const page = { limit: 51, backwards: false }
const listed = (attribute: AttributeFilter) => (catalogue: Catalogue) =>
  listProducts(catalogue, store, { attributes: [attribute] }, page)
const counted = (attribute: AttributeFilter) => (catalogue: Catalogue) =>
  countProducts(catalogue, store, { attributes: [attribute] })

const cheap = { name: 'Price', lt: '10' }
const cheapest = { name: 'Price', lt: '3' }
const between = (hours: [number, number]): ProductFilter => {
  const [from, to] = hours.map((hour) => new Date(Date.UTC(2026, 0, 1, hour)))
  return { createdAt: { from, to } }
}
const inOrder = (filter: ProductFilter, order: ProductOrder) => (catalogue: Catalogue) =>
  listProducts(catalogue, store, filter, page, order)
const byColor = { field: 'attribute', attribute: 'Color' } as const

const both = (attribute: AttributeFilter, others: ProductFilter) => (catalogue: Catalogue) =>
  countProducts(catalogue, store, { attributes: [{ name: 'Color', exists: true }, attribute], ...others })

it.each<[title: string, read: (catalogue: Catalogue) => Promise<unknown>]>([
  ['a page of an attribute that few have', listed({ name: 'Rare', exists: true })],
  ['a page of values of it other than one', listed({ name: 'Rare', ne: 'y' })],
  ['a page of a part of it', listed({ name: 'Rare', contains: 'X' })],
  ['a page of an attribute that all have', listed({ name: 'Color', exists: true })],
  ['a page of another value that most have', listed({ name: 'Color', ne: 'c0' })],
  ['a page of those without an attribute that few have', listed({ name: 'Rare', exists: false })],
  ['a page of a status that none has', (catalogue) => listProducts(catalogue, store, { status: ['problem'] }, page)],
  ['a page in the order of the status', (catalogue) => listProducts(catalogue, store, {}, page, { field: 'status' })],
  ['a page of a time of creation', inOrder(between([3, 6]), { field: 'code' })],
  ['a page of no time of creation', inOrder(between([101, 103]), byColor)],
  [
    'a page of those that changed last before the time of creation',
    inOrder({ ...between([3, 6]), updatedAt: { to: new Date('2026-01-01') } }, byColor),
  ],
  ['a page of some values in the order of another attribute', inOrder({ attributes: [cheap] }, byColor)],
  ['a page of some values in the order of creation', inOrder({ attributes: [cheap] }, { field: 'createdAt' })],
  ['a page of some values and a time of creation', inOrder({ attributes: [cheapest], ...between([3, 4]) }, byColor)],
  ['a page of a value in its own order', inOrder({ attributes: [{ name: 'Color', eq: 'c1' }] }, byColor)],
  [
    'a page of a part that no value has',
    inOrder({ attributes: [{ name: 'Color', contains: 'd' }] }, { field: 'createdAt' }),
  ],
  [
    'a page of those without an attribute that all have',
    inOrder({ attributes: [{ name: 'Price', exists: false }] }, byColor),
  ],
  ['the number of some values and a time of creation', both(cheapest, between([3, 6]))],
  ['the number of those that have an attribute', counted({ name: 'Color', exists: true })],
  ['the number of those that do not have it', counted({ name: 'Color', exists: false })],
  ['the number of those that meet two conditions that all meet', both({ name: 'Color', ne: 'x' }, {})],
])('finds %s without reading the others', async (_title, read) => {
  expect(workOf(await explainer.plansOf(read))).toBeLessThan(products / 4)
})

it('reads all products for a page that the first keys of its order do not fill', async () => {
  const { catalogue } = explainer.database
  const filter: ProductFilter = {
    or: [199, 399, 1, 201, products].map((i) => ({ codes: [String(i).padStart(6, '0')] })),
  }
  const order = { field: 'attribute', attribute: 'Price' } as const
  const codes = async (page: ProductPage) =>
    (await listProducts(catalogue, store, filter, page, order)).map(({ productCode }) => Number(productCode))
  expect(await codes(page)).toEqual([products, 1, 201, 199, 399])
  expect(await codes({ limit: 2, backwards: false })).toEqual([products, 1])
  expect(await codes({ limit: 2, backwards: true })).toEqual([399, 199])
  const after = cursorKey(order, '1', '000201')
  expect(await codes({ ...page, after })).toEqual([199, 399])
  expect(await codes({ ...page, before: after, backwards: true })).toEqual([1, products])
})

it('counts products that meet several conditions that most meet, whether all have the attributes or not', async () => {
  const { catalogue } = explainer.database
  const isOther = await both({ name: 'Color', ne: 'c0' }, {})(catalogue)
  expect(isOther).toBe(Math.ceil((products * 2) / 3))
  for (const isNew of [false, true]) {
    expect(await both({ name: 'Color', ne: 'x' }, {})(catalogue)).toBe(products)
    expect(await both({ name: 'Color', ne: 'c0' }, {})(catalogue)).toBe(isOther)
    expect(await both({ name: 'Color', ne: 'c0' }, { status: ['new'] })(catalogue)).toBe(isOther)
    for (const status of [['new'], ['new', 'active'], ['active']] as const) {
      const ofStatus = { status, attributes: [{ name: 'Color', ne: 'c1' }] }
      const expected = status[0] === 'new' ? products - Math.ceil(products / 3) : 0
      expect(await countProducts(catalogue, store, ofStatus)).toBe(expected)
    }
    for (const [ne, expected] of [
      ['c0', Math.ceil(products / 3)],
      ['c1', 0],
    ] as const) {
      const ofThird = [
        { name: 'Third', exists: true },
        { name: 'Color', ne },
      ]
      expect(await countProducts(catalogue, store, { attributes: ofThird })).toBe(expected)
      expect(await both({ name: 'Third', exists: true }, { and: [{ attributes: ofThird }] })(catalogue)).toBe(expected)
    }
    const patch = { productCode: 'without', attributes: {} }
    if (!isNew) await write(catalogue, false, (work) => upsertProducts(work, store, [patch]))
  }
  await write(catalogue, false, (work) => deleteProducts(work, store, ['without']))
})

it('finds the products that were changed last without reading the others', async () => {
  const origin = { requestId: 'r', actor: 'a', via: 'rest', operation: 'PUT /products' } as const
  const codes = Array.from({ length: 100 }, (_, i) => String(7 * i + 1).padStart(6, '0'))
  for (const half of [codes.slice(50), codes.slice(0, 50)]) {
    const patches = half.map((productCode) => ({ productCode, attributes: { Color: 'new' } }))
    await write({ ...explainer.database.catalogue, origin }, false, (work) => updateProducts(work, store, patches))
  }
  const order = { field: 'updatedAt', direction: 'desc' } as const
  const read = (catalogue: Catalogue) => listProducts(catalogue, store, {}, { limit: 50, backwards: false }, order)
  const listed = (await read(explainer.database.catalogue)).map(({ productCode }) => productCode)
  expect(listed).toEqual(codes.slice(0, 50).toReversed())
  expect(workOf(await explainer.plansOf(read))).toBeLessThan(2_000)
})
