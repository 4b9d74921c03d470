import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { createFilterClient, type FilterClient } from '../../src/filter-service/client.ts'
import { codeOf } from '../support/clients/http.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { newStore } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { anyFault, type FaultProxy, startFaultProxy, startPostgresProxy } from '../support/servers/fault-proxy.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { type Program, startProgram } from '../support/servers/program.ts'
import { serve } from '../support/servers/serve.ts'
import { currentFilter } from './support/faulty-filter.ts'
import { createProducts, faultsOf, newLedger, writeOnce } from './support/ledger.ts'
import { isLong, seed } from './support/scale.ts'

const rounds = isLong ? 60 : 8
const roundMs = isLong ? 600 : 300

let toDatabase: FaultProxy
let toFilter: FaultProxy
let service: Program
let filterClient: FilterClient
let gateway: TestGateway
beforeAll(async () => {
  toDatabase = await startPostgresProxy()
  gateway = await startTestGateway({
    connection: { ...toDatabase.connection, connectionTimeoutMillis: 1_000, query_timeout: 2_000 },
    filterClient: currentFilter({ url: 'http://127.0.0.1:1', timeoutMs: 500 }, () => filterClient),
  })
  service = await startProgram(['filter-service', '--port', '0'], { DATABASE_URL: gateway.database.url })
  toFilter = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) })
  const log = pino({ level: 'silent' })
  const url = `http://127.0.0.1:${toFilter.connection.port}`
  filterClient = createFilterClient({ url, timeoutMs: 500, probeAfterMs: 100, log })
})
afterAll(async () => {
  await toDatabase.set({ kind: 'none' })
  await gateway.stop()
  await filterClient.close()
  await service.end()
  await toDatabase.close()
  await toFilter.close()
})

describe(`a network that fails in every way (seed ${seed})`, () => {
  it(`${rounds} faults between gateway, filter and database: nothing is lost, nothing unexpected is answered`, async () => {
    const random = new Random(seed)
    const store = await newStore(gateway)
    const ledgers = [0, 1, 2].map((writer) => newLedger(store, writer, 20))
    for (const ledger of ledgers) await createProducts(gateway, ledger)
    const listed = new Map<string, number>()
    const schedule: string[] = []
    let stop = false
    const listing = () => gateway.call(`/v1/assets?store_uuid=${store}`)
    const clients = [
      ...ledgers.map(async (ledger) => {
        while (!stop) await writeOnce(gateway, ledger)
      }),
      (async () => {
        while (!stop) {
          const what = await listing().then(({ status }) => String(status), codeOf)
          listed.set(what, (listed.get(what) ?? 0) + 1)
          await sleep(5)
        }
      })(),
    ]
    for (let round = 0; round < rounds; round++) {
      const [proxy, name] =
        random.below(3) === 0 ? ([toFilter, 'filter'] as const) : ([toDatabase, 'database'] as const)
      const fault = anyFault(random)
      schedule.push(`${name} ${Object.values(fault).join(' ')}`)
      await proxy.set(fault)
      await sleep(roundMs)
      await proxy.set({ kind: 'none' })
      await sleep(roundMs / 2)
    }
    stop = true
    await Promise.all(clients)
    await expect.poll(async () => (await listing()).status, { message: schedule.join('; ') }).toBe(200)

    const refusals = new Set(ledgers.flatMap((ledger) => [...ledger.refusals.keys()]))
    expect(
      [...refusals].filter((what) => what !== '503 with Retry-After'),
      schedule.join('; '),
    ).toEqual([])
    expect(
      [...listed.keys()].filter((what) => !['200', '502'].includes(what)),
      schedule.join('; '),
    ).toEqual([])
    for (const ledger of ledgers)
      await expect.poll(() => faultsOf(gateway, ledger), { message: schedule.join('; ') }).toEqual([])
    expect(await checkReadModel(gateway.database.db)).toEqual([])
    const inUse = () => {
      const { total = Number.NaN, idle = 0, waiting } = gateway.database.pool() ?? {}
      return { busy: total - idle, waiting }
    }
    // A statement that was cancelled ends after its answer.
    await expect.poll(inUse).toEqual({ busy: 0, waiting: 0 })
    const writes = ledgers.reduce((sum, ledger) => sum + ledger.sent, 0)
    process.stdout.write(
      `network: seed ${seed}, ${rounds} faults, ${writes} writes: 0 lost, 0 in part; listing ${JSON.stringify([...listed])}\n`,
    )
  })
})

describe('a database that takes no writes, as a standby does', () => {
  it('is read as ever; writes are unavailable for now; the gateway starts on it', async () => {
    const store = await newStore(gateway)
    const admin = await gateway.database.client()
    const database = new URL(gateway.database.url).pathname.slice(1)
    await admin.query(`alter database ${database} set default_transaction_read_only = on`)
    const program = await serve(gateway.database)
    try {
      const query = `?store_uuid=${store}`
      for (const path of ['/ready', `/v1/assets${query}`, `/v1/products${query}`])
        expect((await program.call(path)).status, path).toBe(200)
      for (const headers of [{}, { 'idempotency-key': 'k' }]) {
        const refused = await callRest(program, `POST /products${query}`, [{ product_code: 'A' }], { headers })
        expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
      }
    } finally {
      await program.end()
      await admin.query(`set default_transaction_read_only = off`)
      await admin.query(`alter database ${database} reset default_transaction_read_only`)
      await admin.end()
    }
  })
})
