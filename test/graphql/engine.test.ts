import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, fill } from '../random/fuzz/fixture.ts'
import { documents } from '../random/fuzz/graphql-documents.ts'
import { type Operation, operations } from '../random/fuzz/graphql-operations.ts'
import { type Json, jsonText } from '../random/fuzz/json-text.ts'
import { edits } from '../random/fuzz/rest-requests.ts'
import { useGateway } from '../support/servers/gateway.ts'

/** ENGINE_RUNS makes it longer, ENGINE_SEED different. */
const numRuns = Number(process.env.ENGINE_RUNS ?? 200)
const seed = Number(process.env.ENGINE_SEED ?? 20_261_121)

const gateway = useGateway()
let fixture: Fixture
beforeAll(async () => {
  fixture = await fill(gateway)
})

async function answerOf(body: string | Uint8Array, accept = 'application/json') {
  const headers = { accept, 'content-type': 'application/json' }
  const { status, headers: answered, json, text } = await gateway.call('/graphql', { method: 'POST', body, headers })
  return { status, type: answered['content-type'], allow: answered.allow, json: withoutIds(json ?? text) }
}

async function answerToGet({ query, variables }: Operation) {
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables ?? null) })
  const { status, headers, json } = await gateway.call(`/graphql?${search}`, {
    headers: { accept: 'application/json' },
  })
  return { status, type: headers['content-type'], allow: headers.allow, json: withoutIds(json) }
}

/** Ids and moments of what was made: a preview makes others each time. */
function withoutIds(answer: unknown): unknown {
  const text = JSON.stringify(answer).replaceAll(
    /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|20\d\d-[^"]+Z/g,
    '…',
  )
  return JSON.parse(text)
}

/** A document may begin with a fragment. */
function isMutation({ query }: Operation): boolean {
  return /\bmutation\b/.test(query)
}

/** What can be asked twice: queries, and mutations as previews. */
function repeatable({ query, variables }: Operation): Operation {
  return { query: query.replaceAll(/(mutation[^{]*\{\s*(?:\w+:\s*)?\w+\()/g, '$1dryRun: true, '), variables }
}

/** A document is interpreted the first time, and compiled when it comes again. */
async function expectSame(body: string | Uint8Array, accept?: string): Promise<void> {
  const first = await answerOf(body, accept)
  for (let time = 2; time <= 4; time++) expect({ time, ...(await answerOf(body, accept)) }).toEqual({ time, ...first })
}

describe('a prepared operation', () => {
  it('answers each operation of the API compiled as interpreted', async () => {
    for (const operation of operations(fixture).map(repeatable)) await expectSame(JSON.stringify(operation))
  })

  it('answers a GET as a POST, unless it is a mutation', async () => {
    for (const operation of operations(fixture).map(repeatable)) {
      const [got, posted] = [await answerToGet(operation), await answerOf(JSON.stringify(operation))]
      const isValidMutation = isMutation(operation) && Object.hasOwn(posted.json as object, 'data')
      if (isValidMutation) expect(got).toMatchObject({ status: 405, allow: 'POST' })
      else expect(got).toEqual(posted)
    }
  })

  it('answers in the media type that is asked for first', async () => {
    const body = JSON.stringify({ query: '{ stores { totalCount } }' })
    const types = {
      '*/*': 'application/json',
      'application/*': 'application/json',
      'application/json': 'application/json',
      'application/graphql-response+json': 'application/graphql-response+json',
      'application/graphql-response+json, application/json;q=0.5': 'application/graphql-response+json',
      'application/json, application/graphql-response+json': 'application/json',
    }
    for (const [accept, type] of Object.entries(types)) {
      expect([accept, await answerOf(body, accept)]).toMatchObject([
        accept,
        { status: 200, type: `${type}; charset=utf-8` },
      ])
    }
  })

  it('takes the parameters of GraphQL over HTTP and ignores others', async () => {
    const query = 'query A($s: ID!) { store(storeUuid: $s) { storeName } } query B { stores { totalCount } }'
    const variables = { s: fixture.stores[0] }
    const bodies: [body: unknown, plain: number, strict: number][] = [
      [{ query, variables, operationName: 'A' }, 200, 200],
      [{ query, variables, operationName: 'B' }, 200, 200],
      [{ query, variables, operationName: 'C' }, 400, 400],
      [{ query, variables }, 400, 400],
      [{ query, variables: null, operationName: 'B' }, 200, 200],
      [{ query, variables: [], operationName: 'B' }, 400, 400],
      [{ query, variables: 'x', operationName: 'B' }, 400, 400],
      [{ query, variables, operationName: 7 }, 400, 400],
      [{ query, variables, operationName: '' }, 400, 400],
      [{ query: 'query Stores { stores { totalCount } }', operationName: '' }, 200, 200],
      [{ query, variables: {}, operationName: 'A' }, 400, 400],
      [{ query, variables, operationName: 'B', extensions: {} }, 200, 200],
      [{ query, variables, operationName: 'B', extensions: 7 }, 400, 400],
      [{ query, variables, operationName: 'B', extensions: { persistedQuery: { sha256Hash: 'x' } } }, 200, 200],
      [{ query, variables, operationName: 'B', x: 1 }, 200, 200],
      [{ extensions: { persistedQuery: { sha256Hash: 'x' } } }, 200, 200],
      [{ extensions: { persistedQuery: {} } }, 400, 400],
      [{}, 400, 400],
      [{ query: 7 }, 400, 400],
      [{ query: '' }, 200, 400],
      [{ query: 'subscription { x }' }, 200, 400],
      [{ query: '{ stores { totalCount } } # a comment' }, 200, 200],
      [{ query: '{ nothing }' }, 200, 400],
      [{ query: `{ ${'stores { totalCount } '.repeat(3)} }` }, 200, 200],
      [{ query: `{ ${Array.from({ length: 400 }, (_, i) => `a${i}: __typename`).join(' ')} }` }, 400, 400],
      [[{ query: '{ stores { totalCount } }' }], 400, 400],
      ['x', 400, 400],
      [7, 400, 400],
      [null, 400, 400],
    ]
    for (const [body, plain, strict] of bodies) {
      const text = JSON.stringify(body)
      const statuses = [await answerOf(text), await answerOf(text, 'application/graphql-response+json')]
      expect([text, ...statuses.map(({ status }) => status)]).toEqual([text, plain, strict])
      await expectSame(text)
    }
    const texts: [body: string | Uint8Array, status: number][] = [
      ['', 400],
      ['{', 400],
      ['{"query":"{ __typename }"', 400],
      ['\u{feff}{"query":"{ __typename }"}', 200],
      ['{"query":"{ a }","query":"{ __typename }"}', 400],
      [Uint8Array.of(0x7b, 0xff, 0x7d), 400],
    ]
    for (const [body, status] of texts) expect([body, (await answerOf(body)).status]).toEqual([body, status])
  })

  it('runs what is thrown, null, skipped and merged compiled as interpreted', async () => {
    const [s] = fixture.stores
    const queries = [
      'query ($s: ID!) { store(storeUuid: $s) { storeName } assetGroups(storeUuid: $s, limit: 0) { totalGroups } }',
      'query ($s: ID!, $x: Boolean = true) { store(storeUuid: $s) { storeName @skip(if: $x) region @include(if: $x) ...F @skip(if: $x) } } fragment F on Store { channels }',
      'query ($s: ID!) { a: store(storeUuid: $s) { storeName } b: store(storeUuid: "none") { storeName } a: store(storeUuid: $s) { region } }',
      'query ($s: ID!) { store(storeUuid: $s) { product(productCode: "none") { productCode } products(first: 1, last: 1) { totalCount } } }',
      'query ($s: ID!) { store(storeUuid: $s) { products(first: -1) { totalCount } __typename linkedStores { __typename storeUuid } } }',
      'query ($s: ID!, $x: Boolean = true) { store(storeUuid: $s) { storeName @include(if: $x) region } }',
      'query ($s: ID!, $x: Boolean = false) { store(storeUuid: $s) { ...F @skip(if: $x) region } } fragment F on Store { channels }',
      'query ($s: ID!, $x: String = "A") { store(storeUuid: $s) { product(productCode: $x) { productCode } } }',
      'query ($s: ID!, $n: Int) { assetGroups(storeUuid: $s, limit: $n) { returnedGroups groups { assets { assetId } } version } }',
      'mutation { deleteAssets(selectors: [{ storeUuid: "none", assetId: ["x"] }], dryRun: true) { deletedCount failed errorInfo { reason index } } }',
      'mutation ($s: ID!) { a: unlinkAssets(links: [], dryRun: true) { unlinked } b: updateProducts(storeUuid: "none", products: [], dryRun: true) { storeUuid } c: deleteProducts(storeUuid: $s, productCodes: ["SKU-1"], dryRun: true) { deletedCodes: __typename } }',
    ]
    for (const query of queries) {
      for (const variables of [
        { s },
        { s, x: false, n: 1 },
        { s, n: null },
        { s, x: null },
        { s: 'none' },
        { s: '\0' },
        {},
      ]) {
        await expectSame(JSON.stringify({ query, variables }))
      }
    }
  })

  it(`answers changed documents and variables compiled as interpreted (seed ${seed})`, async () => {
    const requests = fc
      .constantFrom(...operations(fixture).filter((operation) => !isMutation(operation)))
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
  })
})
