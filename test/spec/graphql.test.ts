import { readFile } from 'node:fs/promises'
import {
  buildClientSchema,
  buildSchema,
  findSchemaChanges,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql'
import { expect } from 'vitest'
import { nested } from '../random/fuzz/exhausting-request.ts'
import type { Item } from '../support/clients/client.ts'
import { ask, attempt, documentOf } from '../support/clients/operations.ts'
import {
  addAssets,
  addProducts,
  newStore,
  productOf,
  query,
  storeWithAssets,
  storeWithProducts,
  unknownStore,
  urlOf,
} from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { graphql, requirements } from './requirement.ts'

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const astral = '𝒳'
/** Changes of a schema by which all that it has stays as it is. */
const isAddition = /^(DESCRIPTION_CHANGED|(?!REQUIRED|.*DEFAULT).*_ADDED.*)$/

interface Page {
  edges: { cursor: string; node: { productCode: string } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: number
}

requirements('GraphQL', (gateway) => ({
  'GRAPHQL-01 MUST keep every name, type and default of the core of the schema': graphql(async () => {
    const core = buildSchema(await readFile(new URL('./core.graphql', import.meta.url), 'utf8'))
    const introspection = await gateway.data(getIntrospectionQuery())
    const actual = buildClientSchema(introspection as unknown as IntrospectionQuery)
    expect(findSchemaChanges(core, actual).filter(({ type }) => !isAddition.test(type))).toEqual([])
  }),
  'GRAPHQL-02 MUST describe every type, field, argument and value': graphql(async () => {
    const { __schema } = (await gateway.data(getIntrospectionQuery())) as unknown as IntrospectionQuery
    const own = __schema.types.filter(({ name, kind }) => !name.startsWith('__') && kind !== 'SCALAR')
    const bare = own.flatMap((type) => described(type, type.name))
    expect(bare).toEqual([])
  }),
  'GRAPHQL-03 MUST read a store with all its fields': graphql(async () => {
    const store = await newStore(gateway, { store_name: 'Shop', store_website: null })
    const selection = `{
      storeUuid storeGroup storeName storeTaxonomy region channels defaultAutomation storeWebsite createdAt
      linkedStores { storeUuid } product(productCode: "none") { status } products { totalCount edges { cursor } }
      productCounts { count } assetGroups { totalGroups } attributeDefinitions { name }
    }`
    expect(await ask(gateway, 'store', { storeUuid: store }, selection)).toEqual({
      storeUuid: store,
      storeGroup: expect.any(String),
      storeName: 'Shop',
      storeTaxonomy: 'catalog',
      region: ['Europe'],
      channels: ['SMP'],
      defaultAutomation: [],
      storeWebsite: null,
      createdAt: expect.stringMatching(rfc3339),
      linkedStores: [],
      product: null,
      products: { totalCount: 0, edges: [] },
      productCounts: [],
      assetGroups: { totalGroups: 0 },
      attributeDefinitions: [],
    })
  }),
  'GRAPHQL-04 MUST read a product with its status as an enum, its attributes, its times and its groups': graphql(
    async () => {
      const product = { productCode: 'A', status: 'under review', attributes: { B: 'c' } }
      const storeUuid = await storeWithProducts(gateway, [product])
      await addAssets(gateway, storeUuid, [['a', 'A']])
      const selection = `{ product(productCode: "A") {
        productCode status attributes createdAt updatedAt assetGroups { parentCode assets { assetId position } }
      } }`
      expect((await ask(gateway, 'store', { storeUuid }, selection)).product).toEqual({
        productCode: 'A',
        status: 'UNDER_REVIEW',
        attributes: { B: 'c' },
        createdAt: expect.stringMatching(rfc3339),
        updatedAt: expect.stringMatching(rfc3339),
        assetGroups: [{ parentCode: 'A', assets: [{ assetId: 'a', position: 1 }] }],
      })
    },
  ),
  'GRAPHQL-05 MUST answer null for a product that the store does not have, whatever its code is': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    await storeWithProducts(gateway, ['elsewhere'])
    for (const code of ['a', 'elsewhere', '', '\0', '\ud800', 'x'.repeat(5000), '__proto__'])
      expect(await productOf(gateway, store, code)).toBeNull()
  }),
  'GRAPHQL-06 MUST narrow the groups of a product to a channel and a format': graphql(async () => {
    const storeUuid = await storeWithProducts(gateway, ['A'])
    await addAssets(gateway, storeUuid, [
      'a A',
      ['a', 'A', { channel: 'channel_value_1' }],
      ['v', 'A', { assetFormat: 'video' }],
      ['v', 'A', { assetFormat: 'video', channel: 'channel_value_1' }],
      'a B',
    ])
    const groups = async (narrow: string) => {
      const selection = `{ product(productCode: "A") { assetGroups${narrow} { channel assetType } } }`
      const { product } = await ask<{ product: { assetGroups: Item[] } }>(gateway, 'store', { storeUuid }, selection)
      return product.assetGroups.map(({ channel, assetType }) => `${channel} ${assetType}`)
    }
    expect(await groups('')).toHaveLength(4)
    expect((await groups('(channel: "SMP")')).sort()).toEqual(['SMP image', 'SMP video'])
    expect(await groups('(channel: "SMP", assetFormat: "video")')).toEqual(['SMP video'])
    expect(await groups('(channel: "nowhere")')).toEqual([])
  }),
  'GRAPHQL-07 MUST link a group to its product, and to null where the parent code is none': graphql(async () => {
    const storeUuid = await storeWithProducts(gateway, ['A', '__proto__'])
    const codes = ['A', 'B', '__proto__']
    await addAssets(
      gateway,
      storeUuid,
      codes.map((code) => ['a', code]),
    )
    const selection = '{ groups { parentCode product { productCode } } }'
    expect((await ask(gateway, 'assetGroups', { storeUuid }, selection)).groups).toEqual(
      codes.map((code) => ({ parentCode: code, product: code === 'B' ? null : { productCode: code } })),
    )
  }),
  'GRAPHQL-08 MUST list the same groups below a store as in the operation': graphql(async () => {
    const store = await storeWithAssets(gateway, [
      'a P',
      'b P',
      'a Q',
      ['v', 'P', { assetFormat: 'video', channel: 'channel_value_1' }],
    ])
    const page =
      'totalGroups returnedGroups groups { parentCode channel assetType storeUuid assets { assetId position urlField url } }'
    const narrows = [
      'limit: 50',
      'channel: "channel_value_1", assetFormat: "video"',
      'offset: 1, limit: 1',
      'limit: 200',
      'offset: 9',
    ]
    for (const narrow of narrows) {
      const { operation, below } = (await gateway.data(`{
        operation: assetGroups(storeUuid: "${store}", ${narrow}) { ${page} }
        below: store(storeUuid: "${store}") { assetGroups(${narrow}) { ${page} } }
      }`)) as Record<string, Item>
      expect(below?.assetGroups).toEqual(operation)
    }
  }),
  'GRAPHQL-09 MUST page products in the order of their codes, forwards and backwards, each once': graphql(async () => {
    const codes = ['1002', '9', 'Z9', '__proto__', 'a', 'é', '\uffff', astral]
    const store = await storeWithProducts(gateway, codes.toReversed())
    const forwards: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const page: Page = await products(gateway, store, { first: 3, after })
      forwards.push(...page.edges.map(({ node }) => node.productCode))
      expect(page.totalCount).toBe(codes.length)
      expect(page.pageInfo).toMatchObject({ endCursor: page.edges.at(-1)?.cursor, hasPreviousPage: after !== null })
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
    }
    expect(forwards).toEqual(codes)
    const backwards: string[] = []
    for (let before: string | null = null, more = true; more; ) {
      const page: Page = await products(gateway, store, { last: 3, before })
      backwards.unshift(...page.edges.map(({ node }) => node.productCode))
      expect(page.pageInfo).toMatchObject({ startCursor: page.edges[0]?.cursor, hasNextPage: before !== null })
      before = page.pageInfo.startCursor
      more = page.pageInfo.hasPreviousPage
    }
    expect(backwards).toEqual(codes)
  }),
  'GRAPHQL-10 MUST return 20 nodes of a connection by default and at most 100': graphql(async () => {
    const codes = Array.from({ length: 101 }, (_, i) => `sku ${String(i).padStart(3, '0')}`)
    const store = await storeWithProducts(gateway, codes)
    const lengths = []
    for (const page of [{}, { first: 100 }, { first: 101 }, { first: 2_147_483_647 }, { last: 101 }, { first: 0 }]) {
      lengths.push((await products(gateway, store, page)).edges.length)
    }
    expect(lengths).toEqual([20, 100, 100, 100, 100, 0])
  }),
  'GRAPHQL-11 MUST refuse pages that make no sense: negative, from both ends, or from a cursor of its own making':
    graphql(async () => {
      const store = await storeWithProducts(gateway, ['A'])
      const bad = [{ first: -1 }, { last: -1 }, { first: 1, last: 1 }, { after: 'x!' }, { before: '' }, { after: '\0' }]
      for (const page of bad) {
        const { errors } = await gateway.graphql(productsDocument, { store, ...page })
        expect(errors?.[0]?.extensions.code, JSON.stringify(page)).toBe('invalid_request')
      }
    }),
  'GRAPHQL-12 MUST filter products by status, by the beginning of the code, by codes, and by a part of the code in any case':
    graphql(async () => {
      const store = await storeWithProducts(gateway, [
        { productCode: 'Ab%1', status: 'active' },
        { productCode: 'aB_2', status: 'draft' },
        { productCode: 'b\\3', status: 'active' },
        { productCode: '__proto__', status: 'new' },
      ])
      const filters: [filter: Item, codes: string[]][] = [
        [{ status: ['ACTIVE'] }, ['Ab%1', 'b\\3']],
        [{ status: ['ACTIVE', 'NEW'] }, ['Ab%1', '__proto__', 'b\\3']],
        [{ status: [] }, []],
        [{ codePrefix: 'A' }, ['Ab%1']],
        [{ codePrefix: '_' }, ['__proto__']],
        [{ codes: ['b\\3', 'nothing', 'Ab%1', '\0'] }, ['Ab%1', 'b\\3']],
        [{ codes: [] }, []],
        [{ search: 'AB' }, ['Ab%1', 'aB_2']],
        [{ search: '%' }, ['Ab%1']],
        [{ search: '_' }, ['__proto__', 'aB_2']],
        [{ search: '\\' }, ['b\\3']],
        [{ search: 'b', status: ['ACTIVE'], codePrefix: 'A' }, ['Ab%1']],
        [{ status: null, codes: null, codePrefix: null, search: null }, ['Ab%1', '__proto__', 'aB_2', 'b\\3']],
      ]
      for (const [filter, codes] of filters) {
        const page = await products(gateway, store, { filter })
        const found = page.edges.map(({ node }) => node.productCode)
        expect([found, page.totalCount], JSON.stringify(filter)).toEqual([codes, codes.length])
      }
    }),
  'GRAPHQL-13 MUST count the products of each status that occurs': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A', 'B', { productCode: 'C', status: 'under review' }])
    const selection = '{ productCounts { status count } }'
    const { productCounts } = await ask<{ productCounts: Item[] }>(gateway, 'store', { storeUuid: store }, selection)
    const counts = productCounts.map(({ status, count }) => `${status} ${count}`)
    expect(counts.sort()).toEqual(['NEW 2', 'UNDER_REVIEW 1'])
  }),
  'GRAPHQL-14 MUST page and filter stores by a part of the name in any case, taxonomy, region, channel and group':
    graphql(async () => {
      const mark = `marked ${unknownStore()}`
      const first = await newStore(gateway, { store_name: `${mark} One`, store_taxonomy: 'brand', region: ['Oceania'] })
      const second = await newStore(gateway, { store_name: `${mark} two%` }, `?linked_store_id=${first}`)
      const third = await newStore(gateway, { store_name: `${mark} three`, channels: ['channel_value_9'] })
      const found = await ask(gateway, 'store', { storeUuid: first }, '{ storeGroup }')
      const group = String(found.storeGroup)
      const filters: [filter: Item, stores: string[]][] = [
        [{}, [first, second, third]],
        [{ search: `${mark} ONE` }, [first]],
        [{ search: `${mark} two%` }, [second]],
        [{ search: `${mark} t` }, [second, third]],
        [{ storeTaxonomy: 'brand' }, [first]],
        [{ region: 'Oceania' }, [first]],
        [{ channel: 'channel_value_9' }, [third]],
        [{ storeGroup: group.toUpperCase() }, [first, second]],
        [{ storeGroup: 'no-uuid' }, []],
        [{ storeGroup: group, storeTaxonomy: 'catalog' }, [second]],
      ]
      for (const [filter, stores] of filters) {
        const args = { filter: { search: mark, ...filter } }
        expect(
          await ask(gateway, 'stores', args, '{ totalCount nodes { storeUuid } }'),
          JSON.stringify(filter),
        ).toEqual({
          totalCount: stores.length,
          nodes: stores.map((storeUuid) => ({ storeUuid })),
        })
      }
    }),
  'GRAPHQL-15 MUST upsert products: create those that are missing, as NEW unless a status is given, and merge into the others':
    graphql(async () => {
      const store = await storeWithProducts(gateway, [
        { productCode: 'old', status: 'active', attributes: { A: '1', B: '1' } },
      ])
      const patches = [
        { productCode: 'plain' },
        { productCode: 'old', attributes: { B: '2', C: '2' } },
        { productCode: 'draft', status: 'draft', attributes: { A: '1' } },
        { productCode: 'bad', attributes: { A: 1 } },
        { productCode: '', attributes: {} },
      ]
      const upserted = { storeUuid: store.toUpperCase(), products: patches }
      expect(await ask(gateway, 'upsertProducts', upserted)).toMatchObject({
        storeUuid: store,
        createdSkus: ['plain', 'draft'],
        updatedSkus: ['old'],
        failedProducts: [
          { productCode: 'bad', failures: [{ attribute: 'A', reason: expect.any(String) }] },
          { productCode: '', failures: [expect.anything()] },
        ],
      })
      expect(await stored(gateway, store)).toEqual({
        draft: ['DRAFT', { A: '1' }],
        old: ['ACTIVE', { A: '1', B: '2', C: '2' }],
        plain: ['NEW', {}],
      })
    }),
  'GRAPHQL-16 MUST take null for left out in a patch: status and attributes stay': graphql(async () => {
    const store = await storeWithProducts(gateway, [{ productCode: 'A', status: 'draft', attributes: { B: 'c' } }])
    const products = [{ productCode: 'A', status: null, attributes: null }]
    const updated = await ask(gateway, 'updateProducts', { storeUuid: store, products })
    expect(updated).toMatchObject({ updatedSkus: ['A'] })
    expect(await stored(gateway, store)).toEqual({ A: ['DRAFT', { B: 'c' }] })
  }),
  'GRAPHQL-17 MUST let any JSON value into an AttributeMap, as a variable and in the document, and refuse one that is no object':
    graphql(async () => {
      const store = await storeWithProducts(gateway, ['A'])
      const inline = `mutation { result: updateProducts(storeUuid: "${store}", products: [
        { productCode: "A", attributes: { __proto__: "x", list: [1, "a", null], deep: { a: true }, no: null, number: 1.5 } }
      ]) { failedProducts { failures { attribute } } } }`
      const { result } = await query<{ failedProducts: { failures: Item[] }[] }>(gateway, inline)
      const attributes = result.failedProducts[0]?.failures.map(({ attribute }) => attribute)
      expect(attributes).toEqual(['list', 'deep', 'no', 'number'])
      for (const attributes of [[], 'x', 1, true]) {
        const args = { storeUuid: store, products: [{ productCode: 'A', attributes }] }
        expect(await attempt(gateway, 'updateProducts', args)).toMatchObject({ reason: 'invalid_request' })
      }
    }),
  'GRAPHQL-18 MUST keep __proto__ as an attribute that the document itself has': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const document = `mutation { result: updateProducts(storeUuid: "${store}", products: [
        { productCode: "A", attributes: { __proto__: "x" } }
      ]) { updatedSkus } }`
    expect((await query(gateway, document)).result).toEqual({ updatedSkus: ['A'] })
    const read = `{ store(storeUuid: "${store}") { product(productCode: "A") { attributes } } }`
    const { text } = await gateway.call('/graphql', { method: 'POST', body: { query: read } })
    expect(text).toContain('"attributes":{"__proto__":"x"}')
  }),
  'GRAPHQL-19 MUST give the reason of every error in extensions.code, and every fault in extensions.errorInfo': graphql(
    async () => {
      const store = unknownStore()
      const documents: [document: string, code: string][] = [
        ['{ nothing }', 'invalid_request'],
        ['{', 'invalid_request'],
        ['query ($x: Int!) { stores(first: $x) { totalCount } }', 'invalid_request'],
        ['{ stores(first: -1) { totalCount } }', 'invalid_request'],
        [`{ assetGroups(storeUuid: "${store}") { totalGroups } }`, 'store_not_found'],
        [`mutation { updateProducts(storeUuid: "${store}", products: []) { updatedSkus } }`, 'store_not_found'],
      ]
      for (const [document, code] of documents) {
        const { errors } = await gateway.graphql(document)
        expect(errors, document).toMatchObject([{ message: expect.stringMatching(/\S/), extensions: { code } }])
      }
      const { errors } = await gateway.graphql(`{ assetGroups(storeUuid: "${store}") { totalGroups } }`)
      expect(errors?.[0]?.extensions.errorInfo).toMatchObject([{ reason: 'store_not_found', field: 'storeUuid' }])
    },
  ),
  'GRAPHQL-20 MUST apply each mutation field of a document by itself, in order': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const patch = (size: string) =>
      `updateProducts(storeUuid: "${store}", products: [{ productCode: "A", attributes: { Size: "${size}" } }]) { updatedSkus }`
    const failing = `updateProducts(storeUuid: "${unknownStore()}", products: []) { updatedSkus }`
    expect((await gateway.graphql(`mutation { one: ${patch('1')} two: ${patch('2')} }`)).errors).toBeUndefined()
    expect(await stored(gateway, store)).toEqual({ A: ['NEW', { Size: '2' }] })
    const { errors } = await gateway.graphql(`mutation { three: ${patch('3')} four: ${failing} }`)
    expect(errors).toHaveLength(1)
    expect(await stored(gateway, store)).toEqual({ A: ['NEW', { Size: '3' }] })
  }),
  'GRAPHQL-21 MUST show after a mutation, in the same document, what the mutation wrote': graphql(async () => {
    const input = { storeName: ' Shop ', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
    const selection = '{ storeName linkedStores { storeUuid } products { totalCount } }'
    expect(await ask(gateway, 'createStore', { input }, selection)).toEqual({
      storeName: 'Shop',
      linkedStores: [],
      products: { totalCount: 0 },
    })
  }),
  'GRAPHQL-22 MUST not run a mutation that comes by GET': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const mutation = `mutation { updateProducts(storeUuid: "${store}", products: [{ productCode: "A", status: "draft" }]) { updatedSkus } }`
    const reply = await gateway.call(`/graphql?query=${encodeURIComponent(mutation)}`)
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST'])
    expect(await stored(gateway, store)).toEqual({ A: ['NEW', {}] })
  }),
  'GRAPHQL-23 MUST answer a document that nests thousands deep with an error, and go on': graphql(async () => {
    const depth = 5_000
    for (const document of [nested('{a', '}', depth), `{ a(x: ${nested('[', ']', depth)}) }`]) {
      const { errors } = await gateway.graphql(document)
      expect(errors?.[0]?.extensions.code).toBe('invalid_request')
    }
    expect(await gateway.data('{ __typename }')).toEqual({ __typename: 'Query' })
  }),
  'GRAPHQL-24 MUST update updatedAt when something of a product changes, and only then': graphql(async () => {
    const store = await storeWithProducts(gateway, [{ productCode: 'A', attributes: { Size: '1' } }])
    const times = async () =>
      (
        await ask<Times>(
          gateway,
          'store',
          { storeUuid: store },
          '{ product(productCode: "A") { createdAt updatedAt } }',
        )
      ).product
    const before = await times()
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Size: '1' } }])
    expect(await times()).toEqual(before)
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Size: '2' } }])
    const after = await times()
    expect(after.createdAt).toBe(before.createdAt)
    expect(Date.parse(after.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt))
    expect(after.updatedAt).not.toBe(before.updatedAt)
  }),
  'GRAPHQL-25 MUST carry the URL of an asset unchanged, at its position, with the name of its REST field': graphql(
    async () => {
      const store = await storeWithAssets(gateway, [
        ['a', 'P', { assetFormat: 'pdf' }],
        ['b', 'P', { assetFormat: 'pdf', url: 'https://cdn.example/b?x=1&y=ä#z' }],
      ])
      const args = { storeUuid: store, assetFormat: 'pdf' }
      const { groups } = await ask(
        gateway,
        'assetGroups',
        args,
        '{ groups { assets { assetId url position urlField } } }',
      )
      const assets = [
        { assetId: 'a', url: urlOf('a'), position: 1, urlField: 'PDF URL 1' },
        { assetId: 'b', url: 'https://cdn.example/b?x=1&y=ä#z', position: 2, urlField: 'PDF URL 2' },
      ]
      expect(groups).toEqual([{ assets }])
    },
  ),
  'GRAPHQL-26 MUST name the fields of a fault as the schema names them, in every mutation': graphql(async () => {
    const storeUuid = await storeWithAssets(gateway, [['a', 'P']])
    const text = { assetId: '\0', parentCode: '\0', channel: '\0' }
    const names = (path: string, ...ids: string[]) => ['channel', 'parentCode', ...ids].map((name) => `${path}.${name}`)
    const store = {
      storeName: '',
      storeTaxonomy: 'x',
      region: ['x'],
      channels: ['x'],
      defaultAutomation: ['x'],
      storeWebsite: '\0',
    }
    const fields = ['storeName', 'storeTaxonomy', 'region[0]', 'channels[0]', 'defaultAutomation[0]', 'storeWebsite']
    const none = { storeUuid: unknownStore() }
    const mutations: [mutation: string, args: Item, fields: string[]][] = [
      ['createStore', { input: store }, fields],
      ['updateStore', { storeUuid, input: store }, fields],
      ['updateProducts', { ...none, products: [] }, ['storeUuid']],
      ['upsertProducts', { ...none, products: [] }, ['storeUuid']],
      ['deleteProducts', { ...none, productCodes: [] }, ['storeUuid']],
      ['addAssets', { storeUuid, assets: [{ ...text, url: urlOf('a') }] }, names('assets[0]', 'assetId')],
      ['placeAssets', { storeUuid, groups: [{ parentCode: '\0', assets: {} }] }, ['groups[0].parentCode']],
      ['moveAsset', { storeUuid, parentCode: 'P', assetId: 'b', position: 1 }, ['assetId']],
      ['reorderAssets', { storeUuid, parentCode: 'P', assetIds: ['b'] }, ['assetId']],
      ['deleteAssets', { selectors: [{ storeUuid: '\0', ...text }] }, names('selectors[0]', 'storeUuid', 'assetId[0]')],
      ['unlinkAssets', { links: [{ storeUuid: '\0', ...text }] }, names('links[0]', 'storeUuid', 'assetId[0]')],
      ['defineAttributes', { storeUuid, definitions: [{ name: 'E', type: 'ENUM' }] }, ['definitions[0].allowedValues']],
    ]
    for (const [mutation, args, expected] of mutations) {
      const { errors } = await gateway.graphql(documentOf(mutation, args), args)
      const named = errors?.flatMap(({ extensions }) => extensions.errorInfo?.map(({ field }) => field))
      expect(named?.sort(), mutation).toEqual(expected.sort())
    }
  }),
  'GRAPHQL-27 MUST refuse a parameter of a GET that is repeated or not percent-encoded UTF-8': graphql(async () => {
    const get = async (search: string) => {
      const { status, text } = await gateway.call(`/graphql?${search}`)
      return `${status} ${text}`
    }
    expect(await get('query={__typename}&variables=%7B%7D&query=%7Bx%7D')).toMatch(/^400.*query must be given once/)
    expect(await get('query={__typename}%23%FF')).toMatch(/^400.*query must be percent-encoded UTF-8/)
    expect(await get('query={__typename}&x=%FF&x=1&operationName=')).toMatch(/^200.*Query/)
  }),
}))

interface Times {
  product: { createdAt: string; updatedAt: string }
}

const productsDocument = `query ($store: ID!, $first: Int, $after: String, $last: Int, $before: String, $filter: ProductFilter) {
  result: store(storeUuid: $store) {
    products(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      totalCount edges { cursor node { productCode } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}`

async function products(gateway: TestGateway, store: string, page: Item): Promise<Page> {
  return (await query<{ products: Page }>(gateway, productsDocument, { store, ...page })).result.products
}

/** Status and attributes of all products of the store, by code. */
async function stored(gateway: TestGateway, storeUuid: string): Promise<Record<string, unknown>> {
  const selection = '{ products { nodes { productCode status attributes } } }'
  const { products } = await ask<{ products: { nodes: Item[] } }>(gateway, 'store', { storeUuid }, selection)
  return Object.fromEntries(products.nodes.map((node) => [node.productCode, [node.status, node.attributes]]))
}

interface Describable {
  name: string
  description?: string | null
  fields?: readonly Describable[] | null
  inputFields?: readonly Describable[] | null
  enumValues?: readonly Describable[] | null
  args?: readonly Describable[]
}

/** The paths of whatever has no description, from here down. */
function described(element: object, path: string): string[] {
  const { description, fields, inputFields, enumValues, args } = element as Describable
  const below = [...(fields ?? []), ...(inputFields ?? []), ...(enumValues ?? []), ...(args ?? [])]
  const missing = below.flatMap((part) => described(part, `${path}.${part.name}`))
  return description ? missing : [path, ...missing]
}
