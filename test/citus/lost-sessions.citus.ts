import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { createProducts, faultsOf, newLedger, writeOnce } from '../faults/support/ledger.ts'
import { citusNodes } from '../support/database/citus.ts'
import { newStore } from '../support/factories.ts'
import { keptLog } from '../support/log.ts'
import { useGateway } from '../support/servers/gateway.ts'

const { lines: errors, log } = keptLog('error')
const gateway = useGateway({ log })

it('a server that ends its sessions fails writes with 503; none that was acknowledged is lost, none is partial', async () => {
  const store = await newStore(gateway)
  const ledgers = [0, 1, 2].map((writer) => newLedger(store, writer, 20))
  for (const ledger of ledgers) await createProducts(gateway, ledger)
  let isOver = false
  const writing = ledgers.map(async (ledger) => {
    while (!isOver) await writeOnce(gateway, ledger)
  })
  const database = new URL(gateway.database.url).pathname.slice(1)
  const nodes = await citusNodes()
  for (const node of [nodes, nodes, nodes].flat()) {
    await sleep(500)
    await endSessions({ ...node, database })
  }
  await sleep(500)
  isOver = true
  await Promise.all(writing)
  expect(errors).toEqual([])
  expect([...new Set(ledgers.flatMap(({ refusals }) => [...refusals.keys()]))]).toEqual(['503 with Retry-After'])
  for (const ledger of ledgers) await expect.poll(() => faultsOf(gateway, ledger)).toEqual([])
  expect(await checkReadModel(gateway.database.db)).toEqual([])
})

/** Ends the sessions of gateways, or those of the coordinator on a worker. */
async function endSessions(config: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(config)
  await client.connect()
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
  await client.end()
}
