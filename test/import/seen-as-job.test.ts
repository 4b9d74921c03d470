import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { endKilledImports } from '../../src/jobs/command-line-import.ts'
import { deleteJob } from '../../src/jobs/job.ts'
import { listJobs } from '../../src/jobs/list-jobs.ts'
import { outcomeOf } from '../support/clients/cli.ts'
import { startImport, useCatalog } from './catalog.ts'

const catalog = useCatalog()

const jobsOf = (store: string) =>
  listJobs(catalog.database.catalogue, store, {}, { limit: 10, backwards: false }).then((jobs) =>
    jobs.map(({ kind, state, counts, problems, error }) => ({ kind, state, counts, problems, error })),
  )

const lines = (n: number) => `sku,status\n${Array.from({ length: n }, (_, i) => `P${i},new\n`).join('')}`

it('an import of the command line is a job of the store, with its counts and problems', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('small.csv', 'sku,status\nA,new\nB,bad\nC,active\n')
  const { assets_added, links_added, ...answer } = await catalog.answer(
    [file, '--store', store, '--chunk-rows', '1'],
    1,
  )
  expect(await jobsOf(store)).toEqual([
    {
      kind: 'import',
      state: 'succeeded',
      counts: { ...answer, assetsAdded: assets_added, linksAdded: links_added },
      problems: [{ row: 2, line: 3, productCode: 'B', field: 'status', reason: expect.stringContaining('bad') }],
      error: null,
    },
  ])
  await catalog.answer([file, '--store', store, '--dry-run'], 1)
  expect(await jobsOf(store)).toHaveLength(1)
})

it('an import that fails is a job that failed', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('none.csv', 'name\nA\n')
  expect((await catalog.run([file, '--store', store])).code).toBe(2)
  expect(await jobsOf(store)).toMatchObject([
    { state: 'failed', error: expect.stringContaining('the column of the product code') },
  ])
})

it('a killed import is running until an hour has passed, and one whose job is deleted stops', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('large.csv', lines(20_000))
  const env = { DATABASE_URL: catalog.database.url }
  const { db, catalogue } = catalog.database
  const running = async () => {
    const { rows } = await sql<{ job_id: string }>`
      select job_id from job where store_uuid = ${store} and state = 'running' and (counts ->> 'rows')::int > 0`.execute(
      db,
    )
    return rows[0]?.job_id
  }
  const killed = startImport([file, '--store', store, '--chunk-rows', '200'], env)
  const ended = outcomeOf(killed)
  await expect.poll(running, { interval: 5 }).toBeDefined()
  killed.kill('SIGKILL')
  await ended
  await endKilledImports(db)
  expect(await jobsOf(store)).toMatchObject([{ state: 'running' }])
  await sql`update job set heartbeat_at = now() - interval '61 minutes' where store_uuid = ${store}`.execute(db)
  await endKilledImports(db)
  expect(await jobsOf(store)).toMatchObject([{ state: 'failed', error: expect.stringContaining('was ended') }])

  const deleted = outcomeOf(startImport([file, '--store', store, '--chunk-rows', '200'], env))
  await expect.poll(running, { interval: 5 }).toBeDefined()
  await deleteJob(catalogue, (await running()) ?? '')
  expect(await deleted).toMatchObject({ code: 1, stderr: expect.stringContaining('its job was deleted') })
})
