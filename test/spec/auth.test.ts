import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Call } from '../support/clients/http.ts'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { countStores, newStore, storeBody } from '../support/factories.ts'
import { type TestGateway, token } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'
import { graphql, requirements, rest } from './requirement.ts'

const bad: [what: string, authorization: string | undefined][] = [
  ['none', undefined],
  ['an empty one', ''],
  ['the scheme alone', 'Bearer'],
  ['the scheme and a space', 'Bearer '],
  ['the token alone', token],
  ['another scheme', `Basic ${token}`],
  ['an unknown token', 'Bearer an-unknown-token-of-some-length'],
  ['a part of the token', `Bearer ${token.slice(0, -1)}`],
  ['more than the token', `Bearer ${token}x`],
  ['the token in another case', `Bearer ${token.toUpperCase()}`],
  ['two tokens', `Bearer ${token} ${token}`],
  ['the token after a comma', `Bearer x, Bearer ${token}`],
  ['the token in quotes', `Bearer "${token}"`],
  ['a token that PostgreSQL could not hold', 'Bearer a\u00ff\u0080'],
]

requirements('authentication', (gateway) => ({
  'AUTH-01 MUST refuse a request without a valid token with 401 unauthorized and WWW-Authenticate: Bearer': {
    rest: async () => {
      const store = await newStore(gateway)
      for (const [what, authorization] of bad) {
        const reply = await gateway.call(`/v1/assets?store_uuid=${store}`, anonymous({}, authorization))
        expect(outcomeOf(reply), what).toMatchObject({ reason: 'unauthorized', entries: [{}] })
        expect([reply.status, reply.headers['www-authenticate']], what).toEqual([401, 'Bearer'])
      }
    },
    graphql: async () => {
      for (const [what, authorization] of bad) {
        const call = { method: 'POST', body: { query: '{ stores { totalCount } }' } }
        const reply = await gateway.call('/graphql', anonymous(call, authorization))
        const unauthorized = { errors: [{ extensions: { code: 'unauthorized' } }] }
        expect(reply.json, what).toMatchObject(unauthorized)
        expect(reply.json, what).not.toHaveProperty('data')
        expect([reply.status, reply.headers['www-authenticate']], what).toEqual([401, 'Bearer'])
      }
    },
  },
  'AUTH-02 MUST ask every operation for the token, and do nothing without it': {
    rest: async () => {
      const store = await newStore(gateway)
      const calls: [path: string, call: Call][] = [
        [`/v1/assets?store_uuid=${store}`, {}],
        [`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [] }],
        ['/v1/stores', { method: 'POST', body: storeBody({ store_name: 'made without a token' }) }],
        ['/v1/assets', { method: 'DELETE', body: [] }],
        ['/v1/assets/unlink', { method: 'POST', body: [] }],
      ]
      for (const [path, call] of calls) {
        expect((await gateway.call(path, { ...call, token: null })).status, path).toBe(401)
        expect((await gateway.call(path, call)).status, path).toBe(200)
      }
      expect(await countStores(gateway, 'made without a token')).toBe(1)
    },
    graphql: async () => {
      const query = `mutation { createStore(input: {
        storeName: "made without a token, too", storeTaxonomy: "catalog", region: [], channels: [], defaultAutomation: []
      }) { storeUuid } }`
      const call = { method: 'POST', body: { query } }
      expect((await gateway.call('/graphql', { ...call, token: null })).status).toBe(401)
      expect((await gateway.call(`/graphql?query=${encodeURIComponent('{__typename}')}`, { token: null })).status).toBe(
        401,
      )
      expect(await countStores(gateway, 'made without a token, too')).toBe(0)
    },
  },
  'AUTH-03 MUST come first: whatever else is wrong with a request to /v1, without a token it is 401': {
    rest: async () => {
      const calls: [path: string, call: Call][] = [
        ['/v1', {}],
        ['/v1/', {}],
        ['/v1/nothing', {}],
        ['/v1/stores', { method: 'GET' }],
        ['/v1/stores', { method: 'OPTIONS' }],
        ['/v1/assets', { method: 'PATCH', body: '{' }],
        ['/v1/assets?limit=x&limit=y', {}],
        ['/v1/products', { method: 'PUT', body: '{' }],
        ['/v1/stores', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
        ['/v1/assets', { method: 'DELETE', body: Array.from({ length: 10_001 }, () => ({})) }],
        ['/v1/stores', { method: 'POST', body: Buffer.alloc(11 * 1024 * 1024, 'x') }],
      ]
      for (const [path, call] of calls) {
        const reply = await gateway.call(path, { ...call, token: null })
        expect(outcomeOf(reply), `${call.method} ${path}`).toMatchObject({ reason: 'unauthorized' })
      }
    },
    graphql: async () => {
      const calls: Call[] = [
        { method: 'POST', body: '{' },
        { method: 'POST', body: { query: '{' } },
        { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
        { method: 'PUT' },
        { method: 'GET' },
      ]
      for (const call of calls) {
        const reply = await gateway.call('/graphql', { ...call, token: null })
        expect([reply.status, reply.json]).toMatchObject([401, { errors: [{ extensions: { code: 'unauthorized' } }] }])
      }
    },
  },
  'AUTH-04 MUST answer HEAD without a token as GET, without a body': rest(async () => {
    const reply = await gateway.call('/v1/assets', { method: 'HEAD', token: null })
    expect([reply.status, reply.text, reply.headers['www-authenticate']]).toEqual([401, '', 'Bearer'])
  }),
  'AUTH-05 MUST not say in a refusal what the token was': {
    rest: async () => {
      const reply = await gateway.call('/v1/assets', anonymous({}, 'Bearer a-secret-of-someone'))
      expect(reply.text).not.toContain('a-secret-of-someone')
    },
    graphql: async () => {
      const reply = await gateway.call(
        '/graphql',
        anonymous({ method: 'POST', body: {} }, 'Bearer a-secret-of-someone'),
      )
      expect(reply.text).not.toContain('a-secret-of-someone')
    },
  },
  'AUTH-06 MUST not be asked of /health and /ready': rest(async () => {
    for (const path of ['/health', '/ready']) {
      // On a busy machine /ready can be late, which is a 503.
      const statusOf = async (call: Call) => (await gateway.call(path, call)).status
      await expect.poll(() => statusOf({ token: null })).toBe(200)
      await expect.poll(() => statusOf(anonymous({}, 'Bearer nonsense'))).toBe(200)
    }
  }),
  'AUTH-07 MUST not be asked of the GraphiQL page itself': graphql(async () => {
    const reply = await gateway.call('/graphql', { token: null, headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toMatch(/^text\/html/)
    expect(reply.text).toContain('GraphiQL')
  }),
  'AUTH-08 MUST let every token introspect': graphql(async () => {
    const document = '{ __schema { queryType { name } } __type(name: "Store") { fields { name } } }'
    const data = await gateway.data(document)
    expect(data).toMatchObject({ __schema: { queryType: { name: 'Query' } } })
    expect(JSON.stringify(data)).toContain('storeUuid')
  }),
  'AUTH-09 MUST take a token from no address, cookie or header but Authorization': rest(async () => {
    const basic = `Basic ${Buffer.from(`${token}:`).toString('base64')}`
    const headers = [{}, { cookie: `access_token=${token}` }, { 'x-api-key': token }, { authorization: basic }]
    const paths = ['/v1/assets?', '/graphql?query={__typename}&'].map(
      (path) => `${path}access_token=${token}&token=${token}`,
    )
    for (const path of [...paths, '/graphql?query={__typename}']) {
      for (const each of headers) expect((await gateway.call(path, { token: null, headers: each })).status).toBe(401)
    }
  }),
  'AUTH-10 MUST say whether a token was sent, and not whether it ever existed': {
    rest: async () => {
      for (const [authorization, details] of await refused(gateway)) {
        const { entries } = outcomeOf(await gateway.call('/v1/assets', anonymous({}, authorization)))
        expect(entries, authorization).toEqual([{ reason: 'unauthorized', details }])
      }
    },
    graphql: async () => {
      for (const [authorization, message] of await refused(gateway)) {
        const { json } = await gateway.call('/graphql', anonymous({ method: 'POST', body: {} }, authorization))
        expect(json, authorization).toEqual({ errors: [{ message, extensions: { code: 'unauthorized' } }] })
      }
    },
  },
}))

function anonymous(call: Call, authorization: string | undefined): Call {
  return { ...call, token: null, ...(authorization !== undefined && { headers: { authorization } }) }
}

/** Headers that are refused, and what is said. */
async function refused(gateway: TestGateway): Promise<[authorization: string | undefined, details: string][]> {
  const none = 'a valid token is required: send the header Authorization: Bearer <ACCESS_TOKEN>'
  const other = 'the header Authorization that was sent has no token: it must be Bearer <ACCESS_TOKEN>'
  const bad = 'the token that was sent is not valid: it is unknown, expired or revoked'
  const [expired, gone] = [
    await newToken(gateway, { scopes: ['READ'], expires: '1d' }),
    await newToken(gateway, { scopes: ['READ'] }),
  ]
  const past = sql`update token set expires_at = now() where token_id = ${expired.tokenId}`
  await past.execute(gateway.database.db)
  await revoke(gateway, gone.tokenId)
  return [
    [undefined, none],
    ['', none],
    [`Basic ${token}`, other],
    [token, other],
    ['Bearer ', other],
    ['Bearer an-unknown-token-of-some-length', bad],
    [`Bearer ${expired.secret}`, bad],
    [`Bearer ${gone.secret}`, bad],
  ]
}
