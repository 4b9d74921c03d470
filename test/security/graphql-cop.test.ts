import { beforeAll, expect, it } from 'vitest'
import type { Call } from '../support/clients/http.ts'
import { token as adminToken, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

/** The checks of graphql-cop (github.com/dolevf/graphql-cop) by name, each with its request, from an ordinary token. */
const gateway = useGateway({ introspection: 'admin' })
let token: string
beforeAll(async () => {
  token = (await newToken(gateway, { scopes: ['READ', 'WRITE'] })).secret
})

const times = (n: number, part: (i: number) => string) => Array.from({ length: n }, (_, i) => part(i)).join(' ')
const post = (query: string): Call => ({ method: 'POST', body: { query } })
const get = (query: string, call: Call = {}, more = '') => ({
  ...call,
  path: `/graphql?query=${encodeURIComponent(query)}${more}`,
})
const form = (type: string, body: string): Call => ({ method: 'POST', body, headers: { 'content-type': type } })
const circle = `{ __schema { types { ${'fields { type { '.repeat(5)} name ${'} }'.repeat(5)} } } }`

const refused: [check: string, status: number, call: Call & { path?: string }][] = [
  ['alias_overloading', 400, post(`query cop { ${times(101, (i) => `alias${i}: __typename`)} }`)],
  ['batch_query', 400, { method: 'POST', body: Array.from({ length: 10 }, () => ({ query: '{ __typename }' })) }],
  ['directive_overloading', 400, post(`query cop { __typename ${'@aa'.repeat(60)} }`)],
  ['field_duplication', 400, post(`query cop { ${'__typename \n'.repeat(501)} }`)],
  ['introspection', 403, post('query cop { __schema { types { name } } }')],
  ['circular_query_introspection', 403, post(circle)],
  ['circular_query_introspection by an administrator', 200, { ...post(circle), token: adminToken }],
  ['get_based_mutation', 405, get('mutation cop { deleteAssets(selectors: []) { failed } }')],
  ['get_method_support', 401, get('{ __typename }', { token: null })],
  [
    'get_method_support with a cookie',
    401,
    get('{ __typename }', { token: null, headers: { cookie: `token=${adminToken}` } }),
  ],
  ['get_method_support with a parameter', 401, get('{ __typename }', { token: null }, `&access_token=${adminToken}`)],
  ['post_based_csrf', 415, form('application/x-www-form-urlencoded', 'query=%7B__typename%7D')],
  ['post_based_csrf as text', 415, form('text/plain', '{"query":"{__typename}"}')],
  [
    'post_based_csrf in parts',
    415,
    form(
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"{__typename}"}\r\n--x--',
    ),
  ],
  ['field_suggestions', 403, post('{ __schema { directive } storess { totalCount } enumeration { x } }')],
  ['graphiql', 401, { ...post('{ __typename }'), token: null }],
  ...['qwerty cop { abc }', '{', '', '{ store(storeUuid: {}) { storeUuid } }'].map(
    (query): (typeof refused)[number] => [`unhandled_error_detection: ${query}`, 200, post(query)],
  ),
]

/** What a check looks for in an answer, so that it would report the service. */
const finding = /"data":(?!null)|@aa|Did you mean|exception|stack|node_modules|\bat \w+ \(/i

it.each(refused)('%s is refused with %i', async (_check, status, { path = '/graphql', ...call }) => {
  const reply = await gateway.call(path, { token, ...call })
  expect(reply.text).not.toMatch(finding)
  expect(reply.status).toBe(status)
})

it('graphiql: the page is there for browsers', async () => {
  const page = await gateway.call('/graphql', { token: null, headers: { accept: 'text/html' } })
  expect(page.headers['content-security-policy']).toMatch(/frame-ancestors 'none'/)
})

it('trace_mode: nothing reveals how an answer was computed', async () => {
  const reply = await gateway.call('/graphql', { token, ...post('query cop { __typename }') })
  expect(Object.keys((reply.json as { extensions: object }).extensions)).toEqual(['cost'])
  expect(reply.text).not.toMatch(/tracing/)
})
