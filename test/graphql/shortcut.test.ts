import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documents } from '../fuzz/graphql-documents.ts'
import { type Operation, operations } from '../fuzz/graphql-operations.ts'
import { type Json, jsonText } from '../fuzz/json-text.ts'
import { edits } from '../fuzz/rest-requests.ts'
import { fill, type World } from '../fuzz/world.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

/** SHORTCUT_RUNS makes it longer, SHORTCUT_SEED different. */
const numRuns = Number(process.env.SHORTCUT_RUNS ?? 400)
const seed = Number(process.env.SHORTCUT_SEED ?? 20_261_121)

let gateway: TestGateway
let world: World
beforeAll(async () => {
  gateway = await startTestGateway()
  world = await fill(gateway)
})
afterAll(() => gateway.stop())

/** A POST with anything behind the path goes the whole way through GraphQL over HTTP; one without may be answered at once. */
const whole = '/graphql?whole'
const quick = '/graphql'

async function answerOf(path: string, body: string | Uint8Array, accept = 'application/json') {
  const headers = { accept, 'content-type': 'application/json' }
  const { status, headers: answered, json, text } = await gateway.call(path, { method: 'POST', body, headers })
  return { status, type: answered['content-type'], allow: answered.allow, json: withoutIds(json ?? text) }
}

/** Ids and moments of what was made: a preview makes others each time. */
function withoutIds(answer: unknown): unknown {
  const text = JSON.stringify(answer).replaceAll(
    /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|20\d\d-[^"]+Z/g,
    '…',
  )
  return JSON.parse(text)
}

/** What can be asked twice: queries, and mutations as previews. */
function repeatable({ query, variables }: Operation): Operation {
  return { query: query.replaceAll(/(mutation[^{]*\{\s*\w+\()/g, '$1dryRun: true, '), variables }
}

/** The third time a document is compiled. */
async function expectSame(body: string | Uint8Array, accept?: string): Promise<void> {
  const expected = await answerOf(whole, body, accept)
  for (let time = 1; time <= 3; time++)
    expect({ time, ...(await answerOf(quick, body, accept)) }).toEqual({ time, ...expected })
}

describe('the short way of POST /graphql', () => {
  it('answers each operation of the API as the whole way does', async () => {
    for (const operation of operations(world).map(repeatable)) await expectSame(JSON.stringify(operation))
  })

  it('answers in the media type that is asked for first', async () => {
    const body = JSON.stringify({ query: '{ stores { totalCount } }' })
    for (const accept of [
      '*/*',
      'application/*',
      'application/json',
      'application/graphql-response+json',
      'application/graphql-response+json, application/json;q=0.5',
      'application/json, application/graphql-response+json',
    ]) {
      await expectSame(body, accept)
    }
  })

  it('takes nothing but what it knows to take', async () => {
    const query = 'query A($s: ID!) { store(storeUuid: $s) { storeName } } query B { stores { totalCount } }'
    const variables = { s: world.stores[0] }
    const bodies = [
      { query, variables, operationName: 'A' },
      { query, variables, operationName: 'B' },
      { query, variables, operationName: 'C' },
      { query, variables },
      { query, variables: null, operationName: 'B' },
      { query, variables: [], operationName: 'B' },
      { query, variables: 'x', operationName: 'B' },
      { query, variables, operationName: 7 },
      { query, variables, operationName: '' },
      { query, variables, operationName: 'B', extensions: {} },
      { query, variables, operationName: 'B', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
      { query, variables, operationName: 'B', x: 1 },
      { query: 7 },
      { query: '' },
      { query: 'subscription { x }' },
      { query: '{ stores { totalCount } } # a comment' },
      { query: '{ nothing }' },
      { query: `{ ${'stores { totalCount } '.repeat(3)} }` },
      { query: `{ ${Array.from({ length: 400 }, (_, i) => `a${i}: __typename`).join(' ')} }` },
      [{ query: '{ stores { totalCount } }' }],
      'x',
      7,
      null,
    ]
    for (const body of bodies) await expectSame(JSON.stringify(body))
    for (const body of [
      '',
      '{',
      '{"query":"{ __typename }"',
      '\u{feff}{"query":"{ __typename }"}',
      '{"query":"{ a }","query":"{ __typename }"}',
    ]) {
      await expectSame(body)
    }
    await expectSame(Uint8Array.of(0x7b, 0xff, 0x7d))
  })

  it('runs what is thrown, null, skipped and merged as the whole way does', async () => {
    const [s] = world.stores
    const queries = [
      'query ($s: ID!) { store(storeUuid: $s) { storeName } assetGroups(storeUuid: $s, limit: 0) { totalGroups } }',
      'query ($s: ID!, $x: Boolean = true) { store(storeUuid: $s) { storeName @skip(if: $x) region @include(if: $x) ...F @skip(if: $x) } } fragment F on Store { channels }',
      'query ($s: ID!) { a: store(storeUuid: $s) { storeName } b: store(storeUuid: "none") { storeName } a: store(storeUuid: $s) { region } }',
      'query ($s: ID!) { store(storeUuid: $s) { product(productCode: "none") { productCode } products(first: 1, last: 1) { totalCount } } }',
      'query ($s: ID!) { store(storeUuid: $s) { products(first: -1) { totalCount } __typename linkedStores { __typename storeUuid } } }',
      'query ($s: ID!, $n: Int) { assetGroups(storeUuid: $s, limit: $n) { returnedGroups restAssets groups { assets { assetId } } version } }',
      'mutation { deleteAssets(selectors: [{ storeUuid: "none", assetId: ["x"] }], dryRun: true) { deletedCount failed errorInfo { reason index } } }',
      'mutation ($s: ID!) { a: unlinkAssets(links: [], dryRun: true) { unlinked } b: updateProducts(storeUuid: "none", products: [], dryRun: true) { storeUuid } c: deleteProducts(storeUuid: $s, productCodes: ["SKU-1"], dryRun: true) { deletedCodes: __typename } }',
    ]
    for (const query of queries) {
      for (const variables of [{ s }, { s, x: false, n: 1 }, { s, n: null }, { s: 'none' }, { s: '\0' }, {}]) {
        await expectSame(JSON.stringify({ query, variables }))
      }
    }
  })

  it(`answers changed documents and variables as the whole way does (seed ${seed})`, async () => {
    const requests = fc
      .constantFrom(...operations(world).filter(({ query }) => !query.startsWith('mutation')))
      .chain(({ query, variables }) =>
        fc.record({
          query: fc.oneof(fc.constant(query), documents(query)),
          changes: fc.array(edits, { maxLength: 2 }),
          variables: fc.constant(variables),
        }),
      )
    await fc.assert(
      fc.asyncProperty(requests, async ({ query, variables, changes }) => {
        const text = `{"query":${jsonText(query as Json, [])},"variables":${jsonText(variables, changes)}}`
        await expectSame(Buffer.from(text, 'latin1'))
      }),
      { numRuns, seed },
    )
  }, 120_000)
})
