import { getIntrospectionQuery, parse } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../rest/endpoints.ts'
import { sizeOf } from '../../src/graphql/limits/document-size.ts'
import { limitsOf, requireWithin } from '../../src/graphql/limits/limits.ts'
import type { Call } from '../support/clients/http.ts'
import { newStore } from '../support/factories.ts'
import { type GraphQLReply, startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const gateway = useGateway({ introspection: 'admin' })
let token: string
beforeAll(async () => {
  token = (await newToken(gateway, { scopes: ['READ', 'WRITE'] })).secret
  // The first use of a token is written down.
  await send({ query: '{ __typename }' })
})

const times = (n: number, part: (i: number) => string) => Array.from({ length: n }, (_, i) => part(i)).join(' ')
const nested = (n: number, open: string, inner: string) => `${open.repeat(n)} ${inner} ${'}'.repeat(n)}`
const path = `{ store(storeUuid: "x") ${nested(12, '{ linkedStores ', '{ storeUuid }')} }`
const ofMany = (size: string) =>
  `{ stores(first: ${size}) { edges { node { linkedStores { linkedStores { linkedStores { storeUuid } } } } } } }`

/** One document over each limit of an ordinary token, and what the refusal says. */
const excesses: Record<string, [document: string, words: RegExp]> = {
  'nested brackets': [`{ stores(filter: ${'['.repeat(101)}${']'.repeat(101)}) { totalCount } }`, /brackets/],
  characters: [`# ${'x'.repeat(131_072)}\n{ stores { totalCount } }`, /131072 characters/],
  tokens: [`{ ${times(5_001, () => 'a')} }`, /5000 tokens/],
  'fields of one name': [`{ stores { ${times(51, () => 'totalCount')} } }`, /50 fields of one name/],
  'fields of one name below fields of one name': [
    `{ stores { ${times(8, () => `edges { ${times(8, () => 'cursor')} }`)} } }`,
    /50 fields of one name/,
  ],
  operations: [times(21, (i) => `query Q${i} { enumerations { regions } }`), /20 operations/],
  fragments: [
    `{ enumerations { regions } } ${times(51, (i) => `fragment F${i} on Query { stores { totalCount } }`)}`,
    /50 fragments/,
  ],
  fields: [`{ stores { ${times(501, () => 'totalCount')} } }`, /500 fields/],
  'fields by fragments that double': [
    `{ ...F0 } ${times(30, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F30 on Query { stores { totalCount } }`,
    /500 fields/,
  ],
  aliases: [`{ stores { ${times(51, (i) => `a${i}: totalCount`)} } }`, /50 aliases/],
  directives: [`{ stores ${'@include(if: true) '.repeat(51)} { totalCount } }`, /50 directives/],
  'root fields': [`{ ${times(21, () => 'stores { totalCount }')} }`, /20 root fields/],
  levels: [path, /12 levels/],
  'levels below a fragment that is named like introspection': [
    `{ ...__schema } fragment __schema on Query ${path}`,
    /12 levels/,
  ],
  'levels below an alias that is named like introspection': [`{ __schema: ${path.slice(2)}`, /12 levels/],
  cost: [ofMany('100'), /cost at most 250000/],
}

const send = (body: object, as: string | null = token) => gateway.call('/graphql', { method: 'POST', body, token: as })
const errorsOf = (reply: { json: unknown }) => (reply.json as GraphQLReply).errors ?? []

describe('what exceeds a limit is refused before anything is read', () => {
  it.each(Object.entries(excesses))('%s', async (title, [query, words]) => {
    gateway.database.statements()
    const reply = await send({ query, ...(title === 'operations' && { operationName: 'Q0' }) })
    expect(reply.status).toBe(400)
    expect(errorsOf(reply)[0]).toMatchObject({
      message: expect.stringMatching(words),
      extensions: { code: 'invalid_request' },
    })
    expect(reply.json).not.toHaveProperty('data')
    expect(gateway.database.statements()).toBeLessThanOrEqual(1)
  })

  it('documents with extensions have the same limits', async () => {
    for (const [query] of Object.values(excesses)) {
      const body = { query, ...(query.startsWith('query Q0') && { operationName: 'Q0' }), extensions: {} }
      expect([(await send(body)).status, query.slice(0, 60)]).toEqual([400, query.slice(0, 60)])
    }
  })

  it('several requests in one body are refused', async () => {
    const { status, json } = await send(Array.from({ length: 10 }, () => ({ query: '{ __typename }' })))
    expect([status, json]).toMatchObject([400, { errors: [{ extensions: { code: 'invalid_request' } }] }])
    expect(json).not.toHaveProperty('data')
  })

  it('brackets and signs in strings and comments are none', async () => {
    const text = `${'{[('.repeat(200)}@ ... a: $b`
    const query = `# ${text}\n{ a: stores(filter: { search: "\\"${text}" }) { totalCount } # ${text}\n
      b: __typename @include(if: true) } fragment F on Query { stores(filter: { search: """\\"""${text}""" }) { totalCount } }`
    expect(errorsOf(await send({ query })).map(({ message }) => message)).toEqual(['Fragment "F" is never used.'])
  })

  it('of many mistakes twenty are reported, and of long values the beginning', async () => {
    const many = await send({ query: `{ stores { ${times(100, (i) => `nothing${i}`)} } }` })
    expect(errorsOf(many).length).toBe(21)
    const long = await send({ query: `{ stores(first: "${'x'.repeat(100_000)}") { totalCount } }` })
    expect(long.text.length).toBeLessThan(1_000)
    const variables = { v: 'x'.repeat(100_000) }
    const longer = await send({ query: 'query ($v: Int) { stores(first: $v) { totalCount } }', variables })
    expect(longer.text.length).toBeLessThan(1_000)
  })

  it('all exceeded limits are reported at once', async () => {
    const reply = await send({ query: `{ ${times(51, (i) => `a${i}: stores @skip(if: false) { totalCount }`)} }` })
    expect(JSON.stringify(reply.json)).toMatch(/aliases.*directives.*root/)
  })

  it('cost counts the page sizes of variables, and of the operation that is run', async () => {
    const query = `query Cheap { enumerations { regions } } query Dear($n: Int) ${ofMany('$n')}`
    const run = async (operationName: string, n: number) =>
      (await send({ query, operationName, variables: { n } })).status
    expect([await run('Dear', 2), await run('Dear', 100), await run('Cheap', 100), await run('Dear', 2)]).toEqual([
      200, 400, 200, 200,
    ])
  })

  it('variables that do not fit are reported as such, and are not taken for cheap ones', async () => {
    const query = `query ($n: Int, $s: String!) { stores(first: $n, filter: { search: $s }) ${ofMany('1').slice(19, -1)} }`
    expect(errorsOf(await send({ query, variables: { n: 100, s: 1 } }))[0]?.message).toMatch(/\$s/)
    expect(errorsOf(await send({ query, variables: { n: 100, s: 'x' } }))[0]?.message).toMatch(/cost at most/)
  })

  it('an answer reports the cost of its request', async () => {
    const costOf = async (query: string) => ((await send({ query })).json as { extensions: unknown }).extensions
    expect(await costOf('{ stores(first: 7) { totalCount } }')).toEqual({ cost: { requested: 8, limit: 250_000 } })
    // The lists of 7 stores take 7 statements, which cost more than a field does.
    const lists = '{ stores(first: 7) { edges { node { assetGroups(limit: 1) { totalGroups } } } } }'
    expect(await costOf(lists)).toEqual({ cost: { requested: 1 + 7 * (1 + 10 + 1), limit: 250_000 } })
  })

  it.each([
    ['first', [{ n: null }, {}, { n: 1 }]],
    ['last', [{ n: 1 }, {}, { n: null }]],
  ])('a variable that is null costs the default of the field, whether it comes %s', async (order, all) => {
    // Costs are kept by document: each order has a document of its own.
    const query = `query ${order}($n: Int = 1) { stores(first: $n) { totalCount } }`
    const costs = new Map<string, unknown>()
    for (const variables of all) {
      const { extensions } = (await send({ query, variables })).json as { extensions: { cost: { requested: number } } }
      costs.set(JSON.stringify(variables), extensions.cost.requested)
    }
    const ofDefault = costs.get('{"n":null}')
    expect(Object.fromEntries(costs)).toEqual({ '{"n":null}': ofDefault, '{}': 2, '{"n":1}': 2 })
    expect(ofDefault).toBeGreaterThan(20)
  })

  it('administrators have higher limits', async () => {
    const status = async (n: number) =>
      (await gateway.post(`{ stores { ${times(n, (i) => `a${i}: totalCount`)} } }`)).status
    expect([await status(51), await status(201)]).toEqual([200, 400])
  })
})

describe('documents within the limits', () => {
  const caller = { scopes: new Set(), tokenId: '', tokenName: '', viewer: { stores: undefined } } as never
  it('the introspection of GraphiQL and the operations of REST keep every limit of ordinary tokens', () => {
    for (const document of [parse(getIntrospectionQuery()), ...endpoints.map((endpoint) => endpoint.document)])
      expect(() => requireWithin(sizeOf(document), limitsOf(caller))).not.toThrow()
  })

  it('GraphiQL can ask an administrator’s gateway what it is', async () => {
    const reply = await gateway.post(getIntrospectionQuery())
    expect([reply.status, errorsOf(reply)]).toEqual([200, []])
  })

  it('introspection that goes in circles is refused to administrators, too', async () => {
    const circle = `{ __schema { types ${'{ fields { type '.repeat(5)} { name } ${'} }'.repeat(5)} } }`
    const { json } = await gateway.post(circle)
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'invalid_request' } }] })
    expect(json).not.toHaveProperty('data')
  })
})

describe('introspection for administrators only', () => {
  it('a token without it cannot read the schema', async () => {
    for (const query of [
      getIntrospectionQuery(),
      '{ ...F } fragment F on Query { s: __schema { types { name } } }',
      '{ __type(name: "Store") { name } }',
    ]) {
      const reply = await send({ query })
      expect([reply.status, errorsOf(reply)[0]?.extensions.code]).toEqual([403, 'forbidden'])
    }
    expect((await send({ query: '{ __typename }' })).status).toBe(200)
  })

  it('a token without it gets no suggestions of names, nor words of what failed inside', async () => {
    const guesses = [
      '{ store { storeUuid } storess { x } }',
      '{ stores(filter: { serch: "x" }) { totalCount } }',
      '{ enumerations { region } }',
      'mutation { deleteAsset { x } }',
      'query ($x: StoreFilte) { stores { totalCount } }',
      '{ stores { edgess { node { storeUuid } } } }',
    ]
    const malformed = ['qwerty cop { abc }', '{', '', '{ store(storeUuid: {}) { storeUuid } }']
    for (const query of [...guesses, ...malformed]) {
      const own = await send({ query })
      expect(errorsOf(own).length, query).toBeGreaterThan(0)
      expect(own.text, query).not.toMatch(/Did you mean|stack|exception|node_modules|\bat \w+ \(/i)
    }
    for (const query of guesses) {
      const admins = await gateway.post(query)
      if (!/store \{ storeUuid/.test(query)) expect(admins.text, query).toMatch(/Did you mean/)
    }
  })
})

describe('persisted documents', () => {
  const documents = new Map([
    ['known', '{ stores { totalCount } }'],
    ['deep', path],
  ])
  const named = (sha256Hash: string): Call => ({
    method: 'POST',
    body: { extensions: { persistedQuery: { version: 1, sha256Hash } } },
  })

  it('can be named, and are the only documents that run where that is configured', async () => {
    const open = await startTestGateway({ more: { persistedDocuments: { documents, only: false } } })
    const closed = await startTestGateway({ more: { persistedDocuments: { documents, only: true } } })
    for (const each of [open, closed]) {
      expect((await each.call('/graphql', named('known'))).json).toMatchObject({ data: { stores: { totalCount: 0 } } })
      expect(await each.call('/graphql', named('unknown'))).toMatchObject({
        status: 200,
        json: { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
      })
      expect((await each.call('/graphql', named('deep'))).text).toMatch(/12 levels/)
      const withEmpty = {
        ...named('known'),
        body: { query: '', extensions: { persistedQuery: { sha256Hash: 'known' } } },
      }
      expect((await each.call('/graphql', withEmpty)).json).toMatchObject({ data: { stores: { totalCount: 0 } } })
    }
    expect(await gateway.call('/graphql', named('known'))).toMatchObject({
      status: 200,
      json: {
        errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
      },
    })
    const sent = '{ stores { totalCount } }'
    expect((await open.post(sent)).status).toBe(200)
    for (let i = 0; i < 3; i++) expect((await closed.post(sent)).status).toBe(400)
    expect((await closed.call(`/v1/assets?store_uuid=${await newStore(closed)}`)).status).toBe(200)
    await open.stop()
    await closed.stop()
  })
})
