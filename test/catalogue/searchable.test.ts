import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { caughtUp } from '../support/caught-up.ts'
import { withRequestId } from '../support/clients/caller.ts'
import { ask } from '../support/clients/operations.ts'
import { restData } from '../support/clients/rest-client.ts'
import { addProducts, newStore, query } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

const name = { name: 'Name', type: 'TEXT', searchable: true }
const brand = { name: 'Brand', type: 'TEXT', searchable: true, filterable: true }

const define = (storeUuid: string, definitions: object[]) =>
  ask<{ indexed: boolean }[]>(gateway, 'defineAttributes', { storeUuid, definitions }, '{ name searchable indexed }')

/** The codes of the products that a search finds, by a page and by its count. */
async function found(store: string, search: string, more: object = {}): Promise<string[]> {
  const read = `query ($store: ID!, $filter: ProductFilter) { result: store(storeUuid: $store) {
    products(filter: $filter) { totalCount nodes { productCode } } } }`
  const filter = { search, ...more }
  const { products } = (await query<Answer>(gateway, read, { store, filter })).result
  const codes = products.nodes.map(({ productCode }) => productCode)
  expect(products.totalCount).toBe(codes.length)
  return codes
}

interface Answer {
  products: { totalCount: number; nodes: { productCode: string }[] }
}

async function storeOfShirts() {
  const store = await newStore(gateway)
  await addProducts(gateway, store, [
    { productCode: 'A1', attributes: { Name: 'Linen Shirt', Brand: 'Fernwood' } },
    { productCode: 'A2', attributes: { Name: '50% wool_blend', Brand: 'Harbour' } },
    { productCode: 'A3', attributes: { Brand: 'shirtmaker' } },
    { productCode: 'Shirt-4', attributes: {} },
  ])
  return store
}

it('a search finds parts of codes and of the values that are declared searchable', async () => {
  const store = await storeOfShirts()
  expect(await found(store, 'SHIRT')).toEqual(['Shirt-4'])
  await define(store, [name])
  expect(await found(store, 'SHIRT')).toEqual(['A1', 'Shirt-4'])
  await define(store, [brand])
  expect(await found(store, 'SHIRT')).toEqual(['A1', 'A3', 'Shirt-4'])
  expect(await found(store, 'shirt', { attributes: [{ name: 'Brand', eq: 'Fernwood' }] })).toEqual(['A1'])
  expect(await found(store, '0% wool_')).toEqual(['A2'])
  expect(await found(store, 'l_n')).toEqual([])
  await define(store, [{ ...name, searchable: false }])
  expect(await found(store, 'shirt')).toEqual(['A3', 'Shirt-4'])
  await caughtUp(gateway.database, store)
  expect(await checkReadModel(gateway.database.db)).toEqual([])
  await define(store, [{ ...brand, searchable: false }])
  expect(await found(store, 'shirt')).toEqual(['Shirt-4'])
  await caughtUp(gateway.database, store)
  expect((await sql`select from product_text`.execute(gateway.database.db)).rows).toEqual([])
})

it('a search follows each write of products, and reverts', async () => {
  const store = await storeOfShirts()
  await define(store, [name, brand])
  const body = [{ product_code: 'A1', Name: 'Trousers' }]
  await restData(withRequestId(gateway, 'trousers'), `PUT /products?store_uuid=${store}`, body)
  expect(await found(store, 'linen')).toEqual([])
  expect(await found(store, 'trousers')).toEqual(['A1'])
  await ask(gateway, 'revertRequest', { storeUuid: store, requestId: 'trousers' })
  expect(await found(store, 'linen')).toEqual(['A1'])
  await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: ['A1'] })
  expect(await found(store, 'linen')).toEqual([])
  await caughtUp(gateway.database, store)
  expect(await checkReadModel(gateway.database.db)).toEqual([])
})

it('a store has at most 4 searchable attributes', async () => {
  const store = await newStore(gateway)
  const five = Array.from({ length: 5 }, (_, i) => ({ ...name, name: `a${i}` }))
  await expect(define(store, five)).rejects.toThrow(
    'definitions must leave at most 4 attributes of the store searchable; with these there are 5: a0, a1, a2, a3, a4',
  )
})

const md5Of = async (text: string) => {
  const { rows } = await sql<{ md5: string }>`select md5(${text}) as md5`.execute(gateway.database.db)
  return rows[0]?.md5 ?? ''
}

it('a store of more than 5,000 products is searched as the follower knows it, while others write', async () => {
  const store = await newStore(gateway)
  await sql`with totalled as (
      insert into product_total (store_uuid, shard, status, count) values (${store}::uuid, 0, 'new', 6000)
    ), filled as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${store}::uuid, 'p' || i, 'new', jsonb_build_object('Name', 'Item ' || md5(i::text), 'Brand', 'b' || i)
      from generate_series(1, 6000) i
    )
    select 1`.execute(gateway.database.db)
  const part = (await md5Of('4321')).slice(0, 12)
  expect(await define(store, [name])).toEqual([{ name: 'Name', searchable: true, indexed: false }])
  // Before the texts are built there is another attribute, so that they are built again.
  await define(store, [brand])
  const body = [{ product_code: 'p5999', Name: 'written meanwhile', Brand: 'E\u0301TE\u0301 Σίσυφος' }]
  await restData(gateway, `PUT /products?store_uuid=${store}`, body)
  await caughtUp(gateway.database, store)
  expect((await define(store, [])).every((one) => one.indexed)).toBe(true)
  expect(await checkReadModel(gateway.database.db)).toEqual([])
  expect(await found(store, part)).toEqual(['p4321'])
  expect(await found(store, 'b5998')).toEqual(['p5998'])
  expect(await found(store, 'TEN MEAN')).toEqual(['p5999'])
  expect(await found(store, 'été')).toEqual(['p5999'])
  expect(await found(store, 'ΊΣΥΦ')).toEqual(['p5999'])

  // A product that waits for the follower is found as it was; the answer says so.
  await sql`
    insert into product_dirty (store_uuid, codes, projection, not_before, at)
    values (${store}, '{p1}', 'SEARCH', now() + interval '1 hour', '2020-01-01')`.execute(gateway.database.db)
  const read = `query ($store: ID!, $search: String!) { store(storeUuid: $store) {
    products(filter: { search: $search }) { asOf totalCount } } }`
  expect(await gateway.data(read, { store, search: 'b5998' })).toEqual({
    store: { products: { asOf: '2020-01-01T00:00:00.000Z', totalCount: 1 } },
  })
  await sql`delete from product_dirty where store_uuid = ${store}`.execute(gateway.database.db)
})

it('a search of a small store ignores case, composes characters, and is exact at once', async () => {
  const store = await newStore(gateway)
  await define(store, [name])
  await addProducts(gateway, store, [
    { productCode: 'a', attributes: { Name: 'E\u0301TE\u0301' } },
    { productCode: 'b', attributes: { Name: 'été' } },
    { productCode: 'c', attributes: { Name: 'ete' } },
    { productCode: 'd', attributes: { Name: 'ΟΔΟΣΗΜΑ' } },
    { productCode: 'e', attributes: { Name: 'ΟΔΟΣ' } },
  ])
  expect(await found(store, 'Éte\u0301')).toEqual(['a', 'b'])
  // At the end of a word, a small sigma has a form of its own.
  for (const search of ['ΟΔΟΣ', 'οδος', 'οδοσ']) expect(await found(store, search)).toEqual(['d', 'e'])
})

it('a linked store with copied definitions searches at once', async () => {
  const store = await storeOfShirts()
  await define(store, [name, brand])
  const linked = await newStore(gateway, {}, `?linked_store_id=${store}&copy_taxonomy=true`)
  await addProducts(gateway, linked, [{ productCode: 'B', attributes: { Name: 'Boot' } }])
  expect(await found(linked, 'boo')).toEqual(['B'])
  await caughtUp(gateway.database, linked)
  expect(await define(linked, [])).toEqual([
    { name: 'Brand', searchable: true, indexed: true },
    { name: 'Name', searchable: true, indexed: true },
  ])
})
