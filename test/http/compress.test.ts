import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { newStore } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway({ more: { corsOrigins: ['https://shop.example'] } })

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status?: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(gateway.url + path, { method, headers: { authorization: `Bearer ${token}`, ...headers } })
    sent.on('error', reject).on('response', (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      )
    })
    sent.end()
  })
}

const large = '/v1/openapi.json'

it('compresses answers over 1 KB for those who ask, and answers others as they are', async () => {
  const plain = await get(large)
  expect(plain.headers).not.toHaveProperty('content-encoding')
  for (const [accepted, encoding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, GZIP;q=0.5', 'gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await get(large, { 'accept-encoding': accepted })
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
    expect(headers['content-length']).toBe(String(body.length))
    expect(decode(body).equals(plain.body)).toBe(true)
  }
  for (const accepted of ['identity', 'br;q=0', 'zstd', ''])
    expect((await get(large, { 'accept-encoding': accepted })).headers).not.toHaveProperty('content-encoding')
  expect((await get('/health', { 'accept-encoding': 'br' })).headers).not.toHaveProperty('content-encoding')
})

it('answers HEAD with the headers of GET, and names both headers that an answer varies by', async () => {
  const asked = { 'accept-encoding': 'br', origin: 'https://shop.example', 'x-request-id': 'same' }
  const [got, head] = [await get(large, asked), await get(large, asked, 'HEAD')]
  expect({ ...head.headers, date: '' }).toEqual({ ...got.headers, date: '' })
  expect(head.body).toHaveLength(0)
  expect(got.headers.vary).toBe('Origin, Accept-Encoding')
})

it('says which answers depend on Accept, also to a client that has them', async () => {
  const store = await newStore(gateway)
  const formats = ['application/json', 'text/csv', 'application/jsonl']
  const cases: [string, string[]][] = [
    ['/v1/reports/status', formats],
    [`/v1/products?store_uuid=${store}`, formats],
    [`/graphql?query=${encodeURIComponent('{ __schema { types { name } } }')}`, ['application/json', 'text/html']],
    ['/', ['text/html']],
  ]
  for (const [path, types] of cases) {
    for (const accept of types) {
      const asked = { accept, origin: 'https://shop.example' }
      const { status, headers } = await get(path, asked)
      expect([path, accept, status, headers.vary]).toEqual([path, accept, 200, 'Origin, Accept'])
      if (headers.etag === undefined) continue
      const again = await get(path, { ...asked, 'if-none-match': String(headers.etag) })
      expect([path, accept, again.status, again.headers.vary]).toEqual([path, accept, 304, 'Origin, Accept'])
    }
  }
  const small = await get('/', { accept: 'text/html', 'accept-encoding': 'br' })
  expect(small.headers.vary).toBe('Accept-Encoding, Accept')
  expect((await get('/health')).headers).not.toHaveProperty('vary')
})

it('lets browsers keep what a page loads for ever, and asks for the page anew', async () => {
  for (const page of ['/docs', '/graphql']) {
    const { headers, body } = await get(page, { accept: 'text/html' })
    expect(headers['cache-control']).toBe('no-cache')
    const again = await get(page, { accept: 'text/html', 'if-none-match': String(headers.etag) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    const parts = [...String(body).matchAll(/"(\/[^"]+\?v=[0-9a-f]{16})"/g)].map(([, path = '']) => path)
    expect(parts.length).toBeGreaterThan(1)
    for (const path of parts) {
      expect((await get(path)).headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect((await get(path.replace(/v=.*/, 'v=other'))).headers['cache-control']).toBe('no-cache')
    }
  }
})

it('lets a client keep the schema that it reads by GET, and says whether it has changed', async () => {
  const path = `/graphql?query=${encodeURIComponent('{ __schema { types { name description } } }')}`
  const first = await get(path, { 'accept-encoding': 'br' })
  expect(first).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'private, no-cache', vary: 'Accept-Encoding, Accept' },
  })
  const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': String(first.headers.etag) })
  expect([again.status, again.body.length]).toEqual([304, 0])
  const changed = await get(path, { 'if-none-match': 'W/"another"' })
  expect(changed.status).toBe(200)
  const catalogue = await get(`/graphql?query=${encodeURIComponent('{ stores { totalCount } }')}`)
  expect(catalogue.headers).toMatchObject({ 'cache-control': 'no-store' })
  expect(catalogue.headers).not.toHaveProperty('etag')
})
