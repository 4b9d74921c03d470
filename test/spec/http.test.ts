import { expect } from 'vitest'
import type { Item } from '../support/clients/client.ts'
import type { Call } from '../support/clients/http.ts'
import { attempt } from '../support/clients/operations.ts'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { answerTo } from '../support/clients/wire.ts'
import { newStore, storeBody, storeWithAssets, storeWithProducts, unknownStore } from '../support/factories.ts'
import { type TestGateway, token } from '../support/servers/gateway.ts'
import { startGatewayBehindProxy } from '../support/servers/gateway-behind-proxy.ts'
import { requirements, rest } from './requirement.ts'

const mebibyte = 1024 * 1024
const maxBytes = 10 * mebibyte
const maxItems = 10_000

requirements('HTTP', (gateway) => ({
  'HTTP-01 MUST answer 404 not_found for a path that does not exist, under /v1 and elsewhere': rest(async () => {
    const paths = [
      ...['/v1/nothing', '/v1/assets/unlink/x', '/v1/stores/1', '/v2/assets', '/', '/assets', '/v1x'],
      ...['/favicon.ico', '/admin', '/debug', '/.env', '/.git/config', '/v1/tokens', '/graphql/playground', '/altair'],
    ]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const reply = await gateway.call(path, { method })
        expect(outcomeOf(reply), `${method} ${path}`).toMatchObject({ reason: 'not_found' })
      }
    }
  }),
  'HTTP-02 MUST answer 405 with Allow for a method that a path does not serve': {
    rest: async () => {
      const wrong: [method: string, path: string, allow: string][] = [
        ...['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'TRACE'].map((method): [string, string, string] => [
          method,
          '/v1/assets/unlink',
          'POST, OPTIONS',
        ]),
        ['PUT', '/v1/stores', 'POST, GET, HEAD, OPTIONS'],
        ['DELETE', '/v1/stores', 'POST, GET, HEAD, OPTIONS'],
      ]
      for (const [method, path, allow] of wrong) {
        const reply = await gateway.call(path, { method })
        expect([reply.status, reply.headers.allow], `${method} ${path}`).toEqual([405, allow])
        if (method !== 'HEAD') expect(outcomeOf(reply)).toMatchObject({ reason: 'method_not_allowed' })
      }
      for (const [path, served] of [
        ['/v1/assets', ['GET', 'HEAD', 'DELETE']],
        ['/v1/products', ['PUT']],
        ['/health', ['GET']],
      ] as const) {
        const reply = await gateway.call(path, { method: 'TRACE' })
        expect(reply.status).toBe(405)
        expect(String(reply.headers.allow).split(', ')).toEqual(expect.arrayContaining([...served, 'OPTIONS']))
      }
    },
    graphql: async () => {
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        const reply = await gateway.call('/graphql', { method })
        expect(reply.status).toBe(405)
        expect(reply.headers.allow).toBe('GET, HEAD, POST, OPTIONS')
        expect(reply.json).toMatchObject({ errors: [{ extensions: { code: 'method_not_allowed' } }] })
      }
    },
  },
  'HTTP-03 MUST answer OPTIONS with 204, Allow and no body': rest(async () => {
    const allows = { '/v1/assets/unlink': /^POST, OPTIONS$/, '/v1/assets': /GET, HEAD.*OPTIONS/, '/v1/products': /PUT/ }
    for (const [path, allow] of Object.entries(allows)) {
      const reply = await gateway.call(path, { method: 'OPTIONS' })
      expect([reply.status, reply.text]).toEqual([204, ''])
      expect(reply.headers.allow).toMatch(allow)
      expect(reply.headers['content-type']).toBeUndefined()
    }
  }),
  'HTTP-04 MUST answer HEAD as GET without a body: the same status and headers': rest(async () => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    const paths = [`/v1/assets?store_uuid=${store}`, '/v1/assets', `/v1/assets?store_uuid=${unknownStore()}`]
    for (const path of [...paths, '/graphql?query=%7B__typename%7D', '/graphql', 'text/html of /graphql']) {
      const accept = path.startsWith('text/html') ? { accept: 'text/html' } : {}
      const call = { headers: { 'x-request-id': 'the same', ...accept } }
      const [get, head] = [
        await gateway.call(path.replace(/.* of /, ''), call),
        await gateway.call(path.replace(/.* of /, ''), { ...call, method: 'HEAD' }),
      ]
      expect(head.text).toBe('')
      expect(head.status).toBe(get.status)
      expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' })
    }
  }),
  'HTTP-05 MUST answer 415 to a body that is not application/json': {
    rest: async () => {
      const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json']
      for (const type of [
        ...types,
        'application/jsonp',
        'application/xml',
        'json',
        'application/json; charset=utf-16',
      ]) {
        for (const [path, call] of bodies()) {
          const reply = await gateway.call(path, { ...call, headers: { 'content-type': type } })
          expect(outcomeOf(reply), type).toMatchObject({ reason: 'unsupported_media_type', entries: [{}] })
          expect(reply.status).toBe(415)
        }
      }
    },
    graphql: async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
        const call = { method: 'POST', body: { query: '{__typename}' }, headers: { 'content-type': type } }
        const reply = await gateway.call('/graphql', call)
        expect(reply.status, type).toBe(415)
        expect(reply.json).toMatchObject({ errors: [{ extensions: { code: 'unsupported_media_type' } }] })
      }
    },
  },
  'HTTP-06 MUST take application/json in any case, with a charset of UTF-8': rest(async () => {
    const types = [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ]
    for (const type of types) {
      const call = { method: 'DELETE', body: '[]', headers: { 'content-type': type } }
      expect((await gateway.call('/v1/assets', call)).status, type).toBe(200)
    }
  }),
  'HTTP-07 MUST answer 415 to a body without Content-Type': rest(async () => {
    const answer = await raw(gateway, 'DELETE /v1/assets', 'Content-Length: 2\r\n', '[]')
    expect(answer).toMatchObject({ status: 415, text: expect.stringContaining('unsupported_media_type') })
  }),
  'HTTP-08 MUST answer 400 invalid_request to JSON that cannot be read': {
    rest: async () => {
      const unreadable = [
        ...['{', '[', '[1,]', "['a']", '[] []', '{"a":1,}', 'nope', '\ufffe[]', '"\t"', '01', '[1e]', '//', ' '],
      ]
      for (const body of [
        ...unreadable,
        Buffer.from([0x22, 0xff, 0x22]),
        Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      ]) {
        for (const [path, call] of bodies()) {
          const outcome = outcomeOf(await gateway.call(path, { ...call, body }))
          expect(outcome, String(body)).toMatchObject({ reason: 'invalid_request' })
          expect(outcome.entries).toContainEqual(expect.objectContaining({ field: 'body' }))
        }
      }
    },
    graphql: async () => {
      for (const body of ['{', 'nope', '[]', '""', 'null', '{"query":1}', '{"query":"{__typename}","variables":1}']) {
        const reply = await gateway.call('/graphql', { method: 'POST', body })
        expect([reply.status, reply.json], body).toMatchObject([
          400,
          { errors: [{ extensions: { code: 'invalid_request' } }] },
        ])
      }
    },
  },
  'HTTP-09 MUST answer 400 to a missing body': rest(async () => {
    for (const [path, { method = '' }] of bodies()) {
      const outcome = outcomeOf(await gateway.call(path, { method }))
      expect(outcome, path).toMatchObject({ reason: 'invalid_request' })
      expect(outcome.entries).toContainEqual(expect.objectContaining({ field: 'body' }))
    }
  }),
  'HTTP-10 MUST take a body of 10 MiB and answer 413 payload_too_large to one byte more': {
    rest: async () => {
      const padded = (bytes: number) => `[${' '.repeat(bytes - 2)}]`
      const most = await gateway.call('/v1/assets', { method: 'DELETE', body: padded(maxBytes) })
      expect(outcomeOf(most)).toMatchObject({ data: { deleted_count: 0 } })
      const more = await gateway.call('/v1/assets', { method: 'DELETE', body: padded(maxBytes + 1) })
      expect(outcomeOf(more)).toMatchObject({ reason: 'payload_too_large', entries: [{}] })
    },
    graphql: async () => {
      const padded = (bytes: number) => `{"query":"{__typename}"${' '.repeat(bytes - 24)}}`
      const most = await gateway.call('/graphql', { method: 'POST', body: padded(maxBytes) })
      expect(most.json).toMatchObject({ data: { __typename: 'Query' } })
      const more = await gateway.call('/graphql', { method: 'POST', body: padded(maxBytes + 1) })
      expect([more.status, more.json]).toMatchObject([413, { errors: [{ extensions: { code: 'payload_too_large' } }] }])
    },
  },
  'HTTP-11 MUST answer 413 to a body without Content-Length too, as soon as it is too large': rest(async () => {
    const chunk = `100000\r\n${' '.repeat(mebibyte)}\r\n`
    const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    const whole = await raw(gateway, 'DELETE /v1/assets', head, `2\r\n[]\r\n0\r\n\r\n`)
    expect(whole?.status).toBe(200)
    const answer = await raw(gateway, 'DELETE /v1/assets', head, chunk.repeat(11))
    expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('payload_too_large') })
  }),
  'HTTP-12 MUST take 10,000 items and answer 413 payload_too_large to one more': {
    rest: async () => {
      const store = await newStore(gateway)
      const link = { store_uuid: store, parent_code: 'P', channel: 'SMP', asset_id: 'a' }
      const items: [path: string, method: string, item: object][] = [
        [`/v1/products?store_uuid=${store}`, 'PUT', { product_code: 'A' }],
        ['/v1/assets', 'DELETE', { store_uuid: store, asset_id: 'a' }],
        ['/v1/assets/unlink', 'POST', link],
      ]
      for (const [path, method, item] of items) {
        const most = Array.from({ length: maxItems }, () => item)
        expect((await gateway.call(path, { method, body: most })).status, path).toBe(200)
        const outcome = outcomeOf(await gateway.call(path, { method, body: [...most, item] }))
        expect(outcome, path).toMatchObject({ reason: 'payload_too_large', entries: [{}] })
      }
    },
    graphql: async () => {
      const storeUuid = await newStore(gateway)
      const operations: [field: string, list: string, item: Item, args?: Item][] = [
        ['deleteAssets', 'selectors', { storeUuid, assetId: 'a' }],
        ['unlinkAssets', 'links', { storeUuid, parentCode: 'P', channel: 'SMP' }],
        ['updateProducts', 'products', { productCode: 'A' }, { storeUuid }],
        ['upsertProducts', 'products', { productCode: 'A' }, { storeUuid }],
        ['addAssets', 'assets', { parentCode: 'P', url: 'x' }, { storeUuid }],
      ]
      for (const [field, list, item, args] of operations) {
        const run = (length: number) =>
          attempt(gateway, field, { ...args, [list]: Array.from({ length }, () => item) }, '{ __typename }')
        expect(await run(maxItems), field).not.toHaveProperty('reason')
        expect(await run(maxItems + 1), field).toMatchObject({ reason: 'payload_too_large' })
      }
    },
  },
  'HTTP-13 MUST update 10,000 products with attributes within a few seconds': rest(async () => {
    const codes = Array.from({ length: maxItems }, (_, i) => `sku ${i}`)
    const store = await storeWithProducts(gateway, codes)
    const body = codes.map((code) => ({ product_code: code, status: 'active', Color: 'red', Size: code }))
    const started = performance.now()
    const reply = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
    expect((outcomeOf(reply).data as { updated_skus: string[] }).updated_skus).toEqual(codes)
    expect(performance.now() - started).toBeLessThan(20_000)
  }),
  'HTTP-14 MUST refuse a repeated query parameter, even with the same or an empty value, or a name spelt otherwise':
    rest(async () => {
      const store = await newStore(gateway)
      const repeated = ['limit=1&limit=1', 'limit=1&limit=2', 'limit=&limit=1', 'limit&limit', 'limit=1&%6Cimit=1']
      for (const search of [...repeated, 'offset=0&limit=1&limit=1']) {
        const outcome = outcomeOf(await gateway.call(`/v1/assets?store_uuid=${store}&${search}`))
        expect(outcome, search).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'limit' }] })
      }
      const twice = outcomeOf(await gateway.call(`/v1/assets?store_uuid=${store}&store_uuid=${store}`))
      expect(twice).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_uuid' }] })
      const put = { method: 'PUT', body: [] }
      expect((await gateway.call(`/v1/products?store_uuid=${store}&store_uuid=x`, put)).status).toBe(400)
      const post = { method: 'POST', body: storeBody() }
      expect((await gateway.call('/v1/stores?copy_taxonomy=false&copy_taxonomy=false', post)).status).toBe(400)
    }),
  'HTTP-15 MUST ignore unknown query parameters, however they are written': rest(async () => {
    const store = await newStore(gateway)
    const ignored = [
      ...['x=1', 'x=1&x=2', 'Limit=0', 'limit[]=0', '__proto__=1', '%=%', 'x=%ff', '=', '&&&', 'é', 'toString=1'],
    ]
    for (const search of ignored) {
      const reply = await gateway.call(`/v1/assets?${encodeURI(search).replaceAll('%25', '%')}&store_uuid=${store}`)
      expect(reply.status, search).toBe(200)
    }
  }),
  'HTTP-16 MUST refuse a parameter that is not percent-encoded UTF-8': rest(async () => {
    const store = await newStore(gateway)
    for (const value of ['%', '%4', '%zz', '%ff', '%C3', '%ED%A0%80', '%C0%80', 'SMP%']) {
      const outcome = outcomeOf(await gateway.call(`/v1/assets?store_uuid=${store}&channel=${value}`))
      expect(outcome, value).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'channel' }] })
    }
  }),
  'HTTP-17 MUST decode percent-encoding and the plus sign in names and values': rest(async () => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    const written = store.replaceAll('-', '%2D')
    const reply = await gateway.call(`/v1/assets?st%6Fre%5Fuuid=${written}&asset_format=%33D&channel=S%4dP`)
    expect(outcomeOf(reply)).toMatchObject({ data: { total_groups: 0 } })
    const spaces = outcomeOf(await gateway.call(`/v1/assets?store_uuid=${store}&limit=+1`))
    expect(spaces).toMatchObject({ reason: 'invalid_request', entries: [{ details: expect.stringContaining('" 1"') }] })
  }),
  'HTTP-18 MUST answer 401, 400 and 404 in that order where several apply': {
    rest: async () => {
      const url = `/v1/assets?store_uuid=${unknownStore()}`
      expect((await gateway.call(`${url}&limit=0`, { token: null })).status).toBe(401)
      expect((await gateway.call(`${url}&limit=0`)).status).toBe(400)
      expect((await gateway.call(url)).status).toBe(404)
    },
    graphql: async () => {
      const query = (limit: number) =>
        `{ assetGroups(storeUuid: "${unknownStore()}", limit: ${limit}) { totalGroups } }`
      const anonymous = await gateway.call('/graphql', { method: 'POST', body: { query: query(0) }, token: null })
      expect(anonymous.status).toBe(401)
      expect((await gateway.graphql(query(0))).errors).toMatchObject([{ extensions: { code: 'invalid_request' } }])
      expect((await gateway.graphql(query(1))).errors).toMatchObject([{ extensions: { code: 'store_not_found' } }])
    },
  },
  'HTTP-19 MUST serve a request target in absolute form as in origin form': rest(async () => {
    const store = await newStore(gateway)
    for (const origin of ['http://catalogue.example:80', 'HTTPS://u:p@[::1]:9'])
      for (const path of [`/v1/assets?store_uuid=${store}`, '/graphql?query=%7B__typename%7D'])
        expect((await raw(gateway, `GET ${origin}${path}`, '', ''))?.status, origin).toBe(200)
  }),
  'HTTP-20 MUST say on /health that it is alive, and on /ready whether PostgreSQL can be reached': rest(async () => {
    await using gateway = await startGatewayBehindProxy()
    const statuses = async () =>
      [await gateway.call('/health'), await gateway.call('/ready')].map(({ status }) => status)
    // `/ready` has a deadline of its own, which a busy machine may exceed.
    await expect.poll(statuses).toEqual([200, 200])
    await gateway.cut()
    expect(await statuses()).toEqual([200, 503])
    expect((await gateway.call('/ready')).headers['retry-after']).toMatch(/^\d+$/)
    await gateway.restore()
    await expect.poll(statuses).toEqual([200, 200])
  }),
  'HTTP-21 MUST ignore the body of a GET': rest(async () => {
    const store = await newStore(gateway)
    for (const body of ['{', JSON.stringify({ limit: 0 }), ' '.repeat(1000)]) {
      const reply = await gateway.call(`/v1/assets?store_uuid=${store}`, {
        body,
        headers: { 'content-type': 'text/plain' },
      })
      expect(reply.status).toBe(200)
    }
  }),
  'HTTP-22 MUST take a query string of thousands of characters': rest(async () => {
    const reply = await gateway.call(`/v1/assets?store_uuid=${'x'.repeat(8_000)}`)
    expect(outcomeOf(reply)).toMatchObject({ reason: 'store_not_found' })
  }),
}))

/** A good request for each operation that takes a body. */
function bodies(): [path: string, call: Call][] {
  return [
    [`/v1/products?store_uuid=${unknownStore()}`, { method: 'PUT', body: [] }],
    ['/v1/stores', { method: 'POST', body: storeBody() }],
    ['/v1/assets', { method: 'DELETE', body: [] }],
    ['/v1/assets/unlink', { method: 'POST', body: [] }],
  ]
}

/** Sends a request as these bytes, with Host and the token, and returns the answer. */
async function raw(gateway: TestGateway, target: string, headers: string, body: string) {
  const head = `${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${headers}`
  return answerTo(gateway.url, `${head}\r\n${body}`)
}
