import { execFile, spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { noCounts } from '../../src/import/position.ts'
import { findInterrupted, type ResumedImport, runAsJob } from '../../src/jobs/command-line-import.ts'
import { deleteJob } from '../../src/jobs/job.ts'
import { outcomeOf, runCli } from '../support/clients/cli.ts'
import { catalog as program, searchPath } from '../support/servers/program.ts'
import { positionOf, startImport, useCatalog } from './catalog.ts'

const catalog = useCatalog()

/** How many times an import is killed before it is let through; KILLS makes it more. */
const kills = Number(process.env.KILLS ?? 3)
const rows = Math.max(12_000, kills * 4_000)
/** Every 500th row is wrong; images are shared, so that ids and order matter. */
const line = (i: number) =>
  `P${String(i).padStart(6, '0')},${i % 500 === 0 ? 'bad' : 'new'},name ${i},https://a.example/${i % 5_000},https://a.example/b${i}\n`
const content = `sku,status,name,Image URL 1,Image URL 2\n${Array.from({ length: rows }, (_, i) => line(i)).join('')}`

async function exportOf(store: string): Promise<string> {
  const out = catalog.path(`${store}.jsonl`)
  const { code, stderr } = await runCli(['export', '--store', store, '--format', 'jsonl', '--out', out], {
    DATABASE_URL: catalog.database.url,
  })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return readFile(out, 'utf8')
}

test('an import that is killed again and again and resumed is one that was never interrupted', async () => {
  const file = await catalog.file('large.csv', content)
  const [undisturbed, disturbed] = [await catalog.newStore(), await catalog.newStore()]
  const reports = [catalog.path('whole.csv'), catalog.path('parts.csv')]
  const whole = await catalog.details([file, '--store', undisturbed, '--errors', reports[0] ?? ''], 1)
  const args = [file, '--store', disturbed, '--errors', reports[1] ?? '', '--chunk-rows', '500', '--resume', '--json']
  const worked: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    worked.push(await killedAfter(worked.at(-1) ?? 0, disturbed, args))
  }
  const { code, stdout, stderr } = await catalog.run(args)
  expect(stderr).toContain(`resumes after row ${worked.at(-1)}\n`)
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 1, ...whole, request_id: expect.any(String) })
  expect(await exportOf(disturbed)).toBe(await exportOf(undisturbed))
  expect(await readFile(reports[1] ?? '', 'utf8')).toBe(await readFile(reports[0] ?? '', 'utf8'))
  expect(await checkReadModel(catalog.database.db)).toEqual([])
  expect(await position(disturbed)).toBe(0)
})

/** Kills an import some time after it has imported more than `rows`; returns the number of rows that it imported. */
async function killedAfter(rows: number, store: string, args: string[]): Promise<number> {
  const child = startImport(args, { DATABASE_URL: catalog.database.url })
  const ended = outcomeOf(child)
  await expect.poll(() => position(store), { interval: 5 }).toBeGreaterThan(rows)
  await sleep(Math.random() * 50)
  child.kill('SIGKILL')
  await ended
  // PostgreSQL may still work on a statement of the killed process.
  await expect.poll(() => sessions(`state <> 'idle'`)).toBe(0)
  return position(store)
}

const position = (store: string) => positionOf(catalog.database.db, store)

test('a file that has changed, or other options, are refused and nothing is done', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('changing.csv', content)
  const before = await killedAfter(0, store, [file, '--store', store, '--chunk-rows', '500'])
  const other = await catalog.run([file, '--store', store, '--resume', '--channel', 'channel_value_1'])
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--resume: .* stopped after row \d+ had other options/),
  })
  await catalog.file('changing.csv', content.replace('name 7', 'name 8'))
  const changed = await catalog.run([file, '--store', store, '--resume'])
  expect(changed).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--resume: the file has changed since the import .* after row \d+/),
  })
  const mistyped = await catalog.run([file, '--store', store, '--status', 'Status'])
  expect(mistyped).toMatchObject({ code: 2, stderr: expect.stringContaining('names the column "Status"') })
  expect(await position(store)).toBe(before)
  const anew = await catalog.answer([file, '--store', store], 1)
  expect(anew).toMatchObject({ rows, failed: rows / 500 })
})

test('the summary after --resume has the totals, and says how many rows are of this run', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('totals.csv', content)
  const args = [file, '--store', store, '--chunk-rows', '500']
  const before = await killedAfter(0, store, args)
  const { stdout } = await catalog.run([...args, '--resume'])
  expect(stdout).toMatch(`${rows} rows in all, ${rows - before} of them in this run: ${rows - rows / 500} created, `)
})

test('options are the same in any order', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('ordered.csv', content)
  const options = ['--map', 'name=Name', '--map', 'sku=Sku', '--map-status', 'neu=new,aktiv=active', '--only-mapped']
  const before = await killedAfter(0, store, [file, '--store', store, '--chunk-rows', '500', ...options])
  const other = ['--only-mapped', '--map-status', 'aktiv=active,neu=new', '--map', 'sku=Sku', '--map', 'name=Name']
  const { stderr } = await catalog.run([file, ...other, '--resume', '--store', store])
  expect(stderr).toContain(`resumes after row ${before}\n`)
})

test('with nothing to resume an import begins at the start', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('small.csv', 'sku\nA\n')
  const { code, stdout, stderr } = await catalog.run([file, '--store', store, '--resume', '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'nothing to resume: starts at the beginning\n' })
  expect(JSON.parse(stdout)).toMatchObject({ rows: 1, created: 1 })
})

test('an import that is resumed with another report writes that one anew', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('reported.csv', content)
  const args = [file, '--store', store, '--chunk-rows', '500', '--resume', '--json']
  const worked = await killedAfter(0, store, [...args, '--errors', catalog.path('first.csv')])
  const earlier = `something,else\n${'of,before\n'.repeat(1_000)}`
  const second = await catalog.file('second.csv', earlier)
  const answer = await catalog.answer([...args, '--errors', second], 1)
  expect(answer).toMatchObject({ rows, failed: rows / 500 })
  const lines = (await readFile(second, 'utf8')).trimEnd().split('\n')
  expect(lines[0]).toBe(
    'import_error_row,import_error_field,import_error_expected,import_error_got,sku,status,name,Image URL 1,Image URL 2',
  )
  expect(lines).toHaveLength(1 + rows / 500 - Math.ceil(worked / 500))
})

test('of two imports of one file the one that began first stops', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('twice.csv', content)
  const args = [file, '--store', store, '--chunk-rows', '100', '--json']
  const first = outcomeOf(startImport(args, { DATABASE_URL: catalog.database.url }))
  await expect.poll(() => position(store), { interval: 5 }).toBeGreaterThan(0)
  expect(await catalog.answer(args, 1)).toMatchObject({ rows, failed: rows / 500 })
  expect(await first).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('its job was ended: another import of the file has begun'),
  })
  expect(await position(store)).toBe(0)
})

test('an interrupted import is resumed by one command only, and as long as its job is kept', async () => {
  const { db, catalogue } = catalog.database
  const storeUuid = await catalog.newStore()
  const imported = { storeUuid, file: '/a.csv', content: 'x', options: '{}', reportFile: null }
  const report = { begin: async () => {}, add: async () => 0 }
  const at = (rows: number) => ({ counts: { ...noCounts, rows }, reportEnd: 0 })
  const run = (resumed: ResumedImport | undefined, rows: number, stopped?: string) =>
    runAsJob(db, { ...imported, origin: undefined, resumed }, report, async ({ report: begun, savePosition }) => {
      await begun.begin([], { format: 'csv' })
      await inTransaction(catalogue, (transaction) => savePosition(at(rows), transaction.db))
      return {
        counts: at(rows).counts,
        stopped,
        isBroken: false,
        cause: undefined,
        recognized: undefined,
        notes: [],
      }
    })
  await run(undefined, 10, 'interrupted')
  const found = await findInterrupted(db, imported)
  expect(found?.position).toEqual(at(10))
  await run(found, 20, 'interrupted')
  await expect(run(found, 20)).rejects.toThrow('another import of /a.csv is running')
  const next = await findInterrupted(db, imported)
  expect(next).toMatchObject({ jobId: found?.jobId, position: at(20) })
  await deleteJob(catalogue, next?.jobId ?? '')
  expect(await findInterrupted(db, imported)).toBeUndefined()
  await run(undefined, 10)
  expect(await findInterrupted(db, imported)).toBeUndefined()
})

test('rows whose report finds no room on the disk are not in, and go in with it later', async () => {
  const bad = `sku,status\n${Array.from({ length: 400 }, (_, i) => `S${i},${i % 4 === 0 ? 'bad' : 'new'}\n`).join('')}`
  const file = await catalog.file('unreported.csv', bad)
  const [whole, parts] = [catalog.path('unreported-whole.csv'), catalog.path('unreported-parts.csv')]
  await catalog.answer([file, '--store', await catalog.newStore(), '--errors', whole], 1)
  const store = await catalog.newStore()
  const args = [file, '--store', store, '--errors', parts, '--chunk-rows', '20', '--json', '--resume']
  // A limit on the size of files does what a full disk does.
  const command = `trap '' XFSZ; ulimit -f 4; exec "$@"`
  const child = spawn('sh', ['-c', command, 'sh', program, 'import', ...args], {
    env: { PATH: searchPath, DATABASE_URL: catalog.database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { code, stdout, stderr } = await outcomeOf(child)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/stopped after row \d+: EFBIG/) })
  const worked = await position(store)
  expect(JSON.parse(stdout).rows).toBe(worked)
  expect(worked).toBeLessThan(400)
  expect(await catalog.answer(args, 1)).toMatchObject({ rows: 400, created: 300, failed: 100 })
  expect(await readFile(parts, 'utf8')).toBe(await readFile(whole, 'utf8'))
})

test('an interrupted import does not wait for a pipe without a writer', async () => {
  const store = await catalog.newStore()
  const pipe = catalog.path(`pipe-${store}`)
  await promisify(execFile)('mkfifo', [pipe])
  const writer = await open(pipe, 'r+')
  for (const written of ['', 'sku,n\nA,1\n']) {
    const moment = new Date().toISOString()
    const child = startImport([pipe, '--format', 'csv', '--store', store], { DATABASE_URL: catalog.database.url })
    const ended = outcomeOf(child)
    await writer.write(written)
    await expect.poll(() => sessions(`backend_start > '${moment}'`)).toBeGreaterThan(0)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ stderr: expect.stringContaining('stopped after row 0: interrupted') })
  }
  await writer.close()
})

async function sessions(which: string): Promise<number> {
  const { rows: found } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and ${sql.raw(which)}`.execute(catalog.database.db)
  return found[0]?.count ?? 0
}
