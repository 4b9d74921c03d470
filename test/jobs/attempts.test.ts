import { pino } from 'pino'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { type Attempt, beginAttempt, readAttempt } from '../../src/jobs/attempt.ts'
import { deleteJob, deleteOldJobs, type Job } from '../../src/jobs/job.ts'
import { runAttempt } from '../../src/jobs/run-attempt.ts'
import { runExport } from '../../src/jobs/run-export.ts'
import { runImport } from '../../src/jobs/run-import.ts'
import { startExport, startImport } from '../../src/jobs/start-job.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { keptLog } from '../support/log.ts'

const quotas = readConfig({}).jobQuotas
const database = useDatabase()
const context = { enumerations: fallbackEnumerations, quotas, signal: new AbortController().signal }

const newExport = async () => {
  const { catalogue } = database
  const storeUuid = await storeIn(catalogue)
  await inTransaction(catalogue, (work) => upsertProducts(work, storeUuid, [{ productCode: 'A' }]))
  return startExport(catalogue, storeUuid, { format: 'jsonl', channel: 'SMP', status: null }, quotas)
}

/** An import with one row that fails. */
const newImport = async (dryRun: boolean) => {
  const given = { format: 'csv' as const, channel: 'SMP', assets: [], assetSeparator: ',', map: [], onlyMapped: false }
  const options = { ...given, dryRun, store: await storeIn(database.catalogue) }
  return startImport(database.catalogue, fallbackEnumerations, options, 'sku,Image URL 1\nP1,no url\n', quotas)
}

async function begun(job: Job): Promise<Attempt> {
  const key = await beginAttempt(database.db, job)
  const attempt = key && (await readAttempt(database.db, key))
  if (!attempt) throw new Error('the job has ended')
  return attempt
}

const outputOf = ({ jobId }: Job) =>
  database.db.selectFrom('job_part').selectAll().where('job_id', '=', jobId).where('direction', '=', 'output').execute()

it.each([
  ['an import', () => newImport(false), runImport],
  ['a dry run', () => newImport(true), runImport],
  ['an export', newExport, runExport],
])('%s writes no output once a later attempt has begun', async (_name, start, run) => {
  const job = await start()
  const first = await begun(job)
  await begun(job)
  await expect(run(database.catalogue, first, context)).rejects.toThrow('another attempt at the job has begun')
  expect(await outputOf(job)).toEqual([])
})

it.each([
  ['an import', () => newImport(false), runImport],
  ['a dry run', () => newImport(true), runImport],
  ['an export', newExport, runExport],
])('%s leaves the output of a later attempt as it is', async (_name, start, run) => {
  const job = await start()
  const first = await begun(job)
  await run(database.catalogue, await begun(job), context)
  const output = await outputOf(job)
  expect(output.length).toBeGreaterThan(0)
  await run(database.catalogue, first, context).catch(() => {})
  expect(await outputOf(job)).toEqual(output)
})

it('an export whose job is deleted while it runs ends without an error in the log', async () => {
  const job = await newExport()
  const attempt = await begun(job)
  const { lines, log } = keptLog('error')
  const client = await database.client()
  await client.query('begin; lock table product')
  const ended = runAttempt(attempt, { ...context, catalogue: database.catalogue, log, reportProgress: () => {} })
  await expect.poll(database.lockWaiters).toBe(1)
  await deleteJob(database.catalogue, job.jobId)
  await client.end()
  await ended
  expect(lines).toEqual([])
})

it('a dry run that takes too long ends, and says what to do instead', async () => {
  const attempt = await begun(await newImport(true))
  expect(await runImport(database.catalogue, attempt, { ...context, maxDryRunMs: 0 })).toBe(
    'stopped after row 0: interrupted: a dry run may take 0 s; use a part of the file, or `catalog import --dry-run`',
  )
})

/** Makes an attempt that the database refuses with an error of this code when it saves its position. */
async function refused(job: Job, code: string) {
  const client = await database.client()
  await client.query(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise 'refused' using errcode = '${code}'; end $$;
    create trigger refuse before update on job for each row
      when (new.position is distinct from old.position) execute function refuse()`)
  try {
    const attempt = await begun(job)
    const log = pino({ level: 'silent' })
    const running = runAttempt(attempt, { ...context, catalogue: database.catalogue, log, reportProgress: () => {} })
    await expect(running).rejects.toMatchObject({ code })
  } finally {
    await client.query('drop function refuse cascade')
    await client.end()
  }
}

const storedOf = ({ jobId }: Job) =>
  database.db.selectFrom('job').select(['state', 'crashes']).where('job_id', '=', jobId).executeTakeFirst()

it.each(['55P03', '53100'])(
  'a job that the database refuses with %s is queued again, and not as a crash',
  async (code) => {
    const job = await newImport(false)
    for (let attempts = 0; attempts < 3; attempts++) {
      await refused(job, code)
      expect(await storedOf(job)).toEqual({ state: 'queued', crashes: 0 })
    }
  },
)

it.each(['40P01', '40001', '57014'])('a job that always ends with %s ends after two attempts', async (code) => {
  const job = await newImport(false)
  await refused(job, code)
  await refused(job, code)
  expect(await beginAttempt(database.db, job)).toBeUndefined()
  expect(await storedOf(job)).toEqual({ state: 'failed', crashes: 2 })
  await deleteJob(database.catalogue, job.jobId)
})

it('deletes old jobs with one statement each', async () => {
  const jobs = [await newExport(), await newExport(), await newImport(false)]
  const stored = database.db.updateTable('job').set({ state: 'succeeded', finished_at: new Date(0) })
  await stored
    .where(
      'job_id',
      'in',
      jobs.map(({ jobId }) => jobId),
    )
    .execute()
  const client = await database.client()
  await client.query(`
    create function refuse_many() returns trigger language plpgsql as $$
      begin
        if (select count(*) from gone) > 1 then raise 'several jobs are deleted at once'; end if;
        return null;
      end $$;
    create trigger refuse_many after delete on job referencing old table as gone
      for each statement execute function refuse_many()`)
  await deleteOldJobs(database.db, 1_000)
  await client.query('drop trigger refuse_many on job')
  await client.end()
  expect(await database.db.selectFrom('job').select('job_id').where('finished_at', 'is not', null).execute()).toEqual(
    [],
  )
  expect(await Promise.all(jobs.map(outputOf))).toEqual([[], [], []])
})
