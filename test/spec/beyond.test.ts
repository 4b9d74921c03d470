import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { assetIdsOf, entriesOf, type Item } from '../support/clients/client.ts'
import { graphqlClient } from '../support/clients/graphql-client.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { changesOf, settled } from '../support/database/changes.ts'
import {
  addAssets,
  define,
  newStore,
  productOf,
  storeBody,
  storeWithAssets,
  storeWithProducts,
  unknownStore,
  urlOf,
} from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { graphql, requirements, rest } from './requirement.ts'

type Data = Record<string, unknown>

async function imagesOf(gateway: TestGateway, store: string, parentCode: string): Promise<unknown[]> {
  const entries = await entriesOf(graphqlClient(gateway), store, parentCode)
  return entries.map((entry, i) => entry[`Image URL ${i + 1}`])
}

const url = (name: string) => `https://cdn.example/${name}`

requirements('beyond the specification', (gateway) => ({
  'BEYOND-01 MUST create products with POST /products, new unless a status is given, and leave those that exist as they are':
    rest(async () => {
      const store = await storeWithProducts(gateway, [{ productCode: 'old', attributes: { Color: 'red' } }])
      const body = [
        { product_code: 'b', status: 'active', Color: 'blue' },
        { product_code: 'old', status: 'active', Color: 'blue' },
        { product_code: 'a' },
      ]
      expect(await callRest(gateway, `POST /products?store_uuid=${store}`, body)).toMatchObject({
        status: 200,
        data: { store_uuid: store, created_skus: ['b', 'a'], existing_skus: ['old'], failed_products: {} },
      })
      expect(await productOf(gateway, store, 'a')).toMatchObject({ status: 'NEW', attributes: {} })
      expect(await productOf(gateway, store, 'b')).toMatchObject({ status: 'ACTIVE', attributes: { Color: 'blue' } })
      expect(await productOf(gateway, store, 'old')).toMatchObject({ status: 'NEW', attributes: { Color: 'red' } })
    }),
  'BEYOND-02 MUST make URL fields of a new product assets of its group on the channel, in the order of their numbers':
    rest(async () => {
      const store = await newStore(gateway)
      const body = [
        {
          product_code: '9',
          'Image URL 12345678901': url('d'),
          'Image URL 10': url('c'),
          'Image URL 2': url('b'),
          'Image URL 1': url('a'),
          'PDF URL 1': url('p'),
        },
        { product_code: 'Z9', 'Image URL 0': 'an attribute', 'Image URL': 'another' },
      ]
      await callRest(gateway, `POST /products?store_uuid=${store}&channel=channel_value_1`, body)
      const { data, text } = await callRest(gateway, `GET /products?store_uuid=${store}`)
      expect(data.products).toMatchObject({
        '9': {
          product_code: '9',
          status: 'new',
          assets: {
            channel_value_1: [
              { asset_id: expect.any(String), 'Image URL 1': url('a') },
              { asset_id: expect.any(String), 'Image URL 2': url('b') },
              { asset_id: expect.any(String), 'Image URL 3': url('c') },
              { asset_id: expect.any(String), 'Image URL 4': url('d') },
              { asset_id: expect.any(String), 'PDF URL 1': url('p') },
            ],
          },
        },
        Z9: { 'Image URL 0': 'an attribute', 'Image URL': 'another', assets: {} },
      })
      expect(text).not.toMatch(/Image URL 1\d/)
    }),
  'BEYOND-22 MUST not count URL fields of POST /products among the attributes of the store': rest(async () => {
    const store = await newStore(gateway)
    const path = `/products?store_uuid=${store}`
    const product = { product_code: '9', Color: 'red', 'Image URL 1': url('a'), 'SMP: PDF URL 1': url('p') }
    await callRest(gateway, `POST ${path}`, [product])
    await callRest(gateway, `POST ${path}&upsert=true`, [{ ...product, Size: 'M', 'Image URL 2': url('b') }])
    const { text } = await gateway.call(`/v1${path}`, { headers: { accept: 'text/csv' } })
    expect(text.split('\n')[0]).toBe('product_code,status,Color,Size,SMP: Image URL 1,SMP: Image URL 2,SMP: PDF URL 1')
  }),
  'BEYOND-03 MUST refuse a new product whole for a bad attribute or a bad URL, naming each, and make none of its assets':
    rest(async () => {
      const store = await newStore(gateway)
      await define(gateway, store, [{ name: 'Weight', type: 'NUMBER' }])
      const body = [
        { product_code: 'bad', Weight: 'heavy', 'Image URL 1': 'nowhere', 'Image URL 2': url('b'), Color: 7 },
        { product_code: 'good', Weight: '7' },
        { product_code: '', Weight: '7' },
        { product_code: 'twice' },
        { product_code: 'twice', status: 'sold' },
      ]
      const { data } = await callRest(gateway, `POST /products?store_uuid=${store}`, body)
      expect(data).toMatchObject({ created_skus: ['good'], existing_skus: [] })
      expect(Object.keys(data.failed_products as Data)).toEqual(['bad', '', 'twice'])
      const { bad = {} } = data.failed_products as Record<string, Data>
      expect(Object.keys(bad)).toEqual(['Weight', 'Image URL 1', 'Color'])
      expect(await imagesOf(gateway, store, 'bad')).toEqual([])
    }),
  'BEYOND-04 MUST let the first entry of a code that comes twice create the product': rest(async () => {
    const store = await newStore(gateway)
    const body = [
      { product_code: 'a', Color: 'red' },
      { product_code: 'a', Color: 'blue', Size: 'M' },
    ]
    const { data } = await callRest(gateway, `POST /products?store_uuid=${store}`, body)
    expect(data).toMatchObject({ created_skus: ['a'], existing_skus: [] })
    expect(await productOf(gateway, store, 'a')).toMatchObject({ attributes: { Color: 'red' } })
  }),
  'BEYOND-05 MUST answer 400 for a channel that is not configured and 404 for an unknown store': rest(async () => {
    const store = await newStore(gateway)
    const statuses = { [`${store}&channel=nowhere`]: 400, [unknownStore()]: 404, [store]: 200 }
    for (const operation of ['POST /products', 'POST /assets'])
      for (const [query, status] of Object.entries(statuses))
        expect((await callRest(gateway, `${operation}?store_uuid=${query}`, [])).status, operation).toBe(status)
    expect((await callRest(gateway, `GET /products?store_uuid=${unknownStore()}`)).status).toBe(404)
  }),
  'BEYOND-06 MUST list products with GET /products by code point in the JSON text, with attributes next to code and status':
    rest(async () => {
      const codes = ['__proto__', '1002', '9', 'Z9', 'a', '\u{ffff}', '\u{10000}']
      const store = await storeWithProducts(
        gateway,
        codes.map((productCode) => ({ productCode, attributes: { Color: 'red', '7': 'x' } })),
      )
      const { data, text } = await callRest(gateway, `GET /products?store_uuid=${store.toUpperCase()}`)
      expect(data).toMatchObject({ store_uuid: store, total_products: 7, returned_products: 7 })
      const keys = [...text.matchAll(/"product_code":("[^"]*")/g)].map((match) => JSON.parse(match[1] ?? ''))
      expect(keys).toEqual(['1002', '9', 'Z9', '__proto__', 'a', '\u{ffff}', '\u{10000}'])
      const found = (data.products as Record<string, Data>)['1002']
      expect(found).toEqual({ product_code: '1002', status: 'new', Color: 'red', '7': 'x', assets: {} })
    }),
  'BEYOND-07 MUST filter GET /products by sku_codes, repeated or comma-separated, and by status, and clamp its limit to 100':
    rest(async () => {
      const codes = Array.from({ length: 120 }, (_, i) => `p${String(i).padStart(3, '0')}`)
      const store = await storeWithProducts(
        gateway,
        codes.map((productCode, i) => ({ productCode, status: i % 2 ? 'under review' : 'active' })),
      )
      const list = async (parameters: string) => {
        const { data } = await callRest(gateway, `GET /products?store_uuid=${store}${parameters}`)
        return [data.total_products, data.returned_products, Object.keys((data.products ?? {}) as Data).at(0)]
      }
      expect(await list('&sku_codes=p001,p002&sku_codes=p003&sku_codes=no')).toEqual([3, 3, 'p001'])
      expect(await list('&status=under+review')).toEqual([60, 60, 'p001'])
      expect(await list('&limit=100000')).toEqual([120, 100, 'p000'])
      expect(await list('&offset=119')).toEqual([120, 1, 'p119'])
      expect(await list('&offset=999999999999')).toEqual([120, 0, undefined])
      for (const bad of ['&status=ACTIVE', '&limit=0', '&offset=-1', '&limit=x', '&status=active&status=new']) {
        expect((await callRest(gateway, `GET /products?store_uuid=${store}${bad}`)).status, bad).toBe(400)
      }
    }),
  'BEYOND-08 MUST put an asset at place n of its group with POST /assets, moving those from n on back, past the end to the end':
    rest(async () => {
      const store = await storeWithAssets(gateway, ['a P', 'b P'])
      const assets = { [`Image URL ${'9'.repeat(400)}`]: url('end'), 'Image URL 1': url('start') }
      const body = [{ parent_code: 'P', asset_type: 'image', assets }]
      expect((await callRest(gateway, `POST /assets?store_uuid=${store}`, body)).data).toEqual({
        created: 2,
        updated: 0,
        failed: 0,
        error_info: [{}],
      })
      expect(await imagesOf(gateway, store, 'P')).toEqual([url('start'), urlOf('a'), urlOf('b'), url('end')])
      expect(await checkReadModel(gateway.database.db)).toEqual([])
    }),
  'BEYOND-09 MUST keep the asset id of a URL that the store has, and move one that is in the group already': rest(
    async () => {
      const store = await storeWithAssets(gateway, ['a P', 'b P', 'c P', 'other Q'])
      const assets = { 'Image URL 1': urlOf('c'), 'Image URL 2': urlOf('other'), 'Image URL 4': urlOf('b') }
      const body = [{ parent_code: 'P', assets }]
      expect((await callRest(gateway, `POST /assets?store_uuid=${store}`, body)).data).toMatchObject({
        created: 1,
        updated: 1,
        failed: 0,
      })
      expect(await assetIdsOf(graphqlClient(gateway), store, 'P')).toEqual(['c', 'other', 'a', 'b'])
      const again = await callRest(gateway, `POST /assets?store_uuid=${store}`, body)
      expect(again.data).toMatchObject({ created: 0, updated: 0 })
    },
  ),
  'BEYOND-10 MUST count bad entries of POST /assets as failed, each with its index, while the others go ahead': rest(
    async () => {
      const store = await newStore(gateway)
      const assets = { 'Image URL 1': 'nowhere', 'Video URL 1': url('v'), 'Image URL 2': url('b'), Color: url('c') }
      const body = [
        { parent_code: 'P', assets },
        { parent_code: 'P', asset_type: 'smell', assets: { 'Image URL 1': url('x') } },
        { parent_code: '', assets: { 'Image URL 1': url('x') } },
      ]
      const { data } = await callRest(gateway, `POST /assets?store_uuid=${store}`, body)
      expect(data).toMatchObject({ created: 1, updated: 0, failed: 5 })
      expect((data.error_info as Data[]).map((entry) => entry.index)).toEqual([0, 0, 0, 1, 2])
      const names = (failures: readonly Data[]) => failures.slice(3).map(({ details }) => String(details).split(' ')[0])
      expect(names(data.error_info as Data[])).toEqual(['asset_type', 'parent_code'])
      const groups = body.map(({ parent_code, asset_type, ...others }) => {
        return { ...others, parentCode: parent_code, assetFormat: asset_type }
      })
      const { errorInfo } = await ask(gateway, 'placeAssets', { storeUuid: store, groups }, '{ errorInfo { details } }')
      expect(names(errorInfo as Data[])).toEqual(['assetFormat', 'parentCode'])
      expect(await imagesOf(gateway, store, 'P')).toEqual([url('b')])
    },
  ),
  'BEYOND-23 MUST fail an entry of POST /assets that holds several URLs, or ends in a blank, and make no asset of it':
    rest(async () => {
      const store = await newStore(gateway)
      const bad = [`${url('a')},${url('b')}`, `${url('a')} | ${url('b')}`, `${url('a')}\u00a0`]
      const good = [url('a,b;c'), 'https://cdn.example/fetch/https://other.example/a.jpg', `${url('a')}%2C${url('b')}`]
      const assets = Object.fromEntries([...bad, ...good].map((value, i) => [`Image URL ${i + 1}`, value]))
      const { data } = await callRest(gateway, `POST /assets?store_uuid=${store}`, [{ parent_code: 'P', assets }])
      expect(data).toMatchObject({ created: 3, failed: 3 })
      expect((data.error_info as Data[])[0]?.details).toMatch(
        /^Image URL 1 must be one URL; got several, or a separator/,
      )
      expect(await imagesOf(gateway, store, 'P')).toEqual(good)
    }),
  'BEYOND-11 MUST refuse a POST /assets body that names no parent code or no object of assets, applying nothing': rest(
    async () => {
      const store = await newStore(gateway)
      const good = { parent_code: 'P', assets: { 'Image URL 1': url('a') } }
      const { status, data } = await callRest(gateway, `POST /assets?store_uuid=${store}`, [
        good,
        { assets: {} },
        { parent_code: 'P', assets: [] },
        7,
      ])
      expect(status).toBe(400)
      expect((data.error_info as Data[]).map((entry) => [entry.index, entry.field])).toEqual([
        [1, 'parent_code'],
        [2, 'assets'],
        [3, undefined],
      ])
      expect(await imagesOf(gateway, store, 'P')).toEqual([])
    },
  ),
  'BEYOND-12 MUST give the same answer with dry_run=true on every write, and change nothing': rest(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    await addAssets(gateway, store, ['a A', 'b A'])
    const writes: [operation: string, body: unknown][] = [
      [`PUT /products?store_uuid=${store}&`, [{ product_code: 'A', Color: 'red' }]],
      [`POST /products?store_uuid=${store}&`, [{ product_code: 'N', 'Image URL 1': url('n') }]],
      [`POST /products?store_uuid=${store}&upsert=true&`, [{ product_code: 'A', 'Image URL 1': url('u') }]],
      [`PATCH /products?store_uuid=${store}&`, [{ product_code: 'A', attributes_to_remove: ['Color'] }]],
      [`DELETE /products?store_uuid=${store}&`, ['N']],
      [`POST /assets?store_uuid=${store}&`, [{ parent_code: 'A', assets: { 'Image URL 1': url('z') } }]],
      ['POST /assets/unlink?', [{ store_uuid: store, parent_code: 'A', channel: 'SMP', asset_id: 'a' }]],
      ['DELETE /assets?', [{ store_uuid: store, parent_code: 'A' }]],
    ]
    const state = async () => [
      (await callRest(gateway, `GET /products?store_uuid=${store}`)).data,
      (await callRest(gateway, `GET /assets?store_uuid=${store}`)).data,
    ]
    for (const [operation, body] of writes) {
      const before = await state()
      const preview = await callRest(gateway, `${operation}dry_run=true`, body)
      expect(await state(), operation).toEqual(before)
      expect(await callRest(gateway, operation, body)).toMatchObject({ status: 200, data: preview.data })
      expect(await state(), operation).not.toEqual(before)
    }
    expect((await callRest(gateway, 'DELETE /assets?dry_run=maybe', [])).status).toBe(400)
  }),
  'BEYOND-13 MUST make no store with dry_run=true': rest(async () => {
    const count = () => ask(gateway, 'stores', {}, '{ totalCount }')
    const before = await count()
    expect((await callRest(gateway, 'POST /stores?dry_run=1', storeBody())).status).toBe(200)
    expect(await count()).toEqual(before)
  }),
  'BEYOND-14 MUST delete products of a store, naming those that it does not have, and leave their asset groups':
    graphql(async () => {
      const store = await storeWithProducts(gateway, ['A', 'B'])
      await addAssets(gateway, store, [['a', 'A']])
      const remove = (dryRun: boolean) =>
        ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: ['A', 'nope', 'A', ''], dryRun })
      const answer = {
        storeUuid: store,
        deletedSkus: ['A'],
        unavailableSkus: ['nope', ''],
        deletedCount: 1,
        failed: 2,
        errorInfo: [{ code: 'PRODUCT_NOT_FOUND', index: 1, productCode: 'nope' }, { productCode: '' }],
        more: 0,
        fingerprint: expect.any(String),
      }
      expect(await remove(true)).toMatchObject(answer)
      expect(await productOf(gateway, store, 'A')).not.toBeNull()
      expect(await remove(false)).toMatchObject(answer)
      expect(await productOf(gateway, store, 'A')).toBeNull()
      expect(await productOf(gateway, store, 'B')).not.toBeNull()
      expect(await imagesOf(gateway, store, 'A')).toEqual([urlOf('a')])
    }),
  'BEYOND-15 MUST move an asset within its group and reorder the group, and refuse an asset that is not in it': graphql(
    async () => {
      const store = await storeWithAssets(gateway, ['a P', 'b P', ['v', 'P', { assetFormat: 'video' }], 'c P', 'a Q'])
      /** The order of the group, or why it was not changed. */
      const order = async (field: string, args: Item) => {
        const all = { storeUuid: store, parentCode: 'P', ...args }
        const { data, reason } = await attempt(gateway, field, all, '{ assets { assetId } }')
        return reason ?? (data as { assets: Item[] }).assets.map(({ asset_id }) => asset_id).join()
      }
      expect(await order('moveAsset', { assetId: 'c', position: 1 })).toBe('c,a,b')
      expect(await order('moveAsset', { assetId: 'c', position: 99 })).toBe('a,b,c')
      expect(await order('reorderAssets', { assetIds: ['b', 'c'] })).toBe('b,c,a')
      expect(await imagesOf(gateway, store, 'P')).toEqual(['b', 'c', 'a'].map(urlOf))
      await ask(gateway, 'unlinkAssets', {
        links: [{ storeUuid: store, parentCode: 'P', channel: 'SMP', assetId: ['c'] }],
      })
      const recorded = (await changesOf(gateway.database, store)).length
      expect(await order('reorderAssets', { assetIds: ['b', 'a'] })).toBe('b,a')
      expect(await changesOf(gateway.database, store)).toHaveLength(recorded)
      await addAssets(gateway, store, ['c P'])
      expect(await order('reorderAssets', { assetIds: ['v'] })).toBe('link_not_found')
      expect(await order('moveAsset', { assetId: 'c', position: 0 })).toBe('invalid_request')
      const elsewhere = { storeUuid: unknownStore(), assetId: 'c', position: 1 }
      expect(await order('moveAsset', elsewhere)).toBe('store_not_found')
      expect(await checkReadModel(gateway.database.db)).toEqual([])
    },
  ),
  'BEYOND-16 MUST change what is given of a store and leave the rest, or nothing when a value is bad': graphql(
    async () => {
      const storeUuid = await newStore(gateway, { region: ['Asia'], store_website: 'https://a.example' })
      const update = (input: Item) =>
        attempt(gateway, 'updateStore', { storeUuid, input }, '{ storeName region channels storeWebsite }')
      expect(await update({ storeName: ' N ', channels: ['SMP', 'SMP'] })).toEqual({
        data: { store_name: 'N', region: ['Asia'], channels: ['SMP'], store_website: 'https://a.example' },
      })
      const { entries } = await update({ storeName: '', region: ['Mars'], channels: null })
      expect(entries?.map(({ field }) => field)).toEqual(['store_name', 'region[0]'])
      expect(await update({ storeWebsite: null })).toMatchObject({ data: { store_name: 'N', store_website: null } })
    },
  ),
  'BEYOND-17 MUST report the stored values that a definition would not take, also in a preview, and remove definitions':
    graphql(async () => {
      const storeUuid = await storeWithProducts(gateway, [
        { productCode: 'a', attributes: { W: '7' } },
        { productCode: 'b', attributes: { W: 'x' } },
        { productCode: 'c', attributes: { V: 'x' } },
        { productCode: 'd', attributes: { W: 'y' } },
      ])
      const examples = [
        { productCode: 'b', value: 'x' },
        { productCode: 'd', value: 'y' },
      ]
      const selection = '{ name violations { productCount examples { productCode value } } }'
      const definitions = [{ name: 'W', type: 'NUMBER' }]
      const defining = (dryRun: boolean) =>
        ask(gateway, 'defineAttributes', { storeUuid, dryRun, definitions }, selection)
      const answer = [{ name: 'W', violations: { productCount: 2, examples } }]
      const none = { attributeDefinitions: [] }
      const names = () => ask(gateway, 'store', { storeUuid }, '{ attributeDefinitions { name } }')
      expect(await defining(true)).toEqual(answer)
      expect(await names()).toEqual(none)
      expect(await defining(false)).toEqual(answer)
      const removed = { storeUuid, names: ['W', 'none'] }
      expect(await ask(gateway, 'removeAttributeDefinitions', removed)).toEqual([])
      expect(await names()).toEqual(none)
    }),
  'BEYOND-18 MUST list each change of a store once, deletions included, from a cursor that an empty page has too': rest(
    async () => {
      const store = await storeWithProducts(gateway, ['a', 'b'])
      await settled(gateway.database)
      const start = await callRest(gateway, `GET /changes?store_uuid=${store}&after=latest`)
      expect(start.data).toMatchObject({ changes: [], next: expect.any(String), more: false })
      await callRest(gateway, `PUT /products?store_uuid=${store}`, [{ product_code: 'a', Color: 'red' }])
      await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: ['b'] })
      await settled(gateway.database)
      const changes = (after: unknown) => callRest(gateway, `GET /changes?store_uuid=${store}&limit=1&after=${after}`)
      const first = await changes(start.data.next)
      expect(first.data).toMatchObject({ changes: [{ kind: 'product', action: 'updated', codes: ['a'] }], more: true })
      const second = await changes(first.data.next)
      expect(second.data).toMatchObject({ changes: [{ action: 'deleted', codes: ['b'] }], more: false })
      expect((await changes(second.data.next)).data).toMatchObject({ changes: [], more: false })
      expect(await changes('MS0xLTAwMDAwMDAw')).toMatchObject({
        status: 410,
        data: { error_info: [{ reason: 'cursor_expired' }] },
      })
    },
  ),
  'BEYOND-19 MUST name in the answer to a write the receipt of what it changed, and answer 404 where nothing was': rest(
    async () => {
      const store = await storeWithProducts(gateway, ['a'])
      const body = [{ product_code: 'a', Color: 'red' }]
      const put = () => gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
      const pathOf = (link: unknown) => /^<(\/v1\/requests\/[^>]+)>; rel="describedby"$/.exec(String(link))?.[1] ?? ''
      const [first, again] = [await put(), await put()]
      expect((await gateway.call(pathOf(first.headers.link))).json).toMatchObject({
        data: { operation: 'updateProducts', counts: [{ kind: 'product', updated: 1 }] },
      })
      const nothing = await gateway.call(pathOf(again.headers.link))
      expect([nothing.status, nothing.json]).toMatchObject([
        404,
        { data: { error_info: [{ reason: 'request_not_found' }] } },
      ])
    },
  ),
  'BEYOND-20 MUST list stores by a part of their names, by offset and limit, and to a limited token only its own': rest(
    async () => {
      const names = ['Aurora 1', 'Aurora 2', 'aurora 3', '100% Aurora'].map((name) => `${name} ${crypto.randomUUID()}`)
      const stores: string[] = []
      for (const name of names) stores.push(await newStore(gateway, { store_name: name }))
      const list = async (search: string, query = '') =>
        (await callRest(gateway, `GET /stores?search=${encodeURIComponent(search)}${query}`)).data
      const idsOf = (data: Data) => (data.stores as { store_uuid: string }[]).map(({ store_uuid }) => store_uuid)
      expect(await list('AURORA')).toMatchObject({ total_stores: 4, returned_stores: 4 })
      expect(idsOf(await list('aurora'))).toEqual(stores)
      expect(idsOf(await list('aurora', '&offset=1&limit=2'))).toEqual(stores.slice(1, 3))
      expect(await list('aurora', '&offset=9')).toMatchObject({ total_stores: 4, returned_stores: 0, stores: [] })
      expect(idsOf(await list('100%'))).toEqual([stores[3]])
      const { stores: [found] = [] } = (await list(names[0] ?? '')) as { stores: Data[] }
      const { store_name: _, ...given } = storeBody()
      expect(found).toEqual({
        ...given,
        store_uuid: stores[0],
        store_group: expect.any(String),
        store_name: names[0],
        store_website: null,
        created_at: expect.any(String),
      })
      const limited = await newToken(gateway, { scopes: ['READ'], stores: [stores[1] ?? ''] })
      const { json } = await gateway.call('/v1/stores?limit=500', { token: limited.secret })
      expect(json).toMatchObject({ data: { total_stores: 1, stores: [{ store_uuid: stores[1] }] } })
    },
  ),
  'BEYOND-21 MUST get one product as it is or as it was at a time, and answer 404 where there is, or was, none': rest(
    async () => {
      const store = await newStore(gateway)
      const get = (code: string, at = '') =>
        callRest(gateway, `GET /products/${encodeURIComponent(code)}?store_uuid=${store}${at && `&at=${at}`}`)
      const missing = (reason: string) => ({ status: 404, data: { error_info: [{ reason }] } })
      const put = async (method: string, item: Data) => {
        await callRest(gateway, `${method} /products?store_uuid=${store}`, [item])
        await sleep(2)
        const at = new Date().toISOString()
        await sleep(2)
        return at
      }
      const [before, created, updated] = [
        await put('POST', { product_code: 'other' }),
        await put('POST', { product_code: 'a/b 1', Color: 'red', 'Image URL 1': url('a') }),
        await put('PUT', { product_code: 'a/b 1', status: 'active', Color: 'blue' }),
      ]
      const product = { product_code: 'a/b 1', assets: { SMP: [{ 'Image URL 1': url('a') }] } }
      const first = { store_uuid: store, product: { ...product, status: 'new', Color: 'red' } }
      const last = { store_uuid: store, product: { ...product, status: 'active', Color: 'blue' } }
      expect(await get('a/b 1')).toMatchObject({ status: 200, data: last })
      expect(await get('a/b 1', created)).toMatchObject({ status: 200, data: first })
      expect(await get('a/b 1', updated)).toMatchObject({ status: 200, data: last })
      expect(await get('a/b 1', before)).toMatchObject(missing('product_not_found'))
      expect(await get('a')).toMatchObject(missing('product_not_found'))
      expect(await callRest(gateway, `GET /products/a?store_uuid=${unknownStore()}`)).toMatchObject(
        missing('store_not_found'),
      )
      for (const at of ['yesterday', '2000-01-01T00:00:00Z']) {
        const refused = { status: 400, data: { error_info: [{ reason: 'invalid_request', field: 'at' }] } }
        expect(await get('a/b 1', at), at).toMatchObject(refused)
      }
    },
  ),
}))
