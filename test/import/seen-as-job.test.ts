import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { noCounts } from '../../src/import/position.ts'
import { endKilledImports, runAsJob } from '../../src/jobs/command-line-import.ts'
import { deleteJob, listJobs } from '../../src/jobs/job.ts'
import { outcomeOf, runCli } from '../support/clients/cli.ts'
import { startImport, useCatalog } from './catalog.ts'

const catalog = useCatalog()

const jobsOf = (store: string) =>
  listJobs(catalog.database.catalogue, store, {}, { limit: 10, backwards: false }).then((jobs) =>
    jobs.map(({ kind, state, counts, problems, error }) => ({ kind, state, counts, problems, error })),
  )

const lines = (from: number, to: number) =>
  `${from === 0 ? 'sku,status\n' : ''}${Array.from({ length: to - from }, (_, i) => `P${from + i},new\n`).join('')}`

it('an import of the command line is a job of the store, with its counts and problems', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('small.csv', 'sku,status\nA,new\nB,bad\nC,active\n')
  const { rows, created, updated, unchanged, failed } = await catalog.answer(
    [file, '--store', store, '--chunk-rows', '1'],
    1,
  )
  expect(await jobsOf(store)).toEqual([
    {
      kind: 'import',
      state: 'succeeded',
      counts: { ...noCounts, rows, created, updated, unchanged, failed },
      problems: [{ row: 2, line: 3, productCode: 'B', field: 'status', reason: expect.stringContaining('bad') }],
      error: null,
    },
  ])
  await catalog.answer([file, '--store', store, '--dry-run'], 1)
  expect(await jobsOf(store)).toHaveLength(1)
})

it('an import whose options do not fit the file is no job', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('none.csv', 'name\nA\n')
  expect(await catalog.run([file, '--store', store])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the column of the product code'),
  })
  expect(await jobsOf(store)).toEqual([])
})

it('an import prints the id of its request, with which it can be reverted at once', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('reverted.csv', 'sku\nA\n')
  const { request_id: id } = await catalog.details([file, '--store', store])
  const env = { DATABASE_URL: catalog.database.url }
  const { stdout } = await runCli(['revert', '--store', store, '--request', String(id), '--json'], env)
  expect(JSON.parse(stdout)).toMatchObject({ reverted: { products: 1 } })
  expect((await catalog.run([file, '--store', store])).stdout).toMatch(/\nrequest: [0-9a-f-]{36}\n$/)
  for (const withoutEffect of [[], ['--dry-run']])
    expect((await catalog.run([file, '--store', store, ...withoutEffect])).stdout).not.toContain('request')
})

/** An import that has written five chunks and waits for the rest of the sixth in an open pipe. */
async function startOnPipe(name: string, store: string) {
  const path = catalog.path(`${name}-${store}`)
  await promisify(execFile)('mkfifo', [path])
  const child = startImport([path, '--format', 'csv', '--store', store, '--chunk-rows', '200'], {
    DATABASE_URL: catalog.database.url,
  })
  const pipe = await open(path, 'w')
  await pipe.write(lines(0, 1_050))
  const ended = outcomeOf(child)
  await expect.poll(() => running(store)).toBeDefined()
  // Also an import that has failed only ends with the read of its pipe.
  const end = () => pipe.close()
  return { child, ended, end, writeMore: () => pipe.write(lines(1_050, 2_000)).then(end) }
}

/** The job, once the fifth chunk is committed. */
async function running(store: string): Promise<string | undefined> {
  const { rows } = await sql<{ job_id: string }>`
    select job_id from job where store_uuid = ${store} and state = 'running' and (counts ->> 'rows')::int = 1000`.execute(
    catalog.database.db,
  )
  return rows[0]?.job_id
}

const setHeartbeat = (store: string) =>
  sql`update job set heartbeat_at = now() - interval '61 minutes' where store_uuid = ${store}`.execute(
    catalog.database.db,
  )

it('a killed import is running until an hour has passed', async () => {
  const store = await catalog.newStore()
  const { child, ended, end } = await startOnPipe('killed', store)
  child.kill('SIGKILL')
  await ended
  await end()
  await endKilledImports(catalog.database.db)
  expect(await jobsOf(store)).toMatchObject([{ state: 'running' }])
  await setHeartbeat(store)
  await endKilledImports(catalog.database.db)
  expect(await jobsOf(store)).toMatchObject([{ state: 'failed', error: expect.stringContaining('no heartbeat') }])
})

it('an import stops when its job is deleted, or was ended because nothing was heard of it', async () => {
  const ends: [string, string, (store: string) => Promise<unknown>][] = [
    [
      'deleted',
      'its job was deleted',
      async (store) => deleteJob(catalog.database.catalogue, (await running(store)) ?? ''),
    ],
    [
      'expired',
      'no heartbeat for an hour',
      (store) => setHeartbeat(store).then(() => endKilledImports(catalog.database.db)),
    ],
  ]
  for (const [name, reason, end] of ends) {
    const store = await catalog.newStore()
    const { ended, writeMore } = await startOnPipe(name, store)
    await end(store)
    await writeMore()
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
  }
})

it('an import that waits for its input outlives the time-out of idle sessions', async () => {
  const { db } = catalog.database
  const { rows } = await sql<{ name: string; begun: Date }>`select current_database() as name, now() as begun`.execute(
    db,
  )
  const [{ name, begun } = { name: '', begun: new Date() }] = rows
  const idle = async () => {
    const recent = await sql`select from pg_stat_activity
      where datname = ${name} and backend_start > ${begun} and state_change > now() - interval '1 s'`.execute(db)
    return recent.rows.length === 0
  }
  await sql`alter database ${sql.id(name)} set idle_session_timeout = 200`.execute(db)
  try {
    const { ended, writeMore } = await startOnPipe('idle', await catalog.newStore())
    await expect.poll(idle).toBe(true)
    await writeMore()
    expect(await ended).toMatchObject({ code: 0 })
  } finally {
    await sql`alter database ${sql.id(name)} reset idle_session_timeout`.execute(db)
  }
})

it('an import that waits for its input shows each minute that it is alive', async () => {
  const storeUuid = await catalog.newStore()
  const { db } = catalog.database
  const pipe = { file: 'pipe', content: undefined, options: '{}', reportFile: null }
  const job = { storeUuid, ...pipe, origin: undefined, resumed: undefined }
  const report = { begin: async () => {}, add: async () => 0 }
  const age = async () => {
    const { rows } = await sql<{ minutes: number }>`
      select extract(minutes from now() - heartbeat_at)::int + 60 * extract(hours from now() - heartbeat_at)::int as minutes
      from job where store_uuid = ${storeUuid}`.execute(db)
    return rows[0]?.minutes
  }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    await runAsJob(db, job, report, async (work) => {
      await work.report.begin([], { format: 'csv' })
      await setHeartbeat(storeUuid)
      expect(await age()).toBe(61)
      vi.advanceTimersByTime(60_000)
      await expect.poll(age).toBe(0)
      return {
        counts: noCounts,
        isBroken: false,
        stopped: undefined,
        cause: undefined,
        recognized: undefined,
        notes: [],
      }
    })
  } finally {
    vi.useRealTimers()
  }
})
