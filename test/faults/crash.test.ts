import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { runCliProcess } from '../support/clients/cli.ts'
import type { Item } from '../support/clients/client.ts'
import { codeOf } from '../support/clients/http.ts'
import { ask } from '../support/clients/operations.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { newStore, storeBody } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { Random } from '../support/random.ts'
import { type Program, startProgram } from '../support/servers/program.ts'
import { createProducts, faultsOf, type Ledger, newLedger, writeOnce } from './support/ledger.ts'
import { figure, isLong, seed } from './support/scale.ts'

const token = 'a-token-for-crashes'
const gatewayKills = isLong ? 20 : 2
const postgresKills = isLong ? 10 : 2
const migrationKills = isLong ? 20 : 4
const writers = 4
const products = isLong ? 100 : 25
/** The machine of the short form is busy with other tests. */
const restartMs = isLong ? 2_000 : 15_000
const recoveryMs = isLong ? 1_000 : 5_000

const folder = useFolder('each')
let program: Program
afterEach(async () => {
  await program?.end('SIGTERM')
})

/** Starts the gateway on the embedded database of a folder; ready once it answers. */
async function start(env: Record<string, string>): Promise<void> {
  program = await startProgram(['serve'], { BOOTSTRAP_TOKEN: token, ...env })
  expect((await program.call('/ready')).status).toBe(200)
}

async function startLedgers(): Promise<Ledger[]> {
  const store = await newStore(program)
  const ledgers = Array.from({ length: writers }, (_, writer) => newLedger(store, writer, products))
  for (const ledger of ledgers) await createProducts(program, ledger)
  return ledgers
}

async function expectWhole(ledgers: readonly Ledger[]): Promise<void> {
  // The feed waits for transactions that PostgreSQL has not ended yet.
  for (const ledger of ledgers) await expect.poll(() => faultsOf(program, ledger)).toEqual([])
}

describe(`kill -9 of the gateway in the middle of writes (seed ${seed})`, () => {
  it(`${gatewayKills} times: no acknowledged write is lost, every other one is whole or absent`, {
    timeout: 300_000,
  }, async () => {
    const random = new Random(seed)
    const env = { DATA_DIR: folder.file('data') }
    await start(env)
    const ledgers = await startLedgers()
    const restarts: number[] = []
    const keyed = new Map<string, Item>()
    const createStore = (key: string, body?: Item) =>
      callRest(program, 'POST /stores', body, { headers: { 'idempotency-key': key } })
    for (let kill = 0; kill < gatewayKills; kill++) {
      let killed = false
      const running = program
      const writing = ledgers.map(async (ledger) => {
        while (!killed) await writeOnce(running, ledger)
      })
      const key = `store-${kill}`
      keyed.set(key, storeBody())
      await sleep(100 + random.below(400))
      const asked = createStore(key, keyed.get(key)).catch(codeOf)
      await sleep(random.below(8))
      killed = true
      await program.end('SIGKILL')
      await Promise.all([...writing, asked])
      const begun = Date.now()
      await start(env)
      restarts.push(Date.now() - begun)
      await expectWhole(ledgers)
    }
    expect(Math.max(...restarts)).toBeLessThan(restartMs)
    for (const [key, body] of keyed) {
      const [first, again] = [await createStore(key, body), await createStore(key, body)]
      expect(first.data.store_uuid).toBe(again.data.store_uuid)
      const filter = { search: body.store_name }
      expect(await ask(program, 'stores', { filter }, '{ totalCount }')).toEqual({ totalCount: 1 })
    }
    expect(await runCliProcess(['check'], { DATA_DIR: env.DATA_DIR })).toMatchObject({ code: 0 })
    const writes = ledgers.reduce((sum, ledger) => sum + ledger.sent, 0)
    figure(
      2,
      `seed ${seed}: ${gatewayKills} kills in ${writes} writes of ${products}: 0 lost, 0 in part; restart to first 200 ≤ ${Math.max(...restarts)} ms`,
    )
  })
})

describe(`kill -9 of PostgreSQL under the gateway (seed ${seed})`, () => {
  it(`${postgresKills} times: 503 or 502 meanwhile, nothing lost, recovered by itself`, {
    timeout: 300_000,
  }, async () => {
    const random = new Random(seed)
    const dataDir = folder.file('data')
    await start({ DATA_DIR: dataDir })
    const ledgers = await startLedgers()
    const listing = () => program.call(`/v1/assets?store_uuid=${ledgers[0]?.store}`)
    const listed = new Map<string, number>()
    let stop = false
    const writing = ledgers.map(async (ledger) => {
      while (!stop) await writeOnce(program, ledger)
    })
    const reading = (async () => {
      while (!stop) {
        const what = await listing().then(({ status }) => String(status), codeOf)
        listed.set(what, (listed.get(what) ?? 0) + 1)
        await sleep(5)
      }
    })()
    const outages: number[] = []
    for (let kill = 0; kill < postgresKills; kill++) {
      await sleep(200 + random.below(300))
      const pid = Number.parseInt(await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10)
      process.kill(pid, 'SIGKILL')
      const begun = Date.now()
      while ((await program.call('/ready')).status === 200 && Date.now() - begun < 500) await sleep(5)
      while ((await listing()).status !== 200) {
        if (Date.now() - begun > 30_000) throw new Error('it did not come back')
        await sleep(10)
      }
      outages.push(Date.now() - begun)
    }
    stop = true
    await Promise.all([...writing, reading])
    expect(program.child.exitCode).toBeNull()
    const refusals = new Set(ledgers.flatMap((ledger) => [...ledger.refusals.keys()]))
    expect([...refusals].filter((what) => what !== '503 with Retry-After')).toEqual([])
    expect([...listed.keys()].filter((what) => what !== '200' && what !== '502')).toEqual([])
    await expectWhole(ledgers)
    expect(Math.max(...outages)).toBeLessThan(recoveryMs * 10)
    expect(await runCliProcess(['check'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
    figure(
      3,
      `seed ${seed}: ${postgresKills} kills: 0 lost, only 503 + Retry-After (502 on the listing); kill to next 200 ≤ ${Math.max(...outages)} ms, crash recovery included`,
    )
  })
})

describe(`kill -9 of a migration (seed ${seed})`, () => {
  it(`${migrationKills} times: the next start finds nothing or all of it, and goes on`, async () => {
    const random = new Random(seed)
    await using database = await createTestDatabase({ empty: true })
    const env = { DATABASE_URL: database.url }
    for (let kill = 0; kill < migrationKills; kill++) {
      const starting = startProgram(['serve'], env, (child) =>
        setTimeout(() => child.kill('SIGKILL'), 300 + random.below(1_200)),
      )
      await starting.then((started) => started.end('SIGKILL')).catch(() => {})
    }
    await start(env)
    await newStore(program)
    await program.end()
  })
})
