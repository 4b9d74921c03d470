import { connect, type Socket } from 'node:net'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { addProducts, storeWithProducts } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

/** One token may leave 10 MiB unread; what the system's buffers of a connection take is not counted. */
const gateway = useGateway({ more: { maxHeldBytes: 20 * 1024 * 1024 } })
const large = Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`n${i}`, 'x'.repeat(65_000)]))
let store: string
let page: string
let other: string
const sockets: Socket[] = []
beforeAll(async () => {
  store = await storeWithProducts(gateway, [])
  for (const productCode of 'ABCDE') await addProducts(gateway, store, [{ productCode, attributes: large }])
  page = `/v1/products?store_uuid=${store}`
  other = (await newToken(gateway, { scopes: ['READ', 'ADMIN'] })).secret
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await untilUnread((bytes) => bytes === 0)
})

/** Requests what has a large answer, and reads nothing of it. */
function requestAndWait(path: string, body = '', unsent = 0): void {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  sockets.push(socket)
  socket.write(`${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\n`)
  socket.write(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body) + unsent}\r\n\r\n${body}`)
}

async function untilUnread(isEnough: (bytes: number) => boolean): Promise<void> {
  const unread = async () => {
    const { text } = await gateway.call('/metrics', { token: other })
    return Number(/^catalogue_request_bytes{state="held"} (\d+)/m.exec(text)?.[1])
  }
  await expect.poll(unread, { timeout: 120_000, interval: 50 }).toSatisfy(isEnough)
}

const read = (path: string, as = token) => gateway.call(path, { token: as })
const refused = { status: 503, reason: 'unavailable' }

it('one token has half of the memory for answers; small ones, and what others read, goes on', async () => {
  requestAndWait(page)
  await untilUnread((bytes) => bytes > 7_000_000)
  const second = await read(page)
  expect({ status: second.status, reason: outcomeOf(second).reason }).toEqual(refused)
  expect(second.headers['retry-after']).toBe('1')
  expect((await read('/v1/stores')).status).toBe(200)
  expect((await read(page, other)).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await untilUnread((bytes) => bytes === 0)
  expect((await read(page)).status).toBe(200)
})

it('a write is answered in any case; a token that has left too much unread is refused before its next one', async () => {
  const query = `mutation ($store: ID!) {
    updateStore(storeUuid: $store, input: {}) { products(first: 5) { nodes { attributes } } }
  }`
  const body = JSON.stringify({ query, variables: { store } })
  requestAndWait('/graphql', body)
  await untilUnread((bytes) => bytes > 7_000_000)
  requestAndWait('/graphql', body)
  await untilUnread((bytes) => bytes > 14_000_000)
  const third = await gateway.call('/graphql', { method: 'POST', body })
  expect([third.status, third.text]).toEqual([503, expect.stringContaining('too much memory; read their answers')])
  expect((await read('/v1/stores')).status).toBe(503)
  expect((await read('/v1/stores', other)).status).toBe(200)
})

it('connections whose answers are not read are cut, even if a request is still incomplete', async () => {
  requestAndWait(`${page}&limit=2`)
  requestAndWait(`${page}&limit=4`, '', 1)
  await untilUnread((bytes) => bytes > 5_000_000)
  await untilUnread((bytes) => bytes === 0)
})
