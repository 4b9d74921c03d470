import { sql } from 'kysely'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { openWire, type Wire } from '../support/clients/wire.ts'
import { storeWithProducts } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const kibibyte = 1024

const gateway = useGateway({ more: { maxHeldBytes: 1_000 * kibibyte } })
let store: string
let other: string
const wires: Wire[] = []
beforeAll(async () => {
  store = await storeWithProducts(gateway, ['A'])
  other = (await newToken(gateway, { scopes: ['READ', 'WRITE'] })).secret
})
afterEach(() => {
  for (const wire of wires.splice(0)) wire.close()
})

/** Sends the beginning of a body that announces so much; without `content-length`, in a chunk, all of it. */
async function begin(kibibytes: number, as = token, { path = '/v1/products', chunked = false } = {}): Promise<Wire> {
  const wire = await openWire(gateway.url)
  wires.push(wire)
  const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${kibibytes * kibibyte}`
  const method = path === '/graphql' ? 'POST' : 'PUT'
  wire.send(`${method} ${path}?store_uuid=${store} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${as}\r\n`)
  wire.send(`Content-Type: application/json\r\n${framing}\r\n\r\n`)
  if (chunked) wire.send(`${(kibibytes * kibibyte).toString(16)}\r\n`)
  wire.send(' '.repeat(chunked ? kibibytes * kibibyte : 1))
  return wire
}

const put = (as: string, body: string) =>
  gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', token: as, body })
const light = '[{"product_code": "A", "Color": "Blue"}]'
const large = `${' '.repeat(400 * kibibyte)}${light}`

const untilHeld = (kibibytes: number) =>
  expect
    .poll(async () => /^catalogue_request_bytes{state="held"} (\d+)/m.exec((await gateway.call('/metrics')).text)?.[1])
    .toBe(String(kibibytes * kibibyte))

it('a tenant has half of the memory for bodies; what is light, and what others send, goes on', async () => {
  const waiting = await begin(364)
  await untilHeld(300)
  const { status, headers, json } = await put(token, large)
  expect({ status, retry: headers['retry-after'], json }).toMatchObject({
    ...{ status: 503, retry: '1' },
    json: { status: { code: -1 }, data: { error_info: [{ reason: 'unavailable' }] } },
  })
  expect((await put(token, light)).status).toBe(200)
  expect((await put(other, large)).status).toBe(200)
  waiting.close()
  await untilHeld(0)
  expect((await put(token, large)).status).toBe(200)
})

it('the tokens of one store have that half together', async () => {
  const stores = [store]
  const made = [1, 2].map(() => newToken(gateway, { scopes: ['READ', 'WRITE'], stores }))
  const [one = '', two = ''] = (await Promise.all(made)).map(({ secret }) => secret)
  const waiting = await begin(364, one)
  await untilHeld(300)
  expect((await put(two, large)).status).toBe(503)
  expect((await put(two, light)).status).toBe(200)
  expect((await put(other, large)).status).toBe(200)
  waiting.close()
  await untilHeld(0)
  expect((await put(two, large)).status).toBe(200)
})

it('all tenants together have all of it, and a body that is refused is not read to its end', async () => {
  const { secret: third } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
  await begin(464)
  await begin(464, other)
  await untilHeld(800)
  for (const how of [{}, { chunked: true }, { path: '/graphql' }]) {
    const refused = await begin(364, third, how)
    expect(await refused.answer()).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } })
  }
  expect((await put(third, light)).status).toBe(200)
})

it('what a tenant has read for its open requests counts: beyond its half no more is read', async () => {
  const { db, lockWaiters } = gateway.database
  const long = JSON.stringify({ Text: 'x'.repeat(400 * kibibyte) })
  await sql`update product set attributes = ${long} where store_uuid = ${store}`.execute(db)
  const query = `{ store(storeUuid: "${store}") {
    products { nodes { attributes store { attributeDefinitions { name } } } } } }`
  await using admin = await gateway.database.client()
  await admin.query('begin; lock table attribute_definition')
  const waiting = gateway.post(query)
  await expect.poll(lockWaiters).toBe(1)
  const refused = await gateway.post(query)
  expect(refused.json.errors?.[0]).toMatchObject({
    message: 'the open requests hold too much memory; retry later',
    extensions: { code: 'unavailable' },
  })
  await admin.query('commit')
  expect((await waiting).json.errors).toBeUndefined()
  expect((await gateway.post(query)).json.errors).toBeUndefined()
})
