import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { runInStore } from '../../src/database/citus/run-in-store.ts'
import { isUnavailable } from '../../src/database/unavailable.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

/** What a query returns on the server of a store. `before`: statements of the same transaction. */
async function rowsOf(storeUuid: string, query: string, before = ''): Promise<unknown[]> {
  const insert = "insert into attribute_name (store_uuid, name) select $1::uuid, '' where false"
  const call = runInStore(storeUuid, `with marked as (${insert}) ${query}`, [storeUuid])
  await using client = await gateway.database.client()
  await client.query(`begin; ${before}`)
  const { rows } = await client.query<{ answer: unknown }>(call?.text ?? '', call?.values)
  return rows.map(({ answer }) => answer)
}

it('the numbers of two statements do not overlap, however many rows one has', async () => {
  const store = await newStore(gateway)
  const numbers = `select min(n)::text as first, max(n)::text as last from (
    select next_number('change_seq') as n from generate_series(1, 20000)) n`
  const [one] = (await rowsOf(store, numbers)) as Record<'first' | 'last', string>[]
  const [other] = (await rowsOf(store, numbers)) as Record<'first' | 'last', string>[]
  expect(Number(other?.first)).toBeGreaterThan(Number(one?.last))
  expect(Number(one?.last) - Number(one?.first)).toBe(19_999)
})

it('a statement of a store that does not exist fails', async () => {
  const unknown = randomUUID()
  await expect(rowsOf(unknown, 'select 1')).rejects.toThrow(`there is no store ${unknown}`)
})

it('a statement fails as one that may be repeated while the server of the store does not know of a change', async () => {
  const change = 'update pg_dist_node set metadatasynced = false where groupid > 0'
  const refused = rowsOf(await newStore(gateway), 'select 1', change)
  await expect(refused).rejects.toSatisfy(isUnavailable, 'not ready')
})
