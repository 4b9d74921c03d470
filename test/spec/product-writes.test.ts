import { expect } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { entriesOf, type Item } from '../support/clients/client.ts'
import { graphqlClient } from '../support/clients/graphql-client.ts'
import { ask } from '../support/clients/operations.ts'
import { callRest, restData } from '../support/clients/rest-client.ts'
import { addAssets, newStore, productOf, storeWithProducts, unknownStore, urlOf } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { graphql, requirements, rest } from './requirement.ts'

const url = (name: string) => `https://cdn.example/${name}`

async function imagesOf(gateway: TestGateway, store: string, code: string, channel = 'SMP') {
  const entries = await entriesOf(graphqlClient(gateway), store, code, { channel })
  return entries.map((entry, i) => entry[`Image URL ${i + 1}`])
}

async function attributesOf(gateway: TestGateway, store: string, code: string) {
  return (await productOf(gateway, store, code))?.attributes
}

requirements('writes of products beyond the specification', (gateway) => ({
  'WRITES-01 MUST delete products with DELETE /products, count them, and name each code without a product once': rest(
    async () => {
      const store = await storeWithProducts(gateway, ['A', 'B', 'C'])
      await addAssets(gateway, store, [['a', 'A']])
      const body = ['A', 'no, pe', 'A', 'B', 'no, pe', '']
      const entry = (product_code: string, index: number) => {
        const details = `the store has no product ${JSON.stringify(product_code)}`
        return { reason: 'product_not_found', details, index, product_code }
      }
      const answer = { deleted_count: 2, failed: 2, error_info: [entry('no, pe', 1), entry('', 5)] }
      const remove = (query = '', codes: unknown = body) =>
        callRest(gateway, `DELETE /products?store_uuid=${store}${query}`, codes)
      expect((await remove('&dry_run=true')).data).toEqual(answer)
      expect(await productOf(gateway, store, 'A')).not.toBeNull()
      expect((await remove()).data).toEqual(answer)
      expect([await productOf(gateway, store, 'A'), await productOf(gateway, store, 'B')]).toEqual([null, null])
      expect(await imagesOf(gateway, store, 'A')).toEqual([urlOf('a')])
      expect((await remove('', ['C'])).data).toEqual({ deleted_count: 1, failed: 0, error_info: [{}] })
      expect((await remove('', [])).data).toEqual({ deleted_count: 0, failed: 0, error_info: [{}] })
      expect(await checkReadModel(gateway.database.db)).toEqual([])
    },
  ),
  'WRITES-02 MUST refuse a body of DELETE /products that is no list of codes, naming each fault, and an unknown store':
    rest(async () => {
      const store = await storeWithProducts(gateway, ['A'])
      const remove = (body: unknown, storeUuid = store) =>
        callRest(gateway, `DELETE /products?store_uuid=${storeUuid}`, body)
      const { data } = await remove(['A', 1, null, { product_code: 'A' }, '\0'])
      expect(data.error_info).toMatchObject([1, 2, 3, 4].map((index) => ({ reason: 'invalid_request', index })))
      for (const body of [{ product_code: 'A' }, 'A', '"A"', null])
        expect(await remove(body)).toMatchObject({ status: 400, reason: 'invalid_request' })
      expect(await remove(['A'], unknownStore())).toMatchObject({ status: 404, reason: 'store_not_found' })
      expect(await productOf(gateway, store, 'A')).not.toBeNull()
    }),
  'WRITES-03 MUST remove the attributes in attributes_to_remove of PATCH /products, ignore unknown ones, and otherwise do as PUT':
    rest(async () => {
      const attributes = { Color: 'red', Size: 'M', __proto__x: 'x', 'Image URL 0': 'kept' }
      const store = await storeWithProducts(
        gateway,
        ['A', 'B'].map((productCode) => ({ productCode, attributes })),
      )
      const body = [
        {
          product_code: 'A',
          status: 'active',
          Size: 'L',
          attributes_to_remove: ['Color', 'Color', 'nope', 'status'],
        },
        { product_code: 'B', Weight: '1' },
        { product_code: 'C', attributes_to_remove: ['Color'] },
        { product_code: 'A', attributes_to_remove: null, Material: 'wool' },
      ]
      const patch = (query = '') => restData(gateway, `PATCH /products?store_uuid=${store}${query}`, body)
      const answer = { store_uuid: store, updated_skus: ['A', 'B'], unavailable_skus: ['C'], failed_products: {} }
      expect(await patch('&dry_run=true')).toEqual(answer)
      expect(await attributesOf(gateway, store, 'A')).toEqual(attributes)
      expect(await patch()).toEqual(answer)
      expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'ACTIVE' })
      const { Color: _, ...rest } = attributes
      expect(await attributesOf(gateway, store, 'A')).toEqual({ ...rest, Size: 'L', Material: 'wool' })
      expect(await attributesOf(gateway, store, 'B')).toEqual({ ...attributes, Weight: '1' })
    }),
  'WRITES-04 MUST fail an attribute that one item sets and removes, with its product, and apply items of a code in order':
    rest(async () => {
      const store = await storeWithProducts(gateway, ['A', 'B'])
      const body = [
        { product_code: 'A', Color: 'red', Size: 'M', attributes_to_remove: ['Color', 'Size', 'Weight'] },
        { product_code: 'B', Color: 'red', Size: 'M' },
        { product_code: 'B', attributes_to_remove: ['Color'] },
      ]
      const reason = 'must be either set or removed; got both'
      expect(await restData(gateway, `PATCH /products?store_uuid=${store}`, body)).toMatchObject({
        updated_skus: ['B'],
        failed_products: { A: { Color: reason, Size: reason } },
      })
      expect(await attributesOf(gateway, store, 'B')).toEqual({ Size: 'M' })
      const noNames = [{ product_code: 'A', attributes_to_remove: ['', '\0', 'x'.repeat(256)] }]
      const { failed_products } = await restData(gateway, `PATCH /products?store_uuid=${store}`, noNames)
      expect(Object.keys((failed_products as Record<string, Item>).A ?? {})).toHaveLength(3)
      const bad = [{ product_code: 'A' }, { product_code: 'A', attributes_to_remove: ['x', 7] }]
      expect(await callRest(gateway, `PATCH /products?store_uuid=${store}`, bad)).toMatchObject({
        status: 400,
        data: { error_info: [{ index: 1, field: 'attributes_to_remove[1]' }] },
      })
    }),
  'WRITES-05 MUST record a removal in one statement, so that a revert restores the value': graphql(async () => {
    const store = await storeWithProducts(gateway, [{ productCode: 'A', attributes: { Color: 'red', Size: 'M' } }])
    const products = [{ productCode: 'A', removeAttributes: ['Color', 'nope'] }]
    const update = () => ask(gateway, 'updateProducts', { storeUuid: store, products })
    await update()
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Size: 'M' })
    gateway.database.statements()
    const body = [{ product_code: 'A', attributes_to_remove: ['Size'] }]
    const { headers } = await callRest(gateway, `PATCH /products?store_uuid=${store}`, body)
    expect(gateway.database.statements()).toBe(1)
    expect(await attributesOf(gateway, store, 'A')).toEqual({})
    await callRest(gateway, `POST /requests/${headers['x-request-id']}/revert?store_uuid=${store}`)
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Size: 'M' })
  }),
  'WRITES-06 MUST create or merge with POST /products?upsert=true, and append images to their groups': rest(
    async () => {
      const store = await storeWithProducts(gateway, [{ productCode: 'old', attributes: { Color: 'red', Size: 'M' } }])
      await addAssets(gateway, store, [['a', 'old']])
      const body = [
        { product_code: 'new', Color: 'blue', 'Image URL 2': url('n2'), 'Image URL 1': url('n1') },
        { product_code: 'old', status: 'active', Color: 'green', 'Image URL 1': url('b'), 'Image URL 2': urlOf('a') },
        { product_code: 'bad', 'Image URL 1': 'nowhere' },
        { product_code: 'old', 'channel_value_1: Image URL 1': url('c'), 'Image URL 1': url('d') },
      ]
      const upsert = (query = '') => callRest(gateway, `POST /products?store_uuid=${store}&upsert=true${query}`, body)
      const failed = { 'Image URL 1': expect.stringContaining('absolute URL') }
      const answer = {
        store_uuid: store,
        created_skus: ['new'],
        updated_skus: ['old'],
        failed_products: { bad: failed },
      }
      expect((await upsert('&dry_run=true')).data).toEqual(answer)
      expect(await productOf(gateway, store, 'new')).toBeNull()
      expect((await upsert()).data).toEqual(answer)
      expect(await attributesOf(gateway, store, 'old')).toEqual({ Color: 'green', Size: 'M' })
      expect(await imagesOf(gateway, store, 'old')).toEqual([urlOf('a'), url('b'), url('d')])
      expect(await imagesOf(gateway, store, 'old', 'channel_value_1')).toEqual([url('c')])
      expect(await imagesOf(gateway, store, 'new')).toEqual([url('n1'), url('n2')])
      expect((await upsert()).data).toMatchObject({ created_skus: [], updated_skus: ['new', 'old'] })
      expect(await imagesOf(gateway, store, 'old')).toEqual([urlOf('a'), url('b'), url('d')])
      expect((await callRest(gateway, `POST /products?store_uuid=${store}&upsert=maybe`, [])).status).toBe(400)
      expect(await checkReadModel(gateway.database.db)).toEqual([])
    },
  ),
  'WRITES-07 MUST take a bounded number of statements for an upsert, however many products it has': rest(async () => {
    const store = await newStore(gateway)
    const items = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ product_code: `P${i}`, 'Image URL 1': url(`${count}-${i}`) }))
    const statementsOf = async (body: Item[]) => {
      gateway.database.statements()
      await restData(gateway, `POST /products?store_uuid=${store}&upsert=true`, body)
      return gateway.database.statements()
    }
    await statementsOf(items(1))
    expect(await statementsOf(items(200))).toBeLessThanOrEqual(8)
  }),
  'WRITES-08 MUST fail a URL field in PUT and PATCH, on a channel or not, and say where to put the URL': rest(
    async () => {
      const store = await storeWithProducts(gateway, ['A', 'B'])
      for (const method of ['PUT', 'PATCH']) {
        const body = [
          { product_code: 'A', Color: 'red', 'Image URL 1': url('a'), 'SMP: PDF URL 12345678901': url('b') },
          { product_code: 'B', 'Image URL 0': 'x', 'Audio URL 1': 'x', 'Image URL': 'x' },
        ]
        const reason = expect.stringContaining('POST /v1/assets')
        expect(await restData(gateway, `${method} /products?store_uuid=${store}`, body)).toMatchObject({
          updated_skus: ['B'],
          failed_products: { A: { 'Image URL 1': reason, 'SMP: PDF URL 12345678901': reason } },
        })
      }
      expect(await attributesOf(gateway, store, 'A')).toEqual({})
    },
  ),
  'WRITES-09 MUST fail a URL field of POST /products that holds several URLs or a list, and make no asset of it': rest(
    async () => {
      const store = await newStore(gateway)
      const two = `${url('a')},${url('b')}`
      const bad = [two, `${url('a')} | ${url('b')}`, `${url('a')}\n${url('b')}`, [url('a')], JSON.stringify([url('a')])]
      const body = bad.map((value, i) => ({ product_code: `P${i}`, 'Image URL 1': value }))
      const good = [url('a,b;c'), 'https://cdn.example/fetch/https://other.example/a.jpg']
      const fine = good.map((value, i) => ({ product_code: `G${i}`, 'Image URL 1': value }))
      for (const query of ['', '&upsert=true']) {
        const answer = await restData(gateway, `POST /products?store_uuid=${store}${query}`, [...body, ...fine])
        expect(Object.keys(answer.failed_products as Item)).toEqual(body.map(({ product_code }) => product_code))
        expect(answer.failed_products).toMatchObject({
          P0: { 'Image URL 1': expect.stringMatching(/^must be one URL/) },
        })
      }
      expect(await imagesOf(gateway, store, 'P0')).toEqual([])
      expect([await imagesOf(gateway, store, 'G0'), await imagesOf(gateway, store, 'G1')]).toEqual(good.map((u) => [u]))
    },
  ),
  'WRITES-10 MUST take each sku_code of GET /products as one code, commas included, beside sku_codes': rest(
    async () => {
      const codes = ['a', 'a,b', 'b', 'c d', 'e']
      const store = await storeWithProducts(gateway, codes)
      const list = async (query: string) => {
        const { products } = await restData(gateway, `GET /products?store_uuid=${store}${query}`)
        return Object.keys(products as Item)
      }
      expect(await list('&sku_code=a,b')).toEqual(['a,b'])
      expect(await list('&sku_code=a%2Cb&sku_code=c+d&sku_code=')).toEqual(['a,b', 'c d'])
      expect(await list('&sku_codes=a,b&sku_code=e')).toEqual(['a', 'b', 'e'])
      expect(await list('&sku_code=')).toEqual(codes)
      expect(await list('&sku_code=nope')).toEqual([])
      expect((await callRest(gateway, `GET /products?store_uuid=${store}&sku_code=a%00`)).data).toMatchObject({
        error_info: [{ reason: 'invalid_request', field: 'sku_code' }],
      })
    },
  ),
}))
