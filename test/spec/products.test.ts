import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Client, Item, Outcome } from '../support/clients/client.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { addProducts, newStore, productOf, storeWithProducts, unknownStore } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { graphql, requirements, rest } from './requirement.ts'

const astral = '𝒳'
const statuses = ['active', 'new', 'problem', 'inactive', 'draft', 'under review']
/** Property names that a careless object would take for its own. */
const treacherous = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '1002', '9', 'Z9']

const noStatuses = ['under  review', 'under-review', '', ' new', 'deleted', '\0', '\ud800']

requirements('PUT /products', (gateway) => ({
  'PRODUCTS-01 MUST answer with store_uuid, updated_skus, unavailable_skus and failed_products, and nothing else':
    async (client) => {
      const store = await storeWithProducts(gateway, ['A', 'B'])
      const body = [
        { product_code: 'A', Color: 'red' },
        { product_code: 'B', Color: 1 },
        { product_code: 'C', Color: 'red' },
      ]
      expect(await client.updateProducts(store, body)).toEqual({
        data: {
          store_uuid: store,
          updated_skus: ['A'],
          unavailable_skus: ['C'],
          failed_products: [['B', [['Color', expect.any(String)]]]],
        },
      })
    },
  'PRODUCTS-02 MUST set status and attributes of a product identified by its code': async (client) => {
    const store = await storeWithProducts(gateway, ['A', 'B'])
    await client.updateProducts(store, [{ product_code: 'A', status: 'active', Category: 'Shoes', Color: 'red' }])
    expect(await productOf(gateway, store, 'A')).toMatchObject({
      status: 'ACTIVE',
      attributes: { Category: 'Shoes', Color: 'red' },
    })
    expect(await productOf(gateway, store, 'B')).toMatchObject({ status: 'NEW', attributes: {} })
  },
  'PRODUCTS-03 MUST require store_uuid': rest(async () => {
    for (const query of ['', '?', '?store_uuid=', '?store_uuid', '?Store_uuid=x']) {
      const outcome = await put(gateway, query, [])
      const details = 'store_uuid is required'
      expect(outcome, query).toMatchObject({ reason: 'invalid_request', entries: [{ details, field: 'store_uuid' }] })
    }
  }),
  'PRODUCTS-04 MUST answer store_not_found for an unknown store': async (client) => {
    const outcome = await client.updateProducts(unknownStore(), [{ product_code: 'A' }])
    expect(outcome).toMatchObject({ reason: 'store_not_found', entries: [{}] })
  },
  'PRODUCTS-05 MUST say that the body is invalid before that the store is unknown': rest(async () => {
    const outcome = await put(gateway, `?store_uuid=${unknownStore()}`, [{}])
    expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ index: 0 }] })
  }),
  'PRODUCTS-06 MUST allow any move between the status values': async (client) => {
    const moves = statuses.flatMap((from) => statuses.map((to) => ({ code: `${from} to ${to}`, from, to })))
    const codes = moves.map(({ code }) => code)
    const store = await storeWithProducts(gateway, codes)
    for (const step of ['from', 'to'] as const) {
      const body = moves.map((move) => ({ product_code: move.code, status: move[step] }))
      expect(await client.updateProducts(store, body)).toMatchObject({ data: { updated_skus: codes } })
      for (const move of moves.filter((_, i) => i % 7 === 0)) {
        const word = move[step].replace(' ', '_').toUpperCase()
        expect(await productOf(gateway, store, move.code)).toMatchObject({ status: word })
      }
    }
    expect(await countsOf(gateway, store)).toEqual(statuses.map(() => statuses.length))
  },
  // GraphQL takes the names of its enum too.
  'PRODUCTS-07 MUST fail a product whose status is none of the values, in any other case or form, with a reason that names them':
    {
      rest: refusesStatuses(gateway, [...noStatuses, 'Active', 'NEW', 'under_review', 'UNDER REVIEW']),
      graphql: refusesStatuses(gateway, noStatuses),
    },
  'PRODUCTS-08 MUST fail a product whose status is no string': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const status of [null, 1, true, ['new'], { value: 'new' }]) {
      const outcome = await client.updateProducts(store, [{ product_code: 'A', status }])
      expect(failedOf(outcome), JSON.stringify(status)).toEqual([
        ['A', [['status', expect.stringMatching(/^must be one of active, .*, under review; got /)]]],
      ])
    }
  },
  'PRODUCTS-09 MUST take `status` in lower case for the enum, and `Status` for a free attribute': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    await client.updateProducts(store, [{ product_code: 'A', status: 'draft', Status: 'sold out', STATUS: '' }])
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'DRAFT' })
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Status: 'sold out', STATUS: '' })
  },
  'PRODUCTS-07b MUST take a status over GraphQL as it answers it, and in any case': graphql(async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const status of ['ACTIVE', 'Draft', 'UNDER_REVIEW', 'under_review', 'Under Review', 'inactive']) {
      const outcome = await client.updateProducts(store, [{ product_code: 'A', status }])
      expect(outcome, status).toMatchObject({ data: { updated_skus: ['A'], failed_products: [] } })
      expect((await productOf(gateway, store, 'A'))?.status).toBe(status.replace(' ', '_').toUpperCase())
    }
    await addProducts(gateway, store, [
      { productCode: 'A', status: 'NEW' },
      { productCode: 'B', status: 'PROBLEM' },
    ])
    expect((await productOf(gateway, store, 'A'))?.status).toBe('NEW')
    expect((await productOf(gateway, store, 'B'))?.status).toBe('PROBLEM')
  }),
  'PRODUCTS-10 MUST never hold `status` among the attributes': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const products = [{ productCode: 'A', attributes: { status: 'active' } }]
    expect(await ask(gateway, 'updateProducts', { storeUuid: store, products })).toMatchObject({
      failedProducts: [{ failures: [{ attribute: 'status' }] }],
    })
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'NEW', attributes: {} })
  }),
  "PRODUCTS-11 MUST list updated_skus and unavailable_skus in the body's order": async (client) => {
    const store = await storeWithProducts(gateway, ['1002', '9', 'Z9', 'a'])
    const codes = ['Z9', 'x', '1002', '77', 'a', '8', '9']
    const outcome = await client.updateProducts(store, patches(codes))
    expect(outcome).toMatchObject({
      data: { updated_skus: ['Z9', '1002', 'a', '9'], unavailable_skus: ['x', '77', '8'], failed_products: [] },
    })
  },
  'PRODUCTS-12 MUST list each code once': async (client) => {
    const store = await storeWithProducts(gateway, ['A', 'B', 'C'])
    const body = [...patches(['B', 'x', 'A', 'B', 'x']), ...['C', 'C'].map((code) => ({ product_code: code, Size: 1 }))]
    const outcome = await client.updateProducts(store, body)
    expect(outcome).toMatchObject({ data: { updated_skus: ['B', 'A'], unavailable_skus: ['x'] } })
    expect(failedOf(outcome).map(([code]) => code)).toEqual(['C'])
  },
  'PRODUCTS-13 MUST refuse a body that is no array': rest(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const body of [
      { product_code: 'A', Size: '1' },
      'null',
      '"A"',
      '1',
      '{"0":{"product_code":"A"},"length":1}',
    ]) {
      const outcome = await put(gateway, `?store_uuid=${store}`, body)
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'body' }] })
    }
    expect(await attributesOf(gateway, store, 'A')).toEqual({})
  }),
  'PRODUCTS-14 MUST name every index at which the body has no object with a string product_code, and apply nothing': {
    rest: async () => {
      const store = await storeWithProducts(gateway, ['A', 'B'])
      const good = (code: string) => ({ product_code: code, Size: '1' })
      const bad = [
        null,
        'A',
        1,
        [],
        [good('A')],
        {},
        { product_code: null },
        { product_code: 1 },
        { product_code: ['A'] },
      ]
      const body = [good('A'), ...bad, { PRODUCT_CODE: 'A' }, good('B')]
      const { reason, entries = [] } = await put(gateway, `?store_uuid=${store}`, body)
      expect(reason).toBe('invalid_request')
      expect(entries.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(entries.map(({ details }) => details)).toEqual(
        entries.map(({ index }) => expect.stringContaining(`item ${index}`)),
      )
      expect(await attributesOf(gateway, store, 'A')).toEqual({})
      expect(await attributesOf(gateway, store, 'B')).toEqual({})
    },
    graphql: async () => {
      const store = await storeWithProducts(gateway, ['A'])
      const good = { productCode: 'A', attributes: { Size: '1' } }
      for (const bad of [null, 'A', {}, { productCode: null }, { productCode: ['A'] }]) {
        const outcome = await attempt(gateway, 'updateProducts', { storeUuid: store, products: [good, bad] })
        expect(outcome, JSON.stringify(bad)).toMatchObject({ reason: 'invalid_request' })
        expect(outcome.entries?.[0]?.details).toMatch(/\$products.*\[1\]/)
      }
      expect(await attributesOf(gateway, store, 'A')).toEqual({})
    },
  },
  'PRODUCTS-15 MUST not take a product_code from a __proto__ object': rest(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const outcome = await put(gateway, `?store_uuid=${store}`, '[{"__proto__":{"product_code":"A"}}]')
    expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ index: 0, field: 'product_code' }] })
  }),
  'PRODUCTS-16 MUST succeed with empty lists for an empty array': async (client) => {
    const store = await newStore(gateway)
    expect(await client.updateProducts(store, [])).toEqual({
      data: { store_uuid: store, updated_skus: [], unavailable_skus: [], failed_products: [] },
    })
  },
  'PRODUCTS-17 MUST update a product whole or not at all: one bad attribute, and nothing of it is applied': async (
    client,
  ) => {
    const store = await storeWithProducts(gateway, [{ productCode: 'A', attributes: { Color: 'red' } }])
    const body = [{ product_code: 'A', status: 'active', Color: 'blue', Size: 5, Material: 'wool' }]
    expect(await client.updateProducts(store, body)).toMatchObject({ data: { updated_skus: [] } })
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'NEW', attributes: { Color: 'red' } })
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Color: 'red' })
  },
  'PRODUCTS-18 MUST name every bad attribute of a failed product, each with a reason': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const bad = { status: 'gone', Size: 5, assets: 'x', Color: null, Tags: ['a'] }
    const outcome = await client.updateProducts(store, [{ product_code: 'A', ...bad, Good: 'yes' }])
    const [failed] = failedOf(outcome)
    expect(failed?.[0]).toBe('A')
    expect(failed?.[1].map(([attribute]) => attribute)).toEqual(Object.keys(bad))
    for (const [, reason] of failed?.[1] ?? []) expect(reason).toMatch(/\S+ \S+/)
  },
  'PRODUCTS-19 MUST go ahead with the other products of a body that holds a bad one, with HTTP 200': async (client) => {
    const store = await storeWithProducts(gateway, ['A', 'B', 'C'])
    const body = [
      { product_code: 'A', Size: '1' },
      { product_code: 'B', Size: 1 },
      { product_code: 'C', Size: '3' },
    ]
    expect(await client.updateProducts(store, body)).toMatchObject({ data: { updated_skus: ['A', 'C'] } })
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Size: '1' })
    expect(await attributesOf(gateway, store, 'B')).toEqual({})
    expect(await attributesOf(gateway, store, 'C')).toEqual({ Size: '3' })
  },
  'PRODUCTS-20 MUST apply the entries of a code that comes twice in their order': async (client) => {
    const store = await storeWithProducts(gateway, ['A', 'B'])
    const outcome = await client.updateProducts(store, [
      { product_code: 'A', status: 'active', Color: 'red', Size: '1' },
      { product_code: 'B', Color: 'green' },
      { product_code: 'A', Color: 'blue' },
      { product_code: 'A', status: 'draft', Material: 'wool' },
      { product_code: 'A' },
    ])
    expect(outcome).toMatchObject({ data: { updated_skus: ['A', 'B'], failed_products: [] } })
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'DRAFT' })
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Color: 'blue', Size: '1', Material: 'wool' })
  },
  'PRODUCTS-21 MUST apply no entry of a code if any of its entries is bad, and list it in failed_products only': async (
    client,
  ) => {
    const good = { product_code: 'A', status: 'active', Color: 'red' }
    const bad = { product_code: 'A', Size: 1 }
    for (const entries of [
      [good, bad],
      [bad, good],
      [good, bad, good],
    ]) {
      const store = await storeWithProducts(gateway, ['A', 'B'])
      const outcome = await client.updateProducts(store, [...entries, { product_code: 'B', Color: 'red' }])
      expect(outcome).toMatchObject({ data: { updated_skus: ['B'], unavailable_skus: [] } })
      expect(failedOf(outcome)).toEqual([['A', [['Size', expect.any(String)]]]])
      expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'NEW' })
      expect(await attributesOf(gateway, store, 'A')).toEqual({})
    }
  },
  'PRODUCTS-22 MUST name the bad attributes of all entries of a code that comes twice': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const outcome = await client.updateProducts(store, [
      { product_code: 'A', Size: 1 },
      { product_code: 'A', status: 'gone', Color: 2 },
    ])
    const attributes = failedOf(outcome)[0]?.[1].map(([attribute]) => attribute)
    expect(attributes).toEqual(['Size', 'status', 'Color'])
  },
  'PRODUCTS-23 MUST list a code that the store does not have as unavailable only, whatever else is wrong with the item':
    async (client) => {
      const store = await newStore(gateway)
      await storeWithProducts(gateway, ['elsewhere'])
      const body = [
        { product_code: 'gone', status: 'gone', Size: 1, assets: 1 },
        { product_code: 'elsewhere', Size: '1' },
      ]
      expect(await client.updateProducts(store, body)).toEqual({
        data: { store_uuid: store, updated_skus: [], unavailable_skus: ['gone', 'elsewhere'], failed_products: [] },
      })
    },
  'PRODUCTS-24 MUST list a code of 0 or over 255 characters, or one with NUL or a lone surrogate, as unavailable':
    async (client) => {
      const store = await newStore(gateway)
      const codes = ['', 'x'.repeat(256), astral.repeat(256), 'x'.repeat(70_000), 'a\0', '\ud800', 'b\udfff']
      const outcome = await client.updateProducts(store, patches(codes))
      expect(outcome).toMatchObject({ data: { unavailable_skus: codes, failed_products: [] } })
    },
  'PRODUCTS-25 MUST take codes of 1 and of 255 characters, counted as code points': async (client) => {
    const codes = ['x', 'é'.repeat(255), astral.repeat(255), ' ', '\u{10ffff}', '\uffff']
    const store = await storeWithProducts(gateway, codes)
    expect(await client.updateProducts(store, patches(codes))).toMatchObject({ data: { updated_skus: codes } })
    for (const code of codes) expect(await attributesOf(gateway, store, code)).toEqual({ Size: '1' })
  },
  'PRODUCTS-26 MUST tell codes apart by case, by white space and by Unicode form': async (client) => {
    const codes = ['a', 'A', 'a ', ' a', '\u00e9', 'e\u0301']
    const store = await storeWithProducts(gateway, codes)
    for (const code of codes) await client.updateProducts(store, [{ product_code: code, Own: code }])
    for (const code of codes) expect(await attributesOf(gateway, store, code)).toEqual({ Own: code })
  },
  'PRODUCTS-27 MUST keep a product code unique in its store only: the same code elsewhere is another product': async (
    client,
  ) => {
    const [store, other] = [await storeWithProducts(gateway, ['A']), await storeWithProducts(gateway, ['A'])]
    await addProducts(gateway, store, ['A'])
    await client.updateProducts(store, [{ product_code: 'A', Color: 'red' }])
    expect(await attributesOf(gateway, store, 'A')).toEqual({ Color: 'red' })
    expect(await attributesOf(gateway, other, 'A')).toEqual({})
    const count = 'query ($s: ID!) { store(storeUuid: $s) { products { totalCount } } }'
    expect(await gateway.data(count, { s: store })).toEqual({ store: { products: { totalCount: 1 } } })
  },
  'PRODUCTS-28 MUST update a known product that comes without attributes, which changes nothing': async (client) => {
    const attributes = { Color: 'red' }
    const store = await storeWithProducts(gateway, [{ productCode: 'A', status: 'draft', attributes }])
    const before = await productOf(gateway, store, 'A')
    const outcome = await client.updateProducts(store, [{ product_code: 'A' }])
    expect(outcome).toMatchObject({ data: { updated_skus: ['A'] } })
    expect(before).toMatchObject({ status: 'DRAFT', attributes })
    expect(await productOf(gateway, store, 'A')).toEqual(before)
  },
  "PRODUCTS-29 MUST merge the attributes given into the product's: others stay, and so does the status": async (
    client,
  ) => {
    const attributes = { Color: 'red', Size: '1' }
    const store = await storeWithProducts(gateway, [{ productCode: 'A', status: 'problem', attributes }])
    await client.updateProducts(store, [{ product_code: 'A', Color: 'blue', color: 'green', Note: '' }])
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'PROBLEM' })
    const merged = { Color: 'blue', Size: '1', color: 'green', Note: '' }
    expect(await attributesOf(gateway, store, 'A')).toEqual(merged)
  },
  'PRODUCTS-30 MUST fail an attribute whose value is anything but a string': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const value of [null, 0, 1.5, true, false, [], ['a'], {}, { a: 'b' }]) {
      const outcome = await client.updateProducts(store, [{ product_code: 'A', Size: value }])
      expect(failedOf(outcome), JSON.stringify(value)).toEqual([['A', [['Size', expect.any(String)]]]])
    }
    expect(await attributesOf(gateway, store, 'A')).toEqual({})
  },
  'PRODUCTS-31 MUST fail an attribute whose value is nested, as any other that is no string; a body of more than 64 levels is too large':
    rest(async () => {
      const store = await storeWithProducts(gateway, ['A'])
      const putDeep = (levels: number) =>
        put(gateway, `?store_uuid=${store}`, `[{"product_code":"A","Size":${'['.repeat(levels)}${']'.repeat(levels)}}]`)
      const outcome = await putDeep(62)
      expect(Object.keys((outcome.data as { failed_products: object }).failed_products)).toEqual(['A'])
      for (const levels of [63, 5_000]) expect((await putDeep(levels)).reason).toBe('payload_too_large')
    }),
  'PRODUCTS-32 MUST keep a value of 65,535 characters, counted as code points, and an empty one': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const attributes = { Long: 'x'.repeat(65_535), Astral: astral.repeat(65_535), Empty: '' }
    const outcome = await client.updateProducts(store, [{ product_code: 'A', ...attributes }])
    expect(outcome).toMatchObject({ data: { updated_skus: ['A'] } })
    expect(await attributesOf(gateway, store, 'A')).toEqual(attributes)
  },
  'PRODUCTS-33 MUST fail a value of 65,536 characters': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const body = [{ product_code: 'A', Long: 'x'.repeat(65_536), Astral: astral.repeat(65_536) }]
    const [failed] = failedOf(await client.updateProducts(store, body))
    expect(failed?.[1].map(([attribute]) => attribute)).toEqual(['Long', 'Astral'])
  },
  'PRODUCTS-34 MUST keep values and names as they came: white space, quotes, control characters, any Unicode': async (
    client,
  ) => {
    const store = await storeWithProducts(gateway, ['A'])
    const attributes = {
      ' padded ': ' value ',
      'a"b\\c': '"\\u0000"\\n',
      '\u0001\u001f\u007f': '\r\n\t\u0008',
      '\u202e\u200b\ufeff': '\uffff\u{10ffff}\ufffd',
      "'; drop table product; --": '$1 %s {{x}}',
      'e\u0301': '\u00e9',
    }
    await client.updateProducts(store, [{ product_code: 'A', ...attributes }])
    expect(await attributesOf(gateway, store, 'A')).toEqual(attributes)
  },
  'PRODUCTS-35 MUST fail an attribute whose value has NUL or a lone surrogate, and store nothing changed': async (
    client,
  ) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const value of ['\0', 'a\0b', '\ud800', '\udc00', '\udc00\ud800', 'x\ud83d']) {
      const outcome = await client.updateProducts(store, [{ product_code: 'A', Size: value }])
      expect(failedOf(outcome), JSON.stringify(value)).toEqual([['A', [['Size', expect.any(String)]]]])
    }
    expect(await attributesOf(gateway, store, 'A')).toEqual({})
  },
  'PRODUCTS-36 MUST take attribute names of 1 and of 255 characters, counted as code points': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const attributes = { x: '1', ['é'.repeat(255)]: '2', [astral.repeat(255)]: '3' }
    await client.updateProducts(store, [{ product_code: 'A', ...attributes }])
    expect(await attributesOf(gateway, store, 'A')).toEqual(attributes)
  },
  'PRODUCTS-37 MUST fail an attribute whose name has 0 or over 255 characters, NUL or a lone surrogate': async (
    client,
  ) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const name of ['', 'x'.repeat(256), astral.repeat(256), '\0', 'a\ud800']) {
      const outcome = await client.updateProducts(store, [{ product_code: 'A', [name]: 'x', Good: 'yes' }])
      expect(failedOf(outcome)).toEqual([['A', [[name, expect.any(String)]]]])
    }
    expect(await attributesOf(gateway, store, 'A')).toEqual({})
  },
  'PRODUCTS-38 MUST fail an attribute called assets, and take Assets and Product_code': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const failing = await client.updateProducts(store, [{ product_code: 'A', assets: 'x' }])
    expect(failedOf(failing)).toEqual([['A', [['assets', expect.any(String)]]]])
    const free = { Assets: 'x', Product_code: 'y' }
    await client.updateProducts(store, [{ product_code: 'A', ...free }])
    expect(await attributesOf(gateway, store, 'A')).toEqual(free)
  },
  'PRODUCTS-39 MUST fail an attribute called product_code': graphql(async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const products = [{ productCode: 'A', attributes: { product_code: 'B' } }]
    expect(await ask(gateway, 'updateProducts', { storeUuid: store, products })).toMatchObject({
      updatedSkus: [],
      failedProducts: [{ productCode: 'A', failures: [{ attribute: 'product_code' }] }],
    })
  }),
  'PRODUCTS-40 MUST take any other name for an attribute, __proto__ and 1002 included': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const attributes = Object.fromEntries(treacherous.map((name) => [name, `of ${name}`]))
    const body = JSON.parse(`[{"product_code":"A",${JSON.stringify(attributes).slice(1)}]`)
    expect(Object.hasOwn(body[0], '__proto__')).toBe(true)
    expect(await client.updateProducts(store, body)).toMatchObject({ data: { updated_skus: ['A'] } })
    expect(Object.entries(await attributesOf(gateway, store, 'A')).sort()).toEqual(Object.entries(attributes).sort())
  },
  'PRODUCTS-41 MUST name __proto__ and its like where they fail as attributes': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    const body = JSON.parse(`[{"product_code":"A",${treacherous.map((name) => `"${name}":1`).join()}}]`)
    const [failed] = failedOf(await client.updateProducts(store, body))
    expect(failed?.[1].map(([attribute]) => attribute).sort()).toEqual(treacherous.toSorted())
  },
  'PRODUCTS-42 MUST take __proto__ and its like for product codes like any other': async (client) => {
    const store = await storeWithProducts(gateway, treacherous)
    expect(await client.updateProducts(store, patches(treacherous))).toMatchObject({
      data: { updated_skus: treacherous },
    })
    for (const code of treacherous) expect(await attributesOf(gateway, store, code)).toEqual({ Size: '1' })
    const failing = await client.updateProducts(
      store,
      treacherous.map((code) => ({ product_code: code, Size: 1 })),
    )
    expect(failedOf(failing).sort()).toEqual(treacherous.map((code) => [code, [['Size', expect.any(String)]]]).sort())
  },
  'PRODUCTS-43 MUST write failed_products as a map from SKU code to a map from attribute name to reason': rest(
    async () => {
      const store = await storeWithProducts(gateway, ['1002', '__proto__'])
      const body = '[{"product_code":"__proto__","__proto__":1},{"product_code":"1002","9":1}]'
      const { text } = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
      expect(text).toMatch(/"failed_products":\{"__proto__":\{"__proto__":"[^"]+"\},"1002":\{"9":"[^"]+"\}\}/)
    },
  ),
  'PRODUCTS-44 MUST apply a request whole or not at all': async (client) => {
    const codes = Array.from({ length: 20 }, (_, i) => `trapped ${i}`)
    const store = await storeWithProducts(gateway, codes)
    for (const statement of trap(store)) await statement.execute(gateway.database.db)
    expect(await client.updateProducts(store, patches(codes))).toMatchObject({ reason: 'internal_error' })
    for (const code of codes) expect(await attributesOf(gateway, store, code)).toEqual({})
  },
  'PRODUCTS-45 MUST show what it acknowledged to the next request': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (let i = 0; i < 20; i++) {
      await client.updateProducts(store, [{ product_code: 'A', Round: `${i}` }])
      expect(await attributesOf(gateway, store, 'A')).toEqual({ Round: `${i}` })
    }
  },
}))

type Failed = [code: string, reasons: [attribute: string, reason: string][]][]

function failedOf({ data }: Outcome): Failed {
  return (data as { failed_products: Failed }).failed_products
}

/** Fails a product for each status, with a reason that names the values. */
function refusesStatuses(gateway: TestGateway, refused: readonly string[]) {
  return async (client: Client) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (const status of refused) {
      const outcome = await client.updateProducts(store, [{ product_code: 'A', status }])
      const reason = expect.stringContaining(statuses.join(', '))
      expect(failedOf(outcome), JSON.stringify(status)).toEqual([['A', [['status', reason]]]])
    }
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'NEW' })
  }
}

function patches(codes: readonly string[]): Item[] {
  return codes.map((code) => ({ product_code: code, Size: '1' }))
}

async function put(gateway: TestGateway, search: string, body: unknown): Promise<Outcome> {
  return outcomeOf(await gateway.call(`/v1/products${search}`, { method: 'PUT', body }))
}

async function attributesOf(gateway: TestGateway, store: string, code: string): Promise<Record<string, string>> {
  const product = await productOf(gateway, store, code)
  if (!product) throw new Error(`there is no product ${JSON.stringify(code)}`)
  return product.attributes
}

/**
 * Makes PostgreSQL refuse one of the trapped products, in the midst of the others; Citus takes a statement at a time.
 */
function trap(store: string) {
  return [
    `create or replace function refuse() returns trigger language plpgsql as 'begin raise exception ''trapped''; end'`,
    `create trigger "trap of ${store}" before update on product for each row
      when (new.store_uuid = '${store}' and new.product_code = 'trapped 10') execute function refuse()`,
  ].map((text) => sql.raw(text))
}

/** How many products of the store have each status. */
async function countsOf(gateway: TestGateway, storeUuid: string): Promise<unknown[]> {
  const selection = '{ productCounts { count } }'
  const { productCounts } = await ask<{ productCounts: Item[] }>(gateway, 'store', { storeUuid }, selection)
  return productCounts.map(({ count }) => count)
}
