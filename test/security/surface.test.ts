import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import type { Reply } from '../support/clients/http.ts'
import { addAssets, newStore } from '../support/factories.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { listen } from '../support/servers/loopback.ts'

const gateway = useGateway({ more: { corsOrigins: ['https://shop.example'] } })

const paths = [
  ...['/', '/v1/assets', '/v1/nothing', '/graphql', '/health', '/ready', '/metrics', '/docs', '/v1/openapi.json'],
]
const html = { accept: 'text/html' }

describe('every answer', () => {
  it('forbids framing, type guessing and scripts', async () => {
    for (const path of paths) {
      for (const call of [{}, { headers: html }, { headers: html, token: null }]) {
        const reply = await gateway.call(path, call)
        expect(reply.headers['x-content-type-options'], path).toBe('nosniff')
        expect(reply.headers['content-security-policy'], path).toMatch(/^default-src 'none'/)
        expect(reply.headers['content-security-policy'], path).toMatch(/frame-ancestors 'none'/)
        expect(reply.headers['referrer-policy'], path).toBe('no-referrer')
      }
    }
  })

  it('is not kept by anybody in between', async () => {
    for (const path of ['/v1/assets', '/v1/nothing', '/graphql']) {
      expect((await gateway.call(path)).headers['cache-control'], path).toMatch(/no-store|private/)
    }
  })

  it('reveals nothing about the server', async () => {
    for (const path of paths) {
      const { headers } = await gateway.call(path, { token: null })
      expect(
        Object.keys(headers).filter((name) => /^(server|x-powered-by|via)$/.test(name)),
        path,
      ).toEqual([])
    }
  })
})

describe('pages of other origins', () => {
  const from = (origin: string, more: object = {}) => ({ headers: { origin, ...more } })
  const allowed = ({ headers }: Reply) => headers['access-control-allow-origin']

  it('get nothing unless they are configured', async () => {
    await using closed = await startTestGateway()
    for (const origin of ['https://shop.example', 'null', 'https://evil.example']) {
      for (const path of ['/v1/assets', '/graphql']) {
        expect(allowed(await closed.call(path, from(origin)))).toBeUndefined()
        expect(allowed(await closed.call(path, { method: 'OPTIONS', ...from(origin) }))).toBeUndefined()
      }
    }
    expect(readConfig({}).corsOrigins).toEqual([])
    expect(() => readConfig({ CORS_ORIGINS: '*' })).toThrow(/CORS_ORIGINS/)
  })

  it('may call when they are, by name, and never with cookies', async () => {
    const reply = await gateway.call('/v1/assets', from('https://shop.example'))
    expect([allowed(reply), reply.headers.vary]).toEqual(['https://shop.example', 'Origin'])
    expect(reply.headers['access-control-expose-headers']).toMatch(
      /\bETag, Link, Location, Preference-Applied, Warning$/,
    )
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
    for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null'])
      expect(allowed(await gateway.call('/v1/assets', from(origin))), origin).toBeUndefined()
  })

  it('ask before without a token', async () => {
    const ask = from('https://shop.example', { 'access-control-request-method': 'PUT' })
    const reply = await gateway.call('/v1/products', { method: 'OPTIONS', token: null, ...ask })
    expect([reply.status, reply.headers['access-control-allow-methods']]).toEqual([204, expect.stringContaining('PUT')])
    const stranger = from('https://evil.example', { 'access-control-request-method': 'PUT' })
    expect((await gateway.call('/v1/products', { method: 'OPTIONS', token: null, ...stranger })).status).toBe(401)
  })
})

describe('what is stored', () => {
  it('is never fetched: web sites and assets', async () => {
    let fetched = 0
    const server = createServer((_request, response) => response.end(String(++fetched)))
    const url = `http://127.0.0.1:${await listen(server)}`
    const store = await newStore(gateway, { store_website: `${url}/site` })
    await addAssets(gateway, store, [['a', 'A', { url: `${url}/a.jpg` }]])
    const body = [{ product_code: 'B', 'Image URL 1': `${url}/b.jpg`, Manual: `${url}/manual.pdf` }]
    expect((await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'POST', body })).status).toBe(200)
    await gateway.call(`/v1/assets?store_uuid=${store}`)
    await gateway.data(`{ store(storeUuid: "${store}") { storeWebsite products { edges { node { attributes } } } } }`)
    expect(fetched).toBe(0)
    await new Promise((resolve) => server.close(resolve))
  })
})
