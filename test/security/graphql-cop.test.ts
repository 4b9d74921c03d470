import { beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../support/clients/http.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

/** The checks of graphql-cop (github.com/dolevf/graphql-cop) by name, each with its request, from an ordinary token. */
const gateway = useGateway({ introspection: 'admin' })
let token: string
beforeAll(async () => {
  token = (await newToken(gateway, { scopes: ['READ', 'WRITE'] })).secret
})

const send = (call: Call, path = '/graphql') => gateway.call(path, { token, ...call })
const post = (body: unknown, headers: Record<string, string> = {}) => send({ method: 'POST', body, headers })
const times = (n: number, part: (i: number) => string) => Array.from({ length: n }, (_, i) => part(i)).join(' ')

/** What the check looks for in an answer, so that it would report the service. */
const hasData = (json: unknown) => (json as { data?: unknown } | undefined)?.data != null

describe('graphql-cop', () => {
  it('alias_overloading: 101 aliases are refused', async () => {
    const reply = await post({ query: `query cop { ${times(101, (i) => `alias${i}: __typename`)} }` })
    expect([reply.status, hasData(reply.json)]).toEqual([400, false])
  })

  it('batch_query: a list of requests is refused', async () => {
    const reply = await post(Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' })))
    expect([reply.status, Array.isArray(reply.json)]).toEqual([400, false])
  })

  it('directive_overloading: many directives are refused', async () => {
    const reply = await post({ query: `query cop { __typename ${'@aa'.repeat(60)} }` })
    expect([reply.status, (reply.text.match(/@aa/g) ?? []).length]).toEqual([400, 0])
  })

  it('circular_query_introspection: introspection in circles is refused', async () => {
    const circle = 'fields { type { '.repeat(5)
    const query = `query cop { __schema { types { ${circle} name ${'} }'.repeat(5)} } } }`
    const reply = await post({ query })
    expect([reply.status, hasData(reply.json)]).toEqual([403, false])
    expect(hasData((await gateway.post(query)).json)).toBe(false)
  })

  it('get_based_mutation: GET changes nothing', async () => {
    const query = encodeURIComponent('mutation cop { deleteAssets(selectors: []) { failed } }')
    const reply = await send({}, `/graphql?query=${query}`)
    expect([reply.status, hasData(reply.json)]).toEqual([405, false])
  })

  it('get_method_support: GET needs the token like everything else, so that no page can send it unasked', async () => {
    const path = `/graphql?query=${encodeURIComponent('query cop { __typename }')}`
    expect((await send({ token: null }, path)).status).toBe(401)
    expect((await send({ token: null, headers: { cookie: `token=${token}` } }, path)).status).toBe(401)
    expect((await send({ token: null }, `${path}&access_token=${token}`)).status).toBe(401)
  })

  it('post_based_csrf: forms are refused', async () => {
    const body = `query=${encodeURIComponent('query cop { __typename }')}`
    const parts = '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"{__typename}"}\r\n--x--'
    const forms = {
      'application/x-www-form-urlencoded': body,
      'text/plain': '{"query":"{__typename}"}',
      'multipart/form-data; boundary=x': parts,
    }
    for (const [type, body] of Object.entries(forms)) {
      const reply = await send({ method: 'POST', body, headers: { 'content-type': type } })
      expect(reply.status, type).toBe(415)
    }
  })

  it('field_suggestions: names are not suggested', async () => {
    const reply = await post({ query: 'query cop { __schema { directive } storess { totalCount } enumeration { x } }' })
    expect(reply.text).not.toMatch(/Did you mean/)
  })

  it('graphiql: the page is there for browsers, and holds nothing without a token', async () => {
    const page = await send({ token: null, headers: { accept: 'text/html' } })
    expect(page.headers['content-security-policy']).toMatch(/frame-ancestors 'none'/)
    expect((await gateway.post('{ __typename }', { token: null })).status).toBe(401)
  })

  it('introspection: the schema is for administrators', async () => {
    const reply = await post({ query: 'query cop { __schema { types { name } } }' })
    expect([reply.status, hasData(reply.json)]).toEqual([403, false])
  })

  it('trace_mode: nothing reveals how an answer was computed', async () => {
    const reply = await post({ query: 'query cop { __typename }' })
    expect(Object.keys((reply.json as { extensions: object }).extensions)).toEqual(['cost'])
    expect(reply.text).not.toMatch(/tracing/)
  })

  it('unhandled_error_detection: errors hold no stack and no exception', async () => {
    for (const query of ['qwerty cop { abc }', '{', '', 'query cop { store(storeUuid: {}) { storeUuid } }']) {
      const reply = await post({ query })
      expect(reply.text, query).not.toMatch(/exception|stack|node_modules|\bat \w+ \(/i)
    }
  })

  it('field_duplication: a field 500 times is refused', async () => {
    const reply = await post({ query: `query cop { ${'__typename \n'.repeat(501)} }` })
    expect([reply.status, hasData(reply.json)]).toEqual([400, false])
  })
})
