import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Item } from '../support/clients/client.ts'
import type { Call, Reply } from '../support/clients/http.ts'
import { attempt } from '../support/clients/operations.ts'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { answerTo as sendBytes } from '../support/clients/wire.ts'
import { storeBody, storeWithAssets, storeWithProducts, unknownStore } from '../support/factories.ts'
import { keptLog, type LogLine } from '../support/log.ts'
import { token as bootstrap, startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { type GatewayBehindProxy, startGatewayBehindProxy } from '../support/servers/gateway-behind-proxy.ts'
import { requirements, rest } from './requirement.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const astral = '𝒳'
const retryAfter = /^[1-9]\d*$/

interface Envelope {
  status: { code: number; message: string; request_id: string }
  data: Item
}

requirements('the envelope', (gateway) => ({
  'ENVELOPE-01 MUST be status, with code, message and request_id, and data, an object, in every success': rest(
    async () => {
      for (const reply of await successes(gateway)) {
        expectForm(reply)
        expect(Object.prototype.toString.call(envelopeOf(reply).data)).toBe('[object Object]')
      }
    },
  ),
  'ENVELOPE-02 MUST be the same in every error, with an error_info in data and nothing else': rest(async () => {
    for (const reply of await errors(gateway)) {
      expectForm(reply)
      expect(Object.keys(envelopeOf(reply).data)).toEqual(['error_info'])
    }
  }),
  'ENVELOPE-03 MUST say the code 0 and HTTP 200 on success of every operation': rest(async () => {
    for (const reply of await successes(gateway))
      expect([reply.status, envelopeOf(reply).status.code]).toEqual([200, 0])
  }),
  'ENVELOPE-04 MUST say the code -1 and the message ERROR on every error, of products and stores too': rest(
    async () => {
      for (const reply of await errors(gateway)) {
        expect(envelopeOf(reply).status).toMatchObject({ code: -1, message: 'ERROR' })
        expect(reply.status).toBeGreaterThanOrEqual(400)
      }
    },
  ),
  'ENVELOPE-05 MUST say SUCCESS for the operations on assets, and success for those on products and stores': rest(
    async () => {
      const messages = (await successes(gateway)).map((reply) => envelopeOf(reply).status.message)
      expect(messages).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS', 'success', 'success'])
    },
  ),
  'ENVELOPE-06 MUST give each entry of error_info a reason and details that a person can read': rest(async () => {
    for (const reply of await errors(gateway)) {
      const { error_info: entries } = envelopeOf(reply).data as { error_info: Item[] }
      expect(entries.length).toBeGreaterThan(0)
      for (const entry of entries) {
        expect(entry).toMatchObject({
          reason: expect.stringMatching(/^[a-z_]+$/),
          details: expect.stringMatching(/\w+ \w+/),
        })
      }
    }
  }),
  'ENVELOPE-07 MUST be JSON in UTF-8 and say so': rest(async () => {
    for (const reply of [...(await successes(gateway)), ...(await errors(gateway))]) {
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)))
    }
  }),
  'ENVELOPE-08 MUST echo X-Request-Id in status.request_id and in the header of every answer': {
    rest: async () => {
      for (const reply of [...(await successes(gateway, 'my own id')), ...(await errors(gateway, 'my own id'))]) {
        expect(envelopeOf(reply).status.request_id).toBe('my own id')
        expect(reply.headers['x-request-id']).toBe('my own id')
      }
    },
    graphql: async () => {
      for (const call of graphqlCalls) {
        const reply = await gateway.call('/graphql', { ...call, headers: { 'x-request-id': 'my own id' } })
        expect(reply.headers['x-request-id']).toBe('my own id')
      }
    },
  },
  'ENVELOPE-09 MUST generate a UUID where X-Request-Id is left out or empty, another for each request': {
    rest: async () => {
      const replies = [
        ...(await successes(gateway)),
        ...(await errors(gateway)),
        ...(await successes(gateway, '')),
        ...(await errors(gateway, '')),
      ]
      const ids = replies.map((reply) => envelopeOf(reply).status.request_id)
      for (const id of ids) expect(id).toMatch(uuid)
      expect(new Set(ids).size).toBe(ids.length)
      expect(replies.map(({ headers }) => headers['x-request-id'])).toEqual(ids)
    },
    graphql: async () => {
      for (const call of graphqlCalls) {
        expect((await gateway.call('/graphql', call)).headers['x-request-id']).toMatch(uuid)
      }
    },
  },
  'ENVELOPE-10 MUST echo an X-Request-Id of 256 characters and replace one of 257 by a UUID': {
    rest: async () => {
      for (const character of ['x', 'é', astral]) {
        const longest = character.repeat(256)
        expect(await echoed(gateway, longest)).toEqual([longest, bytesOf(longest)])
        const [text, header] = await echoed(gateway, `${longest}${character}`)
        expect(text).toMatch(uuid)
        expect(header).toBe(text)
      }
    },
    graphql: async () => {
      const [longest, tooLong] = [astral.repeat(256), astral.repeat(257)].map((id) => bytesOf(id))
      const call = (id = '') => gateway.call('/graphql?query={__typename}', { headers: { 'x-request-id': id } })
      expect((await call(longest)).headers['x-request-id']).toBe(longest)
      expect((await call(tooLong)).headers['x-request-id']).toMatch(uuid)
    },
  },
  'ENVELOPE-11 MUST echo an X-Request-Id of any characters as it was sent': rest(async () => {
    for (const id of ['a b', '"quoted"\\', '{"a":1}', 'é', '店', astral, '\u00a0x', '__proto__', 'a,b', '0', 'null']) {
      expect(await echoed(gateway, id)).toEqual([id, bytesOf(id)])
    }
  }),
  'ENVELOPE-12 MUST echo X-Request-Id bytes that are no UTF-8 as the same bytes': rest(async () => {
    const reply = await gateway.call('/v1/nothing', { headers: { 'x-request-id': 'caf\u00e9' } })
    expect(reply.headers['x-request-id']).toBe('caf\u00e9')
    expect(envelopeOf(reply).status.request_id).toBe('café')
  }),
  'ENVELOPE-13 MUST have one entry for each fault found, in the query and in the body together': {
    rest: async () => {
      const body = storeBody({ store_name: '', region: ['x', 'Asia', 'y'], channels: 5 })
      const call = { method: 'POST', body }
      const reply = await gateway.call('/v1/stores?copy_taxonomy=maybe&linked_store_id=%00', call)
      const { reason, entries = [] } = outcomeOf(reply)
      expect(reason).toBe('invalid_request')
      const fields = ['channels', 'copy_taxonomy', 'linked_store_id', 'region[0]', 'region[2]', 'store_name']
      expect(entries.map(({ field }) => field).sort()).toEqual(fields)
    },
    graphql: async () => {
      const input = { storeName: '', storeTaxonomy: 'x', region: ['y'], channels: [], defaultAutomation: [] }
      const { reason, entries } = await attempt(gateway, 'createStore', { input }, '{ storeUuid }')
      expect(reason).toBe('invalid_request')
      expect(entries?.map(({ field }) => field)).toEqual(['store_name', 'store_taxonomy', 'region[0]'])
    },
  },
  'ENVELOPE-14 MUST name fields in an entry as REST names them': rest(async () => {
    const unknown = unknownStore()
    const stores = await gateway.call(`/v1/stores?linked_store_id=${unknown}`, { method: 'POST', body: storeBody() })
    const assets = await gateway.call(`/v1/assets?store_uuid=${unknown}`)
    expect(stores.text).not.toContain('linkedStoreId')
    expect(assets.text).not.toContain('storeUuid')
  }),
  'ENVELOPE-15 MUST answer a bug with 500 internal_error, without stack, SQL or host name': {
    rest: withBrokenGateway(async (gateway) => {
      const reply = await gateway.call(`/v1/assets?store_uuid=${unknownStore()}`)
      expect(outcomeOf(reply)).toMatchObject({ reason: 'internal_error', entries: [{}] })
      expect(reply.status).toBe(500)
      expect(reply.text).not.toMatch(secrets)
    }),
    graphql: withBrokenGateway(async (gateway) => {
      const reply = await gateway.graphql(listing)
      expect(reply.errors).toMatchObject([{ extensions: { code: 'internal_error' } }])
      expect(JSON.stringify(reply)).not.toMatch(secrets)
    }),
  },
  'ENVELOPE-16 MUST answer a listing with 502 downstream_unavailable while PostgreSQL cannot be reached': {
    rest: whileCutOff(async (gateway) => {
      const path = `/v1/assets?store_uuid=${unknownStore()}`
      for (const token of [bootstrap, wellFormed]) {
        const reply = await gateway.call(path, { token })
        expect(outcomeOf(reply)).toMatchObject({ reason: 'downstream_unavailable' })
        expect(reply.text).not.toMatch(secrets)
      }
      expect((await gateway.call(path, { method: 'HEAD' })).status).toBe(502)
      expect((await gateway.call(path, { token: 'not in the form of a token' })).status).toBe(401)
    }),
    graphql: whileCutOff(async (gateway) => {
      const reply = await gateway.graphql(listing)
      expect(reply.errors).toMatchObject([{ extensions: { code: 'downstream_unavailable' } }])
      expect(JSON.stringify(reply)).not.toMatch(secrets)
    }),
  },
  'ENVELOPE-17 MUST answer the other operations with 503 unavailable and Retry-After while PostgreSQL cannot be reached':
    {
      rest: whileCutOff(async (gateway) => {
        const store = unknownStore()
        const products = `/v1/products?store_uuid=${store}`
        const assets = [{ parent_code: 'A', assets: { 'Image URL 1': 'https://example.com/a.jpg' } }]
        const more: [path: string, call: Call][] = [
          [products, {}],
          [products, { method: 'POST', body: [{ product_code: 'A' }] }],
          [`/v1/assets?store_uuid=${store}`, { method: 'POST', body: assets }],
        ]
        for (const [path, call] of [...writes(store), ...more]) {
          const reply = await gateway.call(path, call)
          expect(outcomeOf(reply), path).toMatchObject({ reason: 'unavailable', entries: [{}] })
          expect(reply.headers['retry-after']).toMatch(retryAfter)
          expect(reply.text).not.toMatch(secrets)
        }
      }),
      graphql: whileCutOff(async (gateway) => {
        const store = unknownStore()
        const documents = [
          '{ stores { totalCount } }',
          `{ store(storeUuid: "${store}") { storeName } }`,
          `mutation { updateProducts(storeUuid: "${store}", products: []) { updatedSkus } }`,
        ]
        for (const document of documents) {
          const reply = await gateway.graphql(document)
          expect(reply.errors, document).toMatchObject([{ extensions: { code: 'unavailable' } }])
          expect(JSON.stringify(reply)).not.toMatch(secrets)
        }
        const { status, headers, json } = await gateway.post('{ __typename }', { token: wellFormed })
        expect([status, headers['retry-after'], json.errors?.[0]?.extensions.code]).toEqual([503, '1', 'unavailable'])
      }),
    },
  'ENVELOPE-18 MUST say what is invalid, unknown or not allowed also while PostgreSQL cannot be reached': {
    rest: whileCutOff(async (gateway) => {
      const huge = { method: 'POST', body: ' '.repeat(11 * 1024 * 1024) }
      const replies = [
        ...(await errors(gateway, undefined, { stored: false })),
        await gateway.call('/v1/stores', huge),
        await gateway.call('/health'),
        await gateway.call('/v1/assets', { method: 'OPTIONS' }),
      ]
      expect(replies.filter(({ status }) => status >= 500)).toEqual([])
    }),
    graphql: whileCutOff(async (gateway) => {
      expect((await gateway.graphql('{ __typename enumerations { channels } }')).errors).toBeUndefined()
      expect((await gateway.graphql('{ nothing }')).errors).toMatchObject([{ extensions: { code: 'invalid_request' } }])
    }),
  },
  'ENVELOPE-19 MUST serve again, without a restart, as soon as PostgreSQL can be reached again': rest(
    whileCutOff(async (gateway) => {
      expect((await gateway.call(`/v1/assets?store_uuid=${unknownStore()}`)).status).toBe(502)
      await gateway.restore()
      for (const reply of await successes(gateway)) expect(reply.status).toBe(200)
      await expect.poll(async () => (await gateway.call('/ready')).status, { timeout: 10_000 }).toBe(200)
    }),
  ),
  'ENVELOPE-20 MUST put the request id on every log line of a request': {
    rest: withBrokenGateway(async (gateway, lines) => {
      await gateway.call(`/v1/assets?store_uuid=${unknownStore()}`, { headers: { 'x-request-id': 'the id' } })
      expectIds(lines, 'the id')
    }),
    graphql: withBrokenGateway(async (gateway, lines) => {
      await gateway.post(listing, { headers: { 'x-request-id': 'the id' } })
      expectIds(lines, 'the id')
    }),
  },
  'ENVELOPE-21 MUST wrap the answer to a request without a path below the version, too': rest(async () => {
    const paths = ['/v1', '/v1/', '/v1?store_uuid=x', '/v1/assets/', '/v1//assets', '/v1/Assets', '/v1/%61ssets']
    for (const path of paths) {
      expect(outcomeOf(await gateway.call(path)), path).toMatchObject({ reason: 'not_found', entries: [{}] })
    }
  }),
  'ENVELOPE-22 MUST wrap the answer to bytes that are not valid HTTP, where Node allows an answer': rest(async () => {
    const head = 'GET /v1/assets HTTP/1.1\r\nHost: x\r\n'
    const broken: [bytes: string, status: number][] = [
      ['GARBAGE\r\n\r\n', 400],
      ['GET /v1/assets HTTP/9.9\r\nHost: x\r\n\r\n', 400],
      ['BREW /v1/assets HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['GET /v1/ass ets HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      [`${head}Bad Header: x\r\n\r\n`, 400],
      [`${head}Nonsense\r\n\r\n`, 400],
      [`${head}X: a\0b\r\n\r\n`, 400],
      [`${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
      [`${head}Content-Length: x\r\n\r\n`, 400],
      ['POST /v1/stores HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
      ['GET /v1/assets HTTP/1.1\r\n\r\n', 400],
      [`${head}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`${head}Expect: a miracle\r\n\r\n`, 417],
      ['CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ]
    for (const [bytes, status] of broken) {
      const envelope = await answerTo(gateway, bytes, status)
      expect(envelope.status, bytes.slice(0, 60)).toMatchObject({ code: -1, message: 'ERROR' })
      expect(envelope.data).toMatchObject({ error_info: [{ reason: expect.any(String) }] })
    }
  }),
  'ENVELOPE-23 MUST be written with keys and texts of any characters as JSON has them': rest(async () => {
    const code = '"\\\u0001\u2028</script>\u{1f600}'
    const store = await storeWithProducts(gateway, [code])
    const body = [{ product_code: code, [code]: 1 }]
    const reply = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
    expect(envelopeOf(reply).data.failed_products).toEqual({ [code]: { [code]: expect.any(String) } })
  }),
}))

const secrets =
  /at .*\.ts:|\bselect\b|\bfrom\b.*\bwhere\b|relation|127\.0\.0\.1|localhost|ECONN|socket|PGSQL|asset_group_renamed/i

/** A token that only the database could know. */
const wellFormed = `cat_${'x'.repeat(43)}`
const listing = `{ assetGroups(storeUuid: "${unknownStore()}") { totalGroups } }`

const graphqlCalls: Call[] = [
  { method: 'POST', body: { query: '{ __typename }' } },
  { method: 'POST', body: { query: '{ nothing }' } },
  { method: 'POST', body: '{' },
  { method: 'POST', body: { query: '{ __typename }' }, token: null },
  { method: 'PUT' },
  { method: 'OPTIONS' },
]

function expectForm(reply: Reply): void {
  expect(Object.keys(envelopeOf(reply))).toEqual(['status', 'data'])
  expect(Object.keys(envelopeOf(reply).status).sort()).toEqual(['code', 'message', 'request_id'])
}

function envelopeOf(reply: Reply): Envelope {
  return reply.json as Envelope
}

/** The five operations of the spec, each of them successful: three on assets, then products and stores. */
async function successes(gateway: TestGateway, requestId?: string): Promise<Reply[]> {
  const store = await storeWithAssets(gateway, [['a', 'P']])
  const headers = headersWith(requestId)
  const replies = [await gateway.call(`/v1/assets?store_uuid=${store}`, { headers })]
  for (const [path, call] of writes(store)) replies.push(await gateway.call(path, { ...call, headers }))
  return replies
}

function writes(store: string): [path: string, call: Call][] {
  const link = { store_uuid: store, parent_code: 'P', channel: 'SMP' }
  return [
    ['/v1/assets/unlink', { method: 'POST', body: [link] }],
    ['/v1/assets', { method: 'DELETE', body: [{ store_uuid: store, asset_id: 'a' }] }],
    [`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [{ product_code: 'A' }] }],
    ['/v1/stores', { method: 'POST', body: storeBody() }],
  ]
}

/** A request for each of the errors that a caller can make, `stored` those too that the database has to know of. */
async function errors(gateway: TestGateway, requestId?: string, { stored = true } = {}): Promise<Reply[]> {
  const store = unknownStore()
  const list = `/v1/assets?store_uuid=${store}`
  const calls: [path: string, call: Call][] = [
    [list, { token: null }],
    [list, { headers: { authorization: 'Basic x' }, token: null }],
    ['/v1/nothing', {}],
    ['/v1/nothing', { method: 'POST', body: {} }],
    ['/v1/stores', { method: 'DELETE' }],
    ['/v1/assets', {}],
    [`${list}&limit=0&offset=x`, {}],
    [`${list}&limit=1&limit=2`, {}],
    ['/v1/stores', { method: 'POST', body: {} }],
    ['/v1/stores', { method: 'POST', body: '{' }],
    ['/v1/stores', { method: 'POST' }],
    ['/v1/stores', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['/v1/products', { method: 'PUT', body: [{}] }],
    ['/v1/assets', { method: 'DELETE', body: {} }],
    ['/v1/assets/unlink', { method: 'POST', body: [{}] }],
    ['/v1/assets/unlink', { method: 'POST', body: Array.from({ length: 10_001 }, () => 0) }],
  ]
  const known: [path: string, call: Call][] = [
    [list, {}],
    [`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [] }],
    [`/v1/stores?linked_store_id=${store}`, { method: 'POST', body: storeBody() }],
  ]
  const replies = []
  for (const [path, call] of stored ? [...calls, ...known] : calls) {
    const headers = { ...call.headers, ...headersWith(requestId) }
    replies.push(await gateway.call(path, { ...call, headers }))
  }
  return replies
}

function headersWith(requestId: string | undefined): Record<string, string> {
  return requestId === undefined ? {} : { 'x-request-id': requestId }
}

/** The header value that carries a text as UTF-8: each of its characters is one byte. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

async function echoed(gateway: TestGateway, id: string): Promise<[text: string, header: unknown]> {
  const reply = await gateway.call('/v1/nothing', { headers: { 'x-request-id': bytesOf(id) } })
  return [envelopeOf(reply).status.request_id, reply.headers['x-request-id']]
}

/** Sends bytes, expects this status, and returns the envelope, whose id must be that of the header. */
async function answerTo(gateway: TestGateway, bytes: string, status: number): Promise<Envelope> {
  const answer = await sendBytes(gateway.url, bytes)
  expect(answer.status, bytes.slice(0, 60)).toBe(status)
  const envelope: Envelope = JSON.parse(answer.text)
  expect(envelope.status.request_id).toMatch(uuid)
  expect(answer.headers['x-request-id']).toBe(envelope.status.request_id)
  return envelope
}

function expectIds(lines: readonly LogLine[], requestId: string): void {
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatchObject({ requestId })
}

/** A gateway whose database lacks what the listing reads, so that it must fail in a way that nobody has foreseen. */
function withBrokenGateway(check: (gateway: TestGateway, logLines: readonly LogLine[]) => Promise<void>) {
  return async () => {
    const { lines, log } = keptLog('trace')
    // Replicas are watched outside of requests.
    await using gateway = await startTestGateway({ log, more: { databaseReadUrl: [] } })
    await sql`alter table asset_group rename to asset_group_renamed`.execute(gateway.database.db)
    await check(gateway, lines)
  }
}

/** A gateway that cannot reach PostgreSQL. It must not log that as a fault of its own. */
function whileCutOff(check: (gateway: GatewayBehindProxy) => Promise<void>) {
  return async () => {
    const { lines: faults, log } = keptLog('error')
    await using gateway = await startGatewayBehindProxy({ log })
    await gateway.cut()
    await check(gateway)
    expect(faults).toEqual([])
  }
}
