import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createRemoteFilter } from '../../src/filter/remote-filter.ts'
import { newStore, storeBody, storeWithAssets, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, useGateway } from '../support/gateway.ts'
import { newToken } from '../support/tokens.ts'

/** OWASP API Security Top 10 (2023) by name: one look at each; the whole of 1, 3 and 5 is in matrix.test.ts, of 4 in graphql-limits.test.ts. */
const gateway = useGateway({ more: { rateLimit: 20 } })

describe('OWASP API Security Top 10', () => {
  it('API1 Broken Object Level Authorization: the id of a foreign store opens nothing', async () => {
    const [own, foreign] = [await newStore(gateway), await storeWithProducts(gateway, ['A'])]
    const { secret: token } = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [own] })
    const put = { method: 'PUT', body: [{ product_code: 'A', Color: 'stolen' }], token }
    expect((await gateway.call(`/v1/products?store_uuid=${foreign}`, put)).status).toBe(404)
    expect((await gateway.call(`/v1/products?store_uuid=${foreign}`, { token })).status).toBe(404)
    expect((await gateway.call(`/v1/products?store_uuid=${foreign}`)).text).not.toContain('stolen')
  })

  it('API2 Broken Authentication: no token in the address, a cookie or another scheme is one', async () => {
    const { secret } = await newToken(gateway, { scopes: ['READ'] })
    const ways: [path: string, headers: Record<string, string>][] = [
      [`/v1/assets?access_token=${secret}&token=${secret}`, {}],
      ['/v1/assets', { cookie: `access_token=${secret}` }],
      ['/v1/assets', { 'x-api-key': secret }],
      ['/v1/assets', { authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` }],
      ['/v1/assets', { authorization: `Token ${secret}` }],
    ]
    for (const [path, headers] of ways) expect((await gateway.call(path, { token: null, headers })).status).toBe(401)
    expect((await gateway.call('/v1/assets', { token: secret })).status).toBe(400)
  })

  it('API3 Broken Object Property Level Authorization: no client assigns what is not theirs to assign', async () => {
    const store = '00000000-0000-7000-8000-000000000001'
    const more = { store_uuid: store, store_group: store, created_at: '2000-01-01', scopes: ['admin'] }
    const { json } = await gateway.call('/v1/stores', { method: 'POST', body: storeBody(more) })
    const made = (json as { data: { store_uuid: string; store_group: string } }).data
    expect([made.store_uuid, made.store_group]).not.toContain(store)
  })

  it('API4 Unrestricted Resource Consumption: bodies, lists, documents and requests have an end', async () => {
    const { secret: token } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
    const items = Array.from({ length: 10_001 }, () => ({}))
    expect((await gateway.call('/v1/assets', { method: 'DELETE', body: items, token })).status).toBe(413)
    expect((await gateway.call('/v1/assets', { method: 'DELETE', body: ' '.repeat(10_485_761), token })).status).toBe(
      413,
    )
    const query = `{ ${Array.from({ length: 500 }, (_, i) => `a${i}: stores { totalCount }`).join(' ')} }`
    expect((await gateway.call('/graphql', { method: 'POST', body: { query }, token })).status).toBe(400)
    const statuses = []
    for (let i = 0; i < 20; i++) statuses.push((await gateway.call('/v1/assets', { token })).status)
    expect(statuses.at(-1)).toBe(429)
  })

  it('API5 Broken Function Level Authorization: what administers is for administrators, by any method', async () => {
    const { secret: token } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
    for (const query of ['{ tokens { name } }', 'mutation { revokeToken(tokenId: "x") { name } }']) {
      expect((await gateway.call('/graphql', { method: 'POST', body: { query }, token })).status).toBe(403)
    }
    expect((await gateway.call('/metrics', { token })).status).toBe(403)
    const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'PUT' }
    expect((await gateway.call('/v1/products', { headers: override, token })).status).toBe(400)
  })

  it('API6 Unrestricted Access to Sensitive Business Flows: a slip empties no store, and a preview changes nothing', async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const reply = await gateway.call('/v1/assets', { method: 'DELETE', body: [{ store_uuid: store }] })
    expect(reply.json).toMatchObject({ data: { deleted_count: 0, error_info: [{ reason: 'selector_required' }] } })
  })

  it('API7 Server Side Request Forgery: an address in the data is data', async () => {
    const store = await newStore(gateway, { store_website: 'http://169.254.169.254/latest/meta-data/' })
    const { stores } = (await gateway.data('{ stores { edges { node { storeUuid storeWebsite } } } }')) as never as {
      stores: { edges: { node: object }[] }
    }
    expect(stores.edges.map(({ node }) => node)).toContainEqual({
      storeUuid: store,
      storeWebsite: 'http://169.254.169.254/latest/meta-data/',
    })
    const fetching = ['src/catalogue', 'schema', 'rest'].filter((folder) =>
      /\bfetch\(|node:https?/.test(sources(folder)),
    )
    expect(fetching).toEqual([])
  })

  it('API8 Security Misconfiguration: errors are masked, headers set, methods few', async () => {
    for (const [path, method] of [
      ['/v1/assets', 'TRACE'],
      ['/v1/assets', 'PATCH'],
      ['/graphql', 'PUT'],
      ['/health', 'DELETE'],
    ] as const) {
      const { status, headers } = await gateway.call(path, { method })
      expect([status, headers.allow !== undefined, headers['x-content-type-options']], path).toEqual([
        405,
        true,
        'nosniff',
      ])
    }
    const { text } = await gateway.call('/v1/assets?store_uuid=%00&limit=1e999')
    expect(text).not.toMatch(/node_modules|postgres|select |\bat \w+ \(/i)
  })

  it('API9 Improper Inventory Management: what is served is documented, and nothing else', async () => {
    const { json } = await gateway.call('/v1/openapi.json', { token: null })
    const paths = Object.keys((json as { paths: object }).paths)
    expect(paths.length).toBeGreaterThanOrEqual(4)
    for (const path of paths) expect((await gateway.call(`/v1${path}`, { method: 'OPTIONS' })).status).toBe(204)
    for (const path of [
      ...['/v2/assets', '/admin', '/debug', '/.env', '/.git/config', '/v1/tokens', '/graphql/playground', '/altair'],
    ]) {
      expect((await gateway.call(path)).status, path).toBe(404)
    }
  })

  it('API10 Unsafe Consumption of APIs: a filter that lies shows nothing that is not there', async () => {
    const lie = JSON.stringify({ total_groups: 2, parent_codes: ['FOREIGN-1', '__proto__'] })
    const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(lie))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const remoteFilter = createRemoteFilter({ url, timeoutMs: 2_000, log: pino({ level: 'silent' }) })
    const misled = await startTestGateway({ remoteFilter })
    await storeWithAssets(misled, [['a', 'FOREIGN-1']])
    const own = await newStore(misled)
    const { secret: token } = await newToken(misled, { scopes: ['READ'], stores: [own] })
    const { json } = await misled.call(`/v1/assets?store_uuid=${own}`, { token })
    expect(json).toMatchObject({ data: { returned_groups: 0, assets: {} } })
    await misled.stop()
    await remoteFilter.close()
    await new Promise((resolve) => server.close(resolve))
  })
})

function sources(folder: string): string {
  const root = new URL(`../../${folder}/`, import.meta.url)
  return readdirSync(root)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, root), 'utf8'))
    .join('\n')
}
