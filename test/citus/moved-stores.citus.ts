import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createProducts, faultsOf, newLedger, writeOnce } from '../faults/support/ledger.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it('a store that is moved to another server fails no write and loses none', async () => {
  const store = await newStore(gateway)
  const ledgers = [0, 1, 2].map((writer) => newLedger(store, writer, 10))
  for (const ledger of ledgers) await createProducts(gateway, ledger)
  let isOver = false
  const writing = ledgers.map(async (ledger) => {
    while (!isOver) await writeOnce(gateway, ledger)
  })
  for (let i = 0; i < 2; i++) {
    await sql`select citus_move_shard_placement(p.shardid, own.nodename, own.nodeport, other.nodename, other.nodeport, 'block_writes')
      from pg_dist_placement p join pg_dist_node own using (groupid)
        join pg_dist_node other on other.groupid not in (0, p.groupid)
      where p.shardid = get_shard_id_for_distribution_column('attribute_definition', ${store}::uuid)`.execute(
      gateway.database.db,
    )
    const before = ledgers.map(({ acknowledged }) => acknowledged)
    await expect.poll(() => ledgers.every(({ acknowledged }, j) => acknowledged > Number(before[j]))).toBe(true)
  }
  isOver = true
  await Promise.all(writing)
  expect(ledgers.flatMap(({ refusals }) => [...refusals])).toEqual([])
  for (const ledger of ledgers) await expect.poll(() => faultsOf(gateway, ledger)).toEqual([])
})
