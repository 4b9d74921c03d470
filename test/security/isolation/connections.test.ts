import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { caughtUp } from '../../support/caught-up.ts'
import { storeWithAssets } from '../../support/factories.ts'
import { token, useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

it('a tenant whose requests wait for the database leaves connections to others, however many tokens it has', async () => {
  const [mine, other] = [await storeWithAssets(gateway, [['a', '1']]), await storeWithAssets(gateway, [['b', '1']])]
  const [first, second, third] = await Promise.all(
    [mine, mine, other].map((store) => newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })),
  )
  await using holder = await gateway.database.client()
  await holder.query('begin; lock table asset in access exclusive mode')
  const body = [{ store_uuid: mine, asset_id: ['a'] }]
  const deletions = Array.from({ length: 12 }, (_, i) =>
    gateway.call('/v1/assets', { method: 'DELETE', body, token: (i % 2 ? first : second)?.secret ?? '' }),
  )
  await expect.poll(() => gateway.database.lockWaiters()).toBe(5)
  await expect.poll(() => gateway.database.pool()?.waiting).toBe(7)
  const listing = await gateway.call(`/v1/assets?store_uuid=${other}`, { token: third?.secret ?? '' })
  expect(listing.status).toBe(200)
  await holder.query('commit')
  await Promise.all(deletions)
})

/** Opens a connection, on which requests can be sent without waiting for their answers. */
async function openConnection() {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  await once(socket, 'connect')
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
  return { socket, send: (paths: string[]) => socket.write(paths.map(get).join('')), received: () => received }
}

it('requests that are sent together on a connection run one after the other, and are answered in order', async () => {
  const store = await storeWithAssets(gateway, [['a', '1']])
  await using holder = await gateway.database.client()
  await caughtUp(gateway.database, store)
  await holder.query('begin; lock table product in access exclusive mode')
  const { socket, send, received } = await openConnection()
  send([...Array.from({ length: 4 }, () => `/v1/products?store_uuid=${store}`), '/health'])
  await expect.poll(() => gateway.database.lockWaiters()).toBe(1)
  // All of them have been parsed long before this one is answered.
  expect((await gateway.call(`/v1/assets?store_uuid=${store}`)).status).toBe(200)
  expect(await gateway.database.lockWaiters()).toBe(1)
  await holder.query('commit')
  await expect.poll(() => received().match(/HTTP\/1\.1 \d+/g)).toEqual(Array.from({ length: 5 }, () => 'HTTP/1.1 200'))
  expect(received()).toMatch(/"version":"[^"]*"[^\n]*$/)
  socket.destroy()
})

it('a connection with more than a hundred unanswered requests is cut', async () => {
  const { socket, send } = await openConnection()
  const closed = once(socket, 'close')
  send(Array.from({ length: 200 }, () => '/health'))
  await closed
  expect((await gateway.call('/health')).status).toBe(200)
})
