import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newStore, productOf, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

const tokenOf = async (...stores: string[]) => (await newToken(gateway, { scopes: ['READ', 'WRITE'], stores })).secret

const put = (store: string, key: string, value: string, more: { token?: string; query?: string } = {}) =>
  gateway.call(`/v1/products?store_uuid=${store}${more.query ?? ''}`, {
    method: 'PUT',
    body: [{ product_code: '1', Color: value }],
    headers: { 'idempotency-key': key },
    ...(more.token && { token: more.token }),
  })

const kept = async () => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from idempotency_key`.execute(
    gateway.database.db,
  )
  return rows[0]?.count
}

it('a dry run with a key is not kept', async () => {
  const store = await storeWithProducts(gateway, ['1'])
  const before = await kept()
  expect((await put(store, 'dry', 'red', { query: '&dry_run=true' })).status).toBe(200)
  expect((await put(store, 'dry', 'blue', { query: '&dry_run=true' })).status).toBe(200)
  expect(await kept()).toBe(before)
})

it('the answers that are kept for a store have a quota, and beyond it nothing is written', async () => {
  const store = await storeWithProducts(gateway, ['1'])
  const [token, other] = [await tokenOf(store), await tokenOf(store)]
  expect((await put(store, 'first', 'red', { token })).status).toBe(200)
  await sql`update idempotency_key set answer = repeat('x', 64 * 1024 * 1024 - 1025)`.execute(gateway.database.db)
  expect((await put(store, 'second', 'blue', { token })).status).toBe(200)
  for (const same of [token, other]) {
    const refused = await put(store, 'third', 'green', { token: same })
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringMatching(/"quota_exceeded".*64 MiB.*without a key/),
    ])
  }
  expect((await productOf(gateway, store, '1'))?.attributes).toEqual({ Color: 'blue' })
  expect((await put(store, 'second', 'blue', { token })).status).toBe(200)
  const neighbour = await storeWithProducts(gateway, ['1'])
  expect((await put(neighbour, 'third', 'green', { token: await tokenOf(neighbour) })).status).toBe(200)
  await sql`update idempotency_key set created_at = now() - interval '25 hours'`.execute(gateway.database.db)
  expect((await put(store, 'third', 'green', { token })).status).toBe(200)
  expect(await newStore(gateway)).toBeTypeOf('string')
})
