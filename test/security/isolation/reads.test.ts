import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/gateway.ts'

const gateway = useGateway()

let store: string
beforeAll(async () => {
  store = await newStore(gateway)
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', repeat('x', 500000))
    from generate_series(1, 20) n`.execute(gateway.database.db)
})

/** Connections of threads of the pool. */
async function connectionsOfThreads(): Promise<number> {
  const { rows } = await sql<{ sessions: number }>`
    select count(*)::integer as sessions from pg_stat_activity
    where datname = current_database() and application_name = 'catalogue-gateway'`.execute(gateway.database.db)
  return (rows[0]?.sessions ?? 0) - (gateway.database.pool()?.total ?? 0)
}

it('a page of more than 5 MiB is read in a thread of the pool, and a smaller one is not', async () => {
  const page = (limit: number) => gateway.call(`/v1/products?store_uuid=${store}&limit=${limit}`)
  expect((await page(2)).json).toMatchObject({ data: { returned_products: 2 } })
  expect(await connectionsOfThreads()).toBe(0)
  const large = await page(20)
  expect(large.json).toMatchObject({ status: { code: 0 }, data: { returned_products: 20, total_products: 20 } })
  expect(large.text.length).toBeGreaterThan(10_000_000)
  expect(await connectionsOfThreads()).toBeGreaterThan(0)
})
