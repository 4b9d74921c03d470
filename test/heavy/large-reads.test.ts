import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { send } from '../reliability/clients.ts'
import { addAssets, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'

const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

let gateway: TestGateway
let store: string
beforeAll(async () => {
  gateway = await startTestGateway()
  // Altogether more than 512 KiB, each far less.
  const attributes = { Text: 'x'.repeat(65_000) }
  store = await storeWithProducts(
    gateway,
    upTo(12, (i) => ({ productCode: `p${i}`, attributes })),
  )
  await addAssets(
    gateway,
    store,
    upTo(6_000, (i) => [`asset-${i}`, `p${i % 3}`, { url: `https://cdn.example.com/${i}/${'y'.repeat(60)}` }]),
  )
})
afterAll(() => gateway.stop())
afterEach(() => {
  vi.restoreAllMocks()
})

const page = '{ productCode status attributes }'
const groups = 'groups { parentCode assets { assetId url position } }'
const query: Record<string, () => string> = {
  'a page of products': () => `{ store(storeUuid: "${store}") { products(first: 12) { edges { node ${page} } } } }`,
  'products one by one': () =>
    `{ store(storeUuid: "${store}") { ${upTo(12, (i) => `a${i}: product(productCode: "p${i}") ${page}`)} } }`,
  'a page of asset groups': () => `{ assetGroups(storeUuid: "${store}") { ${groups} } }`,
  'their entries as REST shows them': () => `{ assetGroups(storeUuid: "${store}") { restAssets } }`,
}
const reads: Record<string, () => [path: string, body?: unknown]> = {
  'GET /v1/products': () => [`/v1/products?store_uuid=${store}`],
  ...Object.fromEntries(
    Object.entries(query).flatMap(([name, text]) => [
      [`POST /graphql: ${name}`, () => ['/graphql', { query: text() }]],
      [`GET /graphql: ${name}`, () => [`/graphql?query=${encodeURIComponent(text())}`]],
    ]),
  ),
}

const ask = (path: string, body: unknown, url = gateway.url) =>
  send(url + path, { token, headers: { 'x-request-id': 'large' }, ...(body ? { method: 'POST', body } : {}) })

describe('a read that turns out to be large', () => {
  it.each(Object.keys(reads))('%s: none of its JSON is worked on by the thread that serves all', async (name) => {
    const [path, body] = reads[name]?.() ?? ['']
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    const { status, text } = await ask(path, body)
    const here = [...parse.mock.calls.map(([json]) => json), ...stringify.mock.results.map(({ value }) => value)]
    vi.restoreAllMocks()
    expect(status).toBe(200)
    expect(text.length).toBeGreaterThan(500_000)
    expect(Math.max(...here.map((json: unknown) => String(json).length))).toBeLessThan(100_000)
    const { length } = JSON.stringify(JSON.parse(text))
    expect([length, JSON.parse(text).errors]).toEqual([text.length, undefined])
  })
})

it('a listing over REST, which sends text on as it is, stays', async () => {
  const before = gateway.database.statements()
  expect(before).toBeGreaterThanOrEqual(0)
  const { status } = await ask(`/v1/assets?store_uuid=${store}`, undefined)
  expect([status, gateway.database.statements()]).toEqual([200, 1])
})
