import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ask } from '../support/clients/operations.ts'
import { addAssets, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it('a request that changes stores on two servers is committed in two phases, any other in one', async () => {
  const stores = await storesOnTwoServers()
  for (const store of stores) await addAssets(gateway, store, ['1 A', '2 A'])
  expect(await preparedBy(() => addAssets(gateway, stores[0] ?? '', ['3 A']))).toBe(0)
  const selectors = stores.map((storeUuid) => ({ storeUuid, assetId: '1' }))
  expect(await preparedBy(() => ask(gateway, 'deleteAssets', { selectors }))).toBe(2)
})

/** How many parts of transactions Citus prepares meanwhile. */
async function preparedBy(work: () => Promise<unknown>): Promise<number> {
  const prepared = async () => {
    const { rows } = await sql<{ gid: string }>`select gid from pg_dist_transaction`.execute(gateway.database.db)
    return rows.map(({ gid }) => gid)
  }
  const before = new Set(await prepared())
  await work()
  return (await prepared()).filter((gid) => !before.has(gid)).length
}

async function storesOnTwoServers(): Promise<string[]> {
  const found = new Map<number, string>()
  while (found.size < 2) {
    const store = await newStore(gateway)
    const { rows } = await sql<{ server: number }>`
      select groupid as server from pg_dist_placement
      where shardid = get_shard_id_for_distribution_column('attribute_definition', ${store}::uuid)`.execute(
      gateway.database.db,
    )
    found.set(rows[0]?.server ?? 0, store)
  }
  return [...found.values()]
}
