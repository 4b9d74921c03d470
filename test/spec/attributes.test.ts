import { expect } from 'vitest'
import type { Client, Item, Outcome } from '../support/clients/client.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { define, newStore, productOf, storeWithProducts, unknownStore } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { graphql, requirements } from './requirement.ts'

const astral = '𝒳'
const backtracking = '(a*)*(a|aa)+$'

requirements('attribute definitions', (gateway) => ({
  'ATTRIBUTES-01 MUST take any string for an attribute without a definition': checks(
    gateway,
    { name: 'Other', type: 'NUMBER' },
    ['', 'x', '1e3', ' '],
    [],
  ),
  'ATTRIBUTES-02 MUST take any text for the type text': checks(gateway, { type: 'TEXT' }, ['', 'x', ' \n', astral], []),
  'ATTRIBUTES-03 MUST take decimals for the type number': (client) => {
    const good = ['0', '12', '-12.5', '0.001', '007', '-0', '9'.repeat(400), `0.${'1'.repeat(400)}`]
    const bad = [
      ...['', ' ', '1e3', '0x10', '1,5', '1 000', ' 1', '1 ', '.', '-', '--1', '1.2.3', 'NaN', 'Infinity', '١'],
      ...['1\n'],
    ]
    return check(gateway, client, { type: 'NUMBER' }, good, bad)
  },
  'ATTRIBUTES-04 MUST take true and false for the type boolean': (client) => {
    const bad = ['', 'True', 'FALSE', '1', '0', 'yes', ' true', 'true\n']
    return check(gateway, client, { type: 'BOOLEAN' }, ['true', 'false'], bad)
  },
  'ATTRIBUTES-05 MUST take real days as YYYY-MM-DD for the type date': (client) => {
    const good = ['2026-11-21', '2024-02-29', '2000-02-29', '1999-12-31', '9999-12-31']
    const never = ['2023-02-29', '1900-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00']
    const malformed = ['', '2026-1-2', '21.11.2026', '2026-11-21T00:00:00Z', '20261121', ' 2026-11-21', '2026-11-21\n']
    return check(gateway, client, { type: 'DATE' }, good, [...never, ...malformed, '+002026-11-21', '2026-11-2１'])
  },
  'ATTRIBUTES-06 MUST take absolute URLs with a host for the type url': (client) => {
    const good = [
      'https://example.com',
      'http://[::1]:8080/a?b=c#d',
      'ftp://example.com/a%20b',
      's3://bucket/ä',
      'HTTPS://X',
    ]
    const bad = [
      ...['', 'example.com', '/a', '//example.com/a', 'https:', 'https://', 'https:///', 'mailto:a@example.com'],
    ]
    const worse = ['file:///etc/passwd', 'data:,x', 'javascript:alert(1)', 'https:example.com', 'http://a b/', ' ', 'x']
    const dropped = [
      'https://x\n',
      'https://exam\tple.com',
      'https:///example.com',
      'https:\\\\x',
      ' https://x',
      'https://x ',
    ]
    return check(gateway, client, { type: 'URL' }, good, [...bad, ...worse, ...dropped])
  },
  'ATTRIBUTES-07 MUST take the allowed values and no others for the type enum': (client) => {
    const allowedValues = ['red', 'Light Blue', '', '__proto__', astral]
    const bad = ['Red', 'red ', 'blue', 'constructor', 'r', 'red,Light Blue']
    return check(gateway, client, { type: 'ENUM', allowedValues }, allowedValues, bad)
  },
  'ATTRIBUTES-08 MUST hold a value of another type to the allowed values too': checks(
    gateway,
    { type: 'NUMBER', allowedValues: ['36', '38', 'x'] },
    ['36', '38'],
    ['37', 'x', '36.0'],
  ),
  'ATTRIBUTES-09 MUST hold a value to the maximum length, counted as code points': checks(
    gateway,
    { type: 'TEXT', maxLength: 3 },
    ['', 'abc', astral.repeat(3)],
    ['abcd', astral.repeat(4), '    '],
  ),
  'ATTRIBUTES-10 MUST match the pattern on the whole value': checks(
    gateway,
    { type: 'TEXT', pattern: '[A-Z]{2}\\d+' },
    ['AB1', 'ZZ007'],
    ['AB1 ', ' AB1', 'xAB1', 'AB', '', 'AB1\n'],
  ),
  'ATTRIBUTES-11 MUST match a pattern of alternatives on the whole value, whichever of them comes first': checks(
    gateway,
    { type: 'TEXT', pattern: 'a|ab|^c$' },
    ['a', 'ab', 'c'],
    ['abc', 'b', '', 'ac', 'a\nc'],
  ),
  'ATTRIBUTES-12 MUST read patterns in the syntax of RE2, by code points': async (client) => {
    const greek = { type: 'TEXT', pattern: '(?i)\\p{Greek}.' }
    await check(gateway, client, greek, ['αx', `Ω${astral}`], ['ax', 'α', 'αxy'])
    await check(gateway, client, { type: 'TEXT', pattern: '(?s)\\Qa.b\\E.*' }, ['a.b', 'a.b\n\n'], ['axb', 'a'])
  },
  'ATTRIBUTES-13 MUST match in time that grows with the value, not faster, whatever the pattern': async (client) => {
    const started = performance.now()
    const [good, bad] = ['a'.repeat(4_000), `${'a'.repeat(4_000)}!`]
    await check(gateway, client, { type: 'TEXT', pattern: backtracking }, [good], [bad])
    expect(performance.now() - started).toBeLessThan(20_000)
  },
  'ATTRIBUTES-14 MUST refuse a pattern that RE2 does not have, and define nothing of the request': graphql(async () => {
    const store = await newStore(gateway)
    const patterns = ['(?=a)b', '(?!a)b', '(?<=a)b', '(a)\\1', '(', '[', 'a{1001}', 'a**', '\\', '*', 'a\0', '\ud800']
    for (const pattern of patterns) {
      const definitions = [
        { name: 'Good', type: 'TEXT' },
        { name: 'Bad', type: 'TEXT', pattern },
      ]
      const outcome = await defining(gateway, store, definitions)
      expect(outcome, JSON.stringify(pattern)).toMatchObject({
        reason: 'invalid_request',
        entries: [{ field: 'definitions[1].pattern', index: 1 }],
      })
    }
    expect(await namesOf(gateway, store)).toEqual([])
  }),
  'ATTRIBUTES-15 MUST replace a definition when it is defined again, and leave the others': async (client) => {
    const store = await storeWithProducts(gateway, ['A'])
    await define(gateway, store, [
      { name: 'Size', type: 'NUMBER', maxLength: 2 },
      { name: 'Color', type: 'BOOLEAN' },
    ])
    await define(gateway, store, [{ name: 'Size', type: 'ENUM', allowedValues: ['large'] }])
    expect(await namesOf(gateway, store)).toEqual(['Color', 'Size'])
    const failing = await client.updateProducts(store, [{ product_code: 'A', Size: '12', Color: 'red' }])
    expect(failedAttributes(failing)).toEqual(['Size', 'Color'])
    expect(await client.updateProducts(store, [{ product_code: 'A', Size: 'large' }])).toMatchObject({
      data: { updated_skus: ['A'] },
    })
  },
  'ATTRIBUTES-16 MUST not touch values already stored when a definition changes': async (client) => {
    const store = await storeWithProducts(gateway, [{ productCode: 'A', attributes: { Size: 'large' } }])
    await define(gateway, store, [{ name: 'Size', type: 'NUMBER' }])
    const outcome = await client.updateProducts(store, [{ product_code: 'A', Color: 'red' }])
    expect(outcome).toMatchObject({ data: { updated_skus: ['A'] } })
    const product = await productOf(gateway, store, 'A')
    expect(product?.attributes).toEqual({ Size: 'large', Color: 'red' })
  },
  'ATTRIBUTES-17 MUST hold only the products of its own store to a definition': async (client) => {
    const [store, other] = [await storeWithProducts(gateway, ['A']), await storeWithProducts(gateway, ['A'])]
    await define(gateway, store, [{ name: 'Size', type: 'NUMBER' }])
    const outcome = await client.updateProducts(other, [{ product_code: 'A', Size: 'large' }])
    expect(outcome).toMatchObject({ data: { updated_skus: ['A'] } })
  },
  'ATTRIBUTES-18 MUST hold products that are created to the definitions too': graphql(async () => {
    const store = await newStore(gateway)
    await define(gateway, store, [{ name: 'Size', type: 'NUMBER' }])
    const products = ['12', 'large'].map((size) => ({ productCode: size, attributes: { Size: size } }))
    expect(await ask(gateway, 'upsertProducts', { storeUuid: store, products })).toMatchObject({
      createdSkus: ['12'],
      failedProducts: [{ productCode: 'large', failures: [{ attribute: 'Size' }] }],
    })
  }),
  'ATTRIBUTES-19 MUST answer with all definitions of the store as they were given, ordered by name': graphql(
    async () => {
      const store = await newStore(gateway)
      const none = { allowedValues: null, maxLength: null, pattern: null }
      const url = { ...none, name: 'Link', type: 'URL', maxLength: 100, pattern: 'https://.*' }
      const color = { ...none, name: 'Color', type: 'ENUM', allowedValues: ['b', 'a', 'b"c', ''] }
      const astralName = { ...none, name: astral, type: 'BOOLEAN' }
      const last = { ...none, name: '\uffff', type: 'DATE' }
      await define(gateway, store, [url, last])
      const args = { storeUuid: store, definitions: [astralName, color] }
      const answer = await ask(gateway, 'defineAttributes', args, '{ name type allowedValues maxLength pattern }')
      expect(answer).toEqual([color, url, last, astralName])
    },
  ),
  'ATTRIBUTES-20 MUST refuse a name of 0 or over 255 characters, a reserved one, one that cannot be stored, and one that comes twice':
    graphql(async () => {
      const store = await newStore(gateway)
      const good = ['Good', 'Status', 'x'.repeat(255), astral.repeat(255), '__proto__']
      const bad = ['', 'x'.repeat(256), astral.repeat(256), 'status', 'product_code', 'assets', 'a\0', '\ud800', 'Good']
      const definitions = [...good, ...bad].map((name) => ({ name, type: 'TEXT' }))
      const { reason, entries = [] } = await defining(gateway, store, definitions)
      expect(reason).toBe('invalid_request')
      expect(entries.map(({ index }) => index)).toEqual(bad.map((_, i) => good.length + i))
      expect(await namesOf(gateway, store)).toEqual([])
      expect(await defining(gateway, store, definitions.slice(0, good.length))).toMatchObject({ data: {} })
    }),
  'ATTRIBUTES-21 MUST name every fault of every definition in an entry of its own, and define nothing': graphql(
    async () => {
      const store = await newStore(gateway)
      const outcome = await defining(gateway, store, [
        { name: '', type: 'TEXT', maxLength: 0, pattern: '(' },
        { name: 'Good', type: 'TEXT' },
        { name: 'None', type: 'ENUM' },
        { name: 'Empty', type: 'ENUM', allowedValues: [] },
        { name: 'Unstorable', type: 'ENUM', allowedValues: ['a', 'b\0'] },
      ])
      expect(outcome.entries?.map(({ field }) => field)).toEqual([
        'definitions[0].name',
        'definitions[0].max_length',
        'definitions[0].pattern',
        'definitions[2].allowed_values',
        'definitions[3].allowed_values',
        'definitions[4].allowed_values',
      ])
      expect(await namesOf(gateway, store)).toEqual([])
    },
  ),
  'ATTRIBUTES-22 MUST answer store_not_found for an unknown store, but invalid_request first where that applies too':
    graphql(async () => {
      for (const store of [unknownStore(), 'no-uuid']) {
        expect(await defining(gateway, store, [])).toMatchObject({ reason: 'store_not_found' })
        expect(await defining(gateway, store, [{ name: '', type: 'TEXT' }])).toMatchObject({
          reason: 'invalid_request',
        })
      }
      expect(await defining(gateway, '\0', [])).toMatchObject({ reason: 'invalid_request' })
    }),
  'ATTRIBUTES-23 MUST name the attribute that breaks its definition, what was expected and what came': async (
    client,
  ) => {
    const store = await storeWithProducts(gateway, ['A'])
    await define(gateway, store, [{ name: 'Color', type: 'ENUM', allowedValues: ['red', 'green'] }])
    const outcome = await client.updateProducts(store, [{ product_code: 'A', Color: 'blue' }])
    expect(outcome).toMatchObject({
      data: { failed_products: [['A', [['Color', expect.stringMatching(/red.*green.*blue/)]]]] },
    })
  },
}))

/** Defines an attribute (`Size` unless named); fails the test unless it takes all good values and no bad one. */
function checks(gateway: TestGateway, definition: Item, good: string[], bad: string[]) {
  return (client: Client) => check(gateway, client, definition, good, bad)
}

async function check(gateway: TestGateway, client: Client, definition: Item, good: string[], bad: string[]) {
  const codes = [...good, ...bad].map((_, i) => `${i}`)
  const store = await storeWithProducts(gateway, codes)
  await define(gateway, store, [{ name: 'Size', ...definition }])
  const body = [...good, ...bad].map((value, i) => ({ product_code: `${i}`, Size: value }))
  const { data } = await client.updateProducts(store, body)
  const { updated_skus: updated, failed_products: failed } = data as Updated
  const sizeOf = (code: string) => body[Number(code)]?.Size
  expect(updated.map(sizeOf)).toEqual(good)
  expect(failed.map(([code]) => sizeOf(code)).sort()).toEqual(bad.toSorted())
  for (const [, reasons] of failed) expect(reasons).toEqual([['Size', expect.stringMatching(/^must /)]])
}

interface Updated {
  updated_skus: string[]
  failed_products: [code: string, reasons: [attribute: string, reason: string][]][]
}

function failedAttributes({ data }: Outcome): string[] {
  return (data as Updated).failed_products.flatMap(([, reasons]) => reasons.map(([attribute]) => attribute))
}

function defining(gateway: TestGateway, storeUuid: string, definitions: readonly Item[]): Promise<Outcome> {
  return attempt(gateway, 'defineAttributes', { storeUuid, definitions }, '{ name }')
}

async function namesOf(gateway: TestGateway, storeUuid: string): Promise<unknown[]> {
  const selection = '{ attributeDefinitions { name } }'
  const found = await ask<{ attributeDefinitions: Item[] }>(gateway, 'store', { storeUuid }, selection)
  return found.attributeDefinitions.map(({ name }) => name)
}
