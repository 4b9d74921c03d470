import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { outcomeOf, runCli } from '../support/clients/cli.ts'
import { databaseUrl } from '../support/database/database.ts'
import { canMount, inNamespaces, startOnSmallDisk } from '../support/database/small-disk.ts'
import { newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { catalog, type Program, searchPath } from '../support/servers/program.ts'
import { serve } from '../support/servers/serve.ts'
import { newToken } from '../support/tokens.ts'
import { createProducts, faultsOf, type Ledger, newLedger, writeOnce } from './support/ledger.ts'

const folder = useFolder()

it.runIf(process.env.CI)('runs in CI', () => {
  expect(canMount(), 'the tests of a full disk need "unshare --user --mount", so that they can mount a disk').toBe(true)
})

const embedded = `
mount -t tmpfs -o "size=$2,mode=0700" tmpfs "$1" || exit 9
DATA_DIR="$1" exec "$3" migrate`

it.runIf(canMount()).each(['20m', '45m'])(
  'a start of the embedded PostgreSQL says that its disk of %s is full',
  async (size) => {
    const mountPoint = await folder.newFolder(`embedded-${size}`)
    const [unshare, ...options] = inNamespaces
    const args = [...options, 'sh', '-c', embedded, 'sh', mountPoint, size, catalog]
    const outcome = await outcomeOf(spawn(unshare, args, { env: { PATH: searchPath } }))
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the disk of \S+\/postgres is full\. Free 100 MB/),
    })
  },
)

// Where nobody may mount, PostgreSQL's files have a limit instead: test/security/isolation/shortages.test.ts.
describe.runIf(canMount())('a disk that is full', () => {
  let postgres: Awaited<ReturnType<typeof startOnSmallDisk>>
  let program: Program
  let ledgers: Ledger[]
  let reader: string
  beforeAll(async () => {
    for (const name of ['disk', 'run']) await mkdir(folder.file(name))
    postgres = await startOnSmallDisk('160m', folder.file('disk'), folder.file('run'))
    program = await serve({ url: databaseUrl(postgres.connection) })
    reader = (await newToken(program, { scopes: ['READ'] })).secret
    const store = await newStore(program)
    ledgers = [0, 1, 2].map((writer) => newLedger(store, writer, 20))
    for (const ledger of ledgers) await createProducts(program, ledger)
  })
  afterAll(async () => {
    await program?.end()
    await postgres?.stop()
  })

  const ready = async () => (await program.call('/ready')).text
  const read = async () => {
    const query = `?store_uuid=${ledgers[0]?.store}&limit=1`
    const paths = [`/v1/products${query}`, `/v1/assets${query}`]
    return Promise.all(paths.map(async (path) => (await program.call(path, { token: reader })).status))
  }

  /**
   * Makes PostgreSQL write its log until it needs another file for it: without room it ends, and cannot start. A
   * checkpoint may have ended it before.
   */
  async function useUpLog(): Promise<void> {
    const client = new pg.Client(postgres.connection).on('error', () => {})
    const connected = client.connect().then(
      () => true,
      () => false,
    )
    for (let isUp = await connected; isUp; ) {
      isUp = await client.query(`select pg_logical_emit_message(false, '', repeat('x', 1000000))`).then(
        () => true,
        () => false,
      )
    }
    await client.end()
  }

  it.each([
    ['tables', async () => {}, '{"status":"storage"}', [200, 200]],
    ['the write-ahead log', useUpLog, '{"status":"unavailable"}', [503, 502]],
  ] as const)(
    'without room for %s no acknowledged write is lost, and all goes on once there is room',
    {
      timeout: 180_000,
    },
    async (_what, useUp, status, reads) => {
      let isOver = false
      for (const ledger of ledgers) ledger.refusals.clear()
      const writing = ledgers.map(async (ledger) => {
        for (; !isOver; await sleep(5)) await writeOnce(program, ledger)
      })
      // Whatever fails: a repetition finds room, and no writers.
      onTestFinished(async () => {
        isOver = true
        await postgres.free()
        await Promise.all(writing)
      })
      const refused = () => ledgers.every(({ refusals }) => refusals.size > 0)
      await sleep(300)
      // A server that starts on a disk that is nearly full may refuse connections for faults of its own.
      for (let i = 0; i < 5; i++) {
        await postgres.fill()
        await useUp()
        await sleep(100 * i)
        await postgres.free()
        await sleep(200)
      }
      // A server that has ended may have made room by its recovery.
      const states = async () => {
        await postgres.fill()
        await useUp()
        return [await ready(), await read()]
      }
      await expect.poll(states).toEqual([status, reads])
      await expect.poll(refused).toBe(true)
      await sleep(1_000)
      await postgres.free()
      await expect.poll(ready).toBe('{"status":"ok"}')
      const before = ledgers.map(({ acknowledged }) => acknowledged)
      await expect.poll(() => ledgers.every(({ acknowledged }, i) => acknowledged > (before[i] ?? 0) + 1)).toBe(true)
      isOver = true
      await Promise.all(writing)
      for (const ledger of ledgers) {
        expect([...ledger.refusals.keys()]).toEqual(['503 with Retry-After'])
        await expect.poll(() => faultsOf(program, ledger)).toEqual([])
      }
      expect(await read()).toEqual([200, 200])
      const check = await runCli(['check'], { DATABASE_URL: databaseUrl(postgres.connection) })
      expect(check).toMatchObject({ code: 0 })
    },
  )

  it('is named in the log at the level of warnings', () => {
    const lines = program.stderr().split('\n')
    expect(lines.find((line) => line.includes('"msg":"the database has no room on its disk"'))).toMatch(
      /"level":40.*"reason":"could not (extend|write)/,
    )
  })
})
