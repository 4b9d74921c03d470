import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { runCliProcess } from '../support/clients/cli.ts'
import { codeOf, send } from '../support/clients/http.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { storeBody } from '../support/factories.ts'
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

async function makeStore(): Promise<string> {
  const { text } = await send(`${program.url}/v1/stores`, { method: 'POST', token, body: storeBody() })
  return (JSON.parse(text) as { data: { store_uuid: string } }).data.store_uuid
}

async function startLedgers(): Promise<Ledger[]> {
  const store = await makeStore()
  const ledgers = Array.from({ length: writers }, (_, writer) => newLedger(store, writer, products))
  for (const ledger of ledgers) await createProducts(program.url, token, ledger)
  return ledgers
}

async function expectWhole(ledgers: readonly Ledger[]): Promise<void> {
  // The feed waits for transactions that PostgreSQL has not ended yet.
  for (const ledger of ledgers)
    await expect.poll(() => faultsOf(program.url, token, ledger), { timeout: 30_000 }).toEqual([])
}

describe(`kill -9 of the gateway in the middle of writes (seed ${seed})`, () => {
  it(`${gatewayKills} times: no acknowledged write is lost, every other one is whole or absent`, {
    timeout: 300_000,
  }, async () => {
    const random = new Random(seed)
    const env = { DATA_DIR: folder.file('data'), BOOTSTRAP_TOKEN: token }
    program = await startProgram(['serve'], env)
    const ledgers = await startLedgers()
    const restarts: number[] = []
    const keyed = new Map<string, unknown>()
    for (let kill = 0; kill < gatewayKills; kill++) {
      let killed = false
      const { url } = program
      const writing = ledgers.map(async (ledger) => {
        while (!killed) await writeOnce(url, token, ledger)
      })
      const key = `store-${kill}`
      keyed.set(key, storeBody())
      await sleep(100 + random.below(400))
      const asked = send(`${url}/v1/stores`, {
        method: 'POST',
        token,
        body: keyed.get(key),
        headers: { 'idempotency-key': key },
      }).catch(codeOf)
      await sleep(random.below(8))
      killed = true
      await program.end('SIGKILL')
      await Promise.all([...writing, asked])
      const begun = Date.now()
      program = await startProgram(['serve'], env)
      expect((await send(`${program.url}/ready`)).status).toBe(200)
      restarts.push(Date.now() - begun)
      await expectWhole(ledgers)
    }
    expect(Math.max(...restarts)).toBeLessThan(restartMs)
    for (const [key, body] of keyed) {
      const repeat = () =>
        send(`${program.url}/v1/stores`, { method: 'POST', token, body, headers: { 'idempotency-key': key } })
      const uuids = [await repeat(), await repeat()].map(({ text }) => JSON.parse(text).data.store_uuid)
      expect(uuids[0]).toBe(uuids[1])
      const query = `{ stores(filter: {search: ${JSON.stringify((body as { store_name: string }).store_name)}}) { totalCount } }`
      const { text } = await send(`${program.url}/graphql`, { method: 'POST', token, body: { query } })
      expect(text).toContain('"totalCount":1')
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
    program = await startProgram(['serve'], { DATA_DIR: dataDir, BOOTSTRAP_TOKEN: token })
    const ledgers = await startLedgers()
    const listing = `${program.url}/v1/assets?store_uuid=${ledgers[0]?.store}`
    const listed = new Map<string, number>()
    let stop = false
    const writing = ledgers.map(async (ledger) => {
      while (!stop) await writeOnce(program.url, token, ledger)
    })
    const reading = (async () => {
      while (!stop) {
        const what = await send(listing, { token }).then(({ status }) => String(status), codeOf)
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
      while ((await send(`${program.url}/ready`)).status === 200 && Date.now() - begun < 500) await sleep(5)
      while ((await send(listing, { token })).status !== 200) {
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
  it(`${migrationKills} times: the next start finds nothing or all of it, and goes on`, {
    timeout: 120_000,
  }, async () => {
    const random = new Random(seed)
    const database = await createTestDatabase({ empty: true })
    onTestFinished(() => database.drop())
    for (let kill = 0; kill < migrationKills; kill++) {
      const starting = startProgram(['serve'], { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token }, (child) =>
        setTimeout(() => child.kill('SIGKILL'), 300 + random.below(1_200)),
      )
      await starting.then((started) => started.end('SIGKILL')).catch(() => {})
    }
    program = await startProgram(['serve'], { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token })
    expect((await send(`${program.url}/ready`)).status).toBe(200)
    await makeStore()
    await program.end()
  })
})
