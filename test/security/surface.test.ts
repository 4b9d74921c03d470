import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { addAssets, newStore, storeBody } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'
import type { Reply } from '../support/http.ts'
import { newToken } from '../support/tokens.ts'

const lines: string[] = []
let gateway: TestGateway
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) })
  gateway = await startTestGateway({ log, more: { corsOrigins: ['https://shop.example'] } })
})
afterAll(() => gateway.stop())

const paths = [
  ...['/', '/v1/assets', '/v1/nothing', '/graphql', '/health', '/ready', '/metrics', '/docs', '/v1/openapi.json'],
]
const html = { accept: 'text/html' }

describe('every answer', () => {
  it('forbids framing, type guessing and scripts', async () => {
    for (const path of paths) {
      for (const headers of [{}, html]) {
        const reply = await gateway.call(path, { headers })
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
    const closed = await startTestGateway()
    for (const origin of ['https://shop.example', 'null', 'https://evil.example']) {
      for (const path of ['/v1/assets', '/graphql']) {
        expect(allowed(await closed.call(path, from(origin)))).toBeUndefined()
        expect(allowed(await closed.call(path, { method: 'OPTIONS', ...from(origin) }))).toBeUndefined()
      }
    }
    await closed.stop()
    expect(readConfig({}).corsOrigins).toEqual([])
    expect(() => readConfig({ CORS_ORIGINS: '*' })).toThrow(/CORS_ORIGINS/)
  })

  it('may call when they are, by name, and never with cookies', async () => {
    const reply = await gateway.call('/v1/assets', from('https://shop.example'))
    expect([allowed(reply), reply.headers.vary]).toEqual(['https://shop.example', 'Origin'])
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
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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

describe('secrets', () => {
  it('are in no log, error, metric or answer, however they come', async () => {
    const canary = 'CANARY-7f3a9c'
    const { secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
    const calls: Parameters<TestGateway['call']>[] = [
      ['/v1/assets', { token: canary }],
      ['/v1/assets', { token: `cat_${canary.padEnd(43, 'x')}` }],
      ['/v1/assets', { token: `${canary}.${canary}.${canary}` }],
      [`/v1/assets?access_token=${canary}&store_uuid=x`, {}],
      [`/${canary}`, { token: null, headers: { cookie: canary } }],
      ['/v1/stores', { method: 'POST', body: storeBody({ store_name: 1, password: canary }) }],
      ['/v1/products', { method: 'PUT', body: `[{"product_code": "${canary}`, token: secret }],
      ['/graphql', { method: 'POST', body: { query: '{ stores(first: "x") }', variables: { password: canary } } }],
      ['/graphql', { method: 'POST', body: `{"query": "${canary}` }],
      ['/graphql', { method: 'POST', body: { query: '{ enumerations { regions } }' }, token: secret }],
    ]
    const answers: Reply[] = []
    for (const call of calls) answers.push(await gateway.call(...call))
    const metrics = await gateway.call('/metrics')
    expect(metrics.status).toBe(200)
    expect(lines.length).toBeGreaterThan(0)
    const logged = lines.join('\n')
    for (const text of [secret, token, `Bearer ${canary}`]) {
      expect(logged).not.toContain(text)
      expect(metrics.text).not.toContain(text)
      for (const answer of answers) expect(answer.text + JSON.stringify(answer.headers)).not.toContain(text)
    }
    expect(logged).not.toContain(canary)
    expect(metrics.text).not.toContain(canary)
    // Only the path that was asked for comes back to who asked.
    expect(answers.filter(({ text }) => text.includes(canary)).length).toBeLessThanOrEqual(1)
  })

  it('of the database are in no complaint about it', () => {
    const url = 'postgresql://user:CANARY-pw@host/db'
    try {
      readConfig({ DATABASE_URL: url.replace('postgresql', 'mysql'), BOOTSTRAP_TOKEN: 'CANARY-short', PORT: 'x' })
      expect.unreachable()
    } catch (error) {
      expect(String(error)).not.toContain('CANARY')
    }
  })
})

describe('the embedded database', () => {
  it('is out of reach of other users of the machine', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'catalogue-surface-'))
    const server = await startEmbedded({ dataDir })
    try {
      const { host } = server.connection
      expect(host?.startsWith('/')).toBe(true)
      expect((await stat(String(host))).mode & 0o077, 'the directory of its socket').toBe(0)
      expect((await stat(join(dataDir, 'postgres'))).mode & 0o077, 'its data').toBe(0)
    } finally {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
