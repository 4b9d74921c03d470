import { beforeAll, describe, expect, it } from 'vitest'
import { encodeNodeId, keyInStore } from '../../schema/builder/node-ids.ts'
import { schema } from '../../schema/index.ts'
import { nested, times } from '../random/fuzz/exhausting-request.ts'
import { type GraphQLReply, useGateway } from '../support/servers/gateway.ts'
import { canary, createFixture, type Fixture, type TokenKind } from './fixture.ts'

const gateway = useGateway()
let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture(gateway)
})

async function ask(query: string, kind: TokenKind) {
  const { text, json } = await gateway.post(query, { token: fixture.tokens[kind] })
  return { text, ...(json as GraphQLReply & { extensions?: { cost: { requested: number } } }) }
}

const valuesOf = (name: string) => {
  const type = schema.getType(name)
  return type && 'getValues' in type ? type.getValues().map((value) => value.name) : []
}

const filters = [
  '{ not: { search: "nothing" } }',
  '{ or: [{ search: "nothing" }, { not: { codePrefix: "nothing" } }] }',
  `{ and: [{ not: { not: { search: "${canary}" } } }, { not: { status: [DRAFT] } }] }`,
  '{ attributes: [{ name: "Color", exists: true }] }',
  `{ or: [{ attributes: [{ name: "Color", eq: "${canary}" }] }, { attributes: [{ name: "Color", ne: "none" }] }] }`,
  '{ hasAssets: {} }',
  '{ or: [{ missingAssets: { channel: "channel_value_1" } }, { hasAssets: {} }] }',
  '{ blockedOn: "SMP" }',
  '{ not: { readyOn: "SMP" } }',
  '{ updatedAt: { from: "2020-01-01T00:00:00Z" } }',
]
const found =
  'totalCount nodes { productCode attributes store { storeName linkedStores { storeName } } readiness { channel } }'
const ofStores = [
  ...filters.map((filter) => `products(filter: ${filter}) { ${found} }`),
  ...filters.map(
    (filter) => `facets(names: ["Color", "Only ${canary}"], filter: ${filter}) { distinct values { value } }`,
  ),
  'products(orderBy: { field: ATTRIBUTE, attribute: "Color", direction: DESC }) { totalCount nodes { productCode } }',
  'readiness(channel: "SMP") { total requirements { code } gaps { totalCount nodes { productCode } } }',
  `changes(filter: { actor: "${canary}" }) { nodes { codes } }`,
]
const rows = ['statusRows { storeName }', 'coverageRows { storeName }', 'changeRows { actor }', 'jobRows { error }']

/** Questions over all stores of a token, or over those that `stores` names. */
const ofAll = (stores = '') => [
  ...filters.map((filter) => `{ products(filter: ${filter}${stores}) { ${found} } }`),
  ...valuesOf('OptionKind').map((kind) => `{ options(of: ${kind}${stores}) { text value } }`),
  ...valuesOf('OptionKind').map((kind) => `{ options(of: ${kind}, search: "${canary}"${stores}) { text value } }`),
  ...valuesOf('Metric').map(
    (metric) =>
      `{ series(metric: ${metric}, by: [STORE], from: 0, to: 9e12, interval: "364d"${stores}) { label value } }`,
  ),
  ...[...rows, 'failureRows { reason }'].map((list) =>
    stores ? `{ ${list.replace(' ', `(${stores.slice(2)}) `)} }` : `{ ${list} }`,
  ),
]

describe('what dashboards ask', () => {
  it('has nothing of a foreign store, whatever the filter', async () => {
    const questions = [...ofAll(), ...ofStores.map((field) => `{ stores { nodes { ${field} } } }`)]
    for (const question of questions) {
      const { text, errors } = await ask(question, 'limited')
      expect(errors, question).toBeUndefined()
      expect(text, question).not.toMatch(new RegExp(`${canary}|${fixture.foreign}`, 'i'))
    }
  })

  it('finds of an administrator what limited tokens must not see', async () => {
    for (const filter of filters) {
      const everywhere = `{ products(filter: ${filter}) { ${found} } }`
      expect((await ask(everywhere, 'admin')).text, filter).toContain(canary)
    }
  })

  it('knows a foreign store no better than one that does not exist', async () => {
    const answers = async (store: string) => {
      const questions = [
        ...ofAll(`, storeUuids: ["${store}"]`),
        ...ofStores.map((field) => `{ store(storeUuid: "${store}") { ${field} } }`),
        ...filters.map((filter) => `{ productPage(storeUuid: "${store}", filter: ${filter}) { totalProducts } }`),
        `{ request(storeUuid: "${store}", requestId: "the-request") { actor } }`,
        `{ nodes(ids: ["${encodeNodeId('Store', store)}", "${encodeNodeId('Product', keyInStore(store, 'CODE-1'))}"]) { id } }`,
      ]
      const texts: string[] = []
      for (const question of questions) {
        gateway.database.statements()
        const { text } = await ask(question, 'limited')
        texts.push(`${question} ${text} ${gateway.database.statements() > 1}`.replaceAll(/"at":"[^"]+"/g, ''))
      }
      return texts.map((text) => text.replaceAll(store, 'THE-STORE').replaceAll(/ids: \[[^\]]*\]/g, ''))
    }
    expect(await answers(fixture.foreign)).toEqual(await answers(fixture.absent))
  })
})

const ids = (count: number) => `[${times(count, (i) => `"x${i}"`, ' ')}]`
/** Documents that are good, with values that no field takes. */
const excessive = [
  ...[6, 20, 45, 90].flatMap((n) => [
    `{ productPage(storeUuid: "x", filter: ${nested('{ not: ', '}', n, '{ search: "x" }')}) { totalProducts } }`,
    `{ products(filter: ${nested('{ or: ', '}', n, '{ search: "x" }')}) { totalCount } }`,
  ]),
  `{ products(filter: { and: [${times(60, () => '{ search: "x" }', ' ')}] }) { totalCount } }`,
  `{ products(filter: { attributes: [${times(60, () => '{ name: "x", contains: "x" }', ' ')}] }) { totalCount } }`,
  '{ products(filter: { attributes: [{ name: "x" }] }) { totalCount } }',
  '{ products(orderBy: { field: ATTRIBUTE, attribute: "x" }) { totalCount } }',
  `{ products(storeUuids: ${ids(101)}) { totalCount } }`,
  `{ statusRows(storeUuids: ${ids(101)}) { count } }`,
  '{ statusRows(limit: 10001) { count } }',
  `{ options(of: ACTORS, storeUuids: ${ids(101)}) { text } }`,
  `{ nodes(ids: ${ids(101)}) { id } }`,
  '{ series(metric: CHANGES, from: 0, to: 9e12, interval: "1m") { value } }',
  '{ series(metric: CHANGES, from: 0, to: 9e12, maxPoints: 2001) { value } }',
  '{ series(metric: CHANGES, from: 9e300, to: 1) { value } }',
  '{ series(metric: CHANGES, by: [CHANNEL], from: 0, to: 1) { value } }',
]
/** Each field of these is allowed; together they would read stores again and again. */
const scan = '(filter: { attributes: [{ name: "x", contains: "x" }] })'
const dear = [
  `{ ${times(3, (i) => `a${i}: products${scan} { totalCount }`, ' ')} }`,
  `{ stores(first: 100) { nodes { ${times(3, (i) => `a${i}: products${scan} { totalCount }`, ' ')} } } }`,
  `{ stores(first: 100) { nodes { ${times(3, (i) => `a${i}: products(orderBy: { field: UPDATED_AT }) { totalCount }`, ' ')} } } }`,
  `{ stores(first: 100) { nodes { ${times(3, (i) => `a${i}: facets(names: ["x"], filter: { blockedOn: "x" }) { distinct }`, ' ')} } } }`,
  `{ stores(first: 100) { nodes { ${times(3, (i) => `a${i}: products(filter: { search: "_" }) { totalCount }`, ' ')} } } }`,
  `{ stores(first: 100) { nodes { ${times(3, (i) => `a${i}: assets(filter: { urlContains: "x" }) { totalCount }`, ' ')} } } }`,
  `{ ${times(15, (i) => `a${i}: request(storeUuid: "x", requestId: "x") { changes(first: 100) { nodes { items(first: 100) { nodes { before after } } } } }`, ' ')} }`,
]

const titled = (documents: string[]) => documents.map((document) => [document.slice(0, 70), document] as const)

describe('what would take too much', () => {
  it.each(titled(excessive))('is refused without a statement: %s', async (_title, query) => {
    await ask('{ __typename }', 'limited')
    gateway.database.statements()
    const { data, errors } = await ask(query, 'limited')
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      expect.stringMatching(/^(invalid_request|payload_too_large)$/),
    ])
    expect(data ?? null).toBeNull()
    // Only the poll of the cached tokens may have come in between.
    expect(gateway.database.statements()).toBeLessThanOrEqual(1)
  })

  it.each(titled(dear))('is over the limit of cost: %s', async (_title, query) => {
    const { errors, ...reply } = await ask(query, 'limited')
    expect(errors?.[0]?.message).toMatch(/cost at most 250000/)
    expect(reply).not.toHaveProperty('data')
  })

  it('costs more where no index serves a filter or an order', async () => {
    const costOf = async (args: string, field = 'products') => {
      const { extensions, errors } = await ask(`{ stores(first: 1) { nodes { ${field}${args} } } }`, 'limited')
      expect(errors).toBeUndefined()
      return extensions?.cost.requested ?? 0
    }
    const cheap = await costOf('(first: 1, filter: { codePrefix: "x", codes: ["x"] }) { totalCount }')
    for (const args of [
      'filter: { status: [NEW] }',
      'filter: { search: "abc" }',
      'filter: { codePrefix: "x", search: "_" }',
      'filter: { not: { codes: ["x"] } }',
      'orderBy: { field: STATUS }',
    ]) {
      expect(await costOf(`(first: 1, ${args}) { totalCount }`), args).toBe(cheap + 1_000)
    }
    const assets = await costOf('(first: 1, filter: { ids: ["x"] }) { totalCount }', 'assets')
    for (const condition of ['urlContains: "x"', 'unlinked: true', 'unlinked: false', 'assetFormat: "image"']) {
      const args = `(first: 1, filter: { ids: ["x"], ${condition} }) { totalCount }`
      expect(await costOf(args, 'assets'), condition).toBe(assets + 1_000)
    }
    const facets = await costOf('(names: ["x"]) { distinct }', 'facets')
    expect(await costOf('(names: ["x"], filter: { hasAssets: {} }) { distinct }', 'facets')).toBe(facets + 1_000)
  })
})
