import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { createProducts, faultsOf, newLedger, writeOnce } from '../faults/support/ledger.ts'
import { ask } from '../support/clients/operations.ts'
import { callRest, restData } from '../support/clients/rest-client.ts'
import { citusNodes } from '../support/database/citus.ts'
import { addAssets, define, newStore } from '../support/factories.ts'
import { type Fault, startFaultProxy } from '../support/servers/fault-proxy.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'

let gateway: TestGateway
beforeEach(async () => {
  gateway = await startTestGateway()
})
afterEach(() => gateway.stop())

it.each<[title: string, fault: Fault]>([
  ['killed', { kind: 'down' }],
  ['frozen', { kind: 'hang' }],
])('a %s server stops its own stores only, and loses no write', async (_title, fault) => {
  const { proxy, name, port } = await proxiedServer()
  const [lost, other] = await storesOn(port)
  const ledgersOf = (store: string) => [0, 1].map((writer) => newLedger(store, writer, 10))
  const [ofLost, ofOther] = [ledgersOf(lost), ledgersOf(other)]
  const ledgers = [...ofLost, ...ofOther]
  for (const ledger of ledgers) await createProducts(gateway, ledger)
  const page = (store: string) => callRest(gateway, `GET /assets?store_uuid=${store}`)
  let [isNoticed, isOver] = [false, false]
  const readUntilNoticed = async () => {
    while (!isNoticed) await page(lost)
  }
  const repeat = async (work: () => Promise<unknown>) => {
    while (!isOver) await work()
  }
  const working = Promise.all([
    // More readers than there are connections.
    ...Array.from({ length: 12 }, readUntilNoticed),
    ...ledgers.map((ledger) => repeat(() => writeOnce(gateway, ledger))),
  ])
  onTestFinished(() => {
    isNoticed = true
    isOver = true
  })
  const ready = async () => (await gateway.call('/ready', { token: null })).text

  await proxy.set(fault)
  await expect.poll(ready).toBe(`{"status":"ok","database":"citus","lost_servers":["${name}"]}`)
  isNoticed = true
  expect(await page(lost)).toMatchObject({ status: 502 })
  const product = [{ product_code: 'A' }]
  expect(await callRest(gateway, `PUT /products?store_uuid=${lost}`, product)).toMatchObject({ status: 503 })
  for (let i = 0; i < 5; i++) await newStore(gateway)
  expect((await restData(gateway, 'GET /stores')).total_stores).toBeGreaterThan(5)
  expect(await page(other)).toMatchObject({ status: 200 })
  await changeSettings(other)
  await changeLinks(other)

  await proxy.set({ kind: 'none' })
  proxy.cut()
  await expect.poll(ready).toBe('{"status":"ok","database":"citus"}')
  const before = ofLost.map(({ acknowledged }) => acknowledged)
  await expect.poll(() => ofLost.every(({ acknowledged }, i) => acknowledged > Number(before[i]))).toBe(true)
  isOver = true
  await working
  expect(ofOther.flatMap(({ refusals }) => [...refusals])).toEqual([])
  expect([...new Set(ofLost.flatMap(({ refusals }) => [...refusals.keys()]))]).toEqual(['503 with Retry-After'])
  // Citus ends within a minute what a commit in two phases has left.
  await sql`select recover_prepared_transactions()`.execute(gateway.database.db)
  for (const ledger of ledgers) await expect.poll(() => faultsOf(gateway, ledger)).toEqual([])
  expect(await checkReadModel(gateway.database.db)).toEqual([])
})

/** Writes what a store has but products and assets. */
async function changeSettings(storeUuid: string): Promise<void> {
  await define(gateway, storeUuid, [{ name: 'Color', type: 'TEXT' }])
  const requirements = [{ code: 'image', kind: 'ASSET', minimum: 1 }]
  for (const list of [requirements, []])
    await ask(gateway, 'setChannelRequirements', { storeUuid, channel: 'SMP', requirements: list })
  await newStore(gateway, {}, `?linked_store_id=${storeUuid}&copy_taxonomy=true`)
  await ask(gateway, 'removeAttributeDefinitions', { storeUuid, names: ['Color'] })
  const requestId = 'renames'
  const query = `mutation { updateStore(storeUuid: "${storeUuid}", input: { storeName: "other" }) { storeName } }`
  await gateway.call('/graphql', { method: 'POST', headers: { 'x-request-id': requestId }, body: { query } })
  expect(await ask(gateway, 'revertRequest', { storeUuid, requestId })).toMatchObject({ reverted: { storeFields: 1 } })
}

/** Writes links in the ways in which the ledgers do not, and reverts a write. */
async function changeLinks(storeUuid: string): Promise<void> {
  await addAssets(gateway, storeUuid, ['1 A', '2 A', '3 A'])
  await ask(gateway, 'moveAsset', { storeUuid, parentCode: 'A', assetId: '2', position: 1 })
  await ask(gateway, 'unlinkAssets', { links: [{ storeUuid, parentCode: 'A', channel: 'SMP', assetId: '2' }] })
  const { headers } = await gateway.call('/v1/assets', {
    method: 'DELETE',
    body: [{ store_uuid: storeUuid, asset_id: '1' }],
  })
  const requestId = String(headers['x-request-id'])
  expect(await ask(gateway, 'revertRequest', { storeUuid, requestId })).toMatchObject({
    reverted: { assets: 1, links: 1 },
  })
}

/** Puts a proxy before the last server of the database. */
async function proxiedServer() {
  const server = (await citusNodes()).at(-1)
  if (!server) throw new Error('Citus has no server')
  const proxy = await startFaultProxy({ host: server.host, port: server.port })
  onTestFinished(() => proxy.close())
  const { host, port } = proxy.connection
  await sql`select citus_update_node(nodeid, ${host}, ${port}) from pg_dist_node
    where nodeport = ${server.port}`.execute(gateway.database.db)
  const unaware = sql`select from pg_dist_node where not metadatasynced`
  await expect.poll(async () => (await unaware.execute(gateway.database.db)).rows).toEqual([])
  return { proxy, port, name: `${host}:${port}` }
}

/** A store on the server, and one on another. */
async function storesOn(port: number): Promise<[on: string, elsewhere: string]> {
  const found = new Map<boolean, string>()
  while (found.size < 2) {
    const store = await newStore(gateway)
    const { rows } = await sql<{ isThere: boolean }>`
      select n.nodeport = ${port} as "isThere" from pg_dist_placement p join pg_dist_node n using (groupid)
      where p.shardid = get_shard_id_for_distribution_column('attribute_definition', ${store}::uuid)`.execute(
      gateway.database.db,
    )
    found.set(rows[0]?.isThere ?? false, store)
  }
  return [found.get(true) ?? '', found.get(false) ?? '']
}
