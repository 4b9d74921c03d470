import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let store: string
beforeAll(async () => {
  store = await newStore(gateway)
})

const query = '{"query": "{ stores { totalCount } }"}'
const ping = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'

/** Each API that takes a body: how to send one, and one that is good. */
const apis: [path: string, method: string, good: string, headers?: Record<string, string>][] = [
  ['/v1/products', 'PUT', '[]'],
  ['/graphql', 'POST', query],
  ['/mcp', 'POST', ping, { accept: 'application/json, text/event-stream' }],
]

describe.each(apis)('a body of %s', (path, method, good, more = {}) => {
  const send = (body: string | Uint8Array, headers: Record<string, string> = {}) => {
    const target = path === '/v1/products' ? `${path}?store_uuid=${store}` : path
    return gateway.call(target, { method, body, headers: { 'content-type': 'application/json', ...more, ...headers } })
  }

  it.each([
    'application/json;',
    'application/json ; ; charset=utf-8;',
    'application/json; v=1',
    'application/json; v="a;b\\""; charset="UTF-8"',
  ])('may be declared as %s', async (type) => {
    expect((await send(good, { 'content-type': type })).status).toBe(200)
  })

  it.each(['application/json; charset=latin1', 'application/json, text/plain', 'application/json x', 'text/plain'])(
    'may not be declared as %s',
    async (type) => {
      const { status, text } = await send(good, { 'content-type': type })
      expect([status, text]).toEqual([
        415,
        expect.stringContaining(`body must be application/json in UTF-8; got ${type}`),
      ])
    },
  )

  it('may begin with a byte-order mark', async () => {
    expect((await send(`\ufeff${good}`)).status).toBe(200)
  })

  it('is refused by name if it is compressed', async () => {
    const { status, text } = await send(gzipSync(good), { 'content-encoding': 'gzip' })
    expect([status, text]).toEqual([
      415,
      expect.stringContaining('body must not be compressed; got Content-Encoding: gzip'),
    ])
    expect((await send(good, { 'content-encoding': 'identity' })).status).toBe(200)
  })

  it('is refused if one of its objects has a key twice', async () => {
    const twice = good.replace('[]', '[{}]').replace('{', '{"a": 1, "\\u0061": 2, ').replace(', }', '}')
    const { status, text } = await send(twice)
    expect([status, text]).toEqual([400, expect.stringContaining('must be given once; received more than once')])
  })

  it('is refused if it is not JSON', async () => {
    const { status, text } = await send(`${good.slice(0, -1)}!`)
    expect([status, text]).toEqual([400, expect.stringContaining('body must be JSON in UTF-8; it cannot be read')])
    expect((await send('')).text).toContain('body is required')
  })
})
