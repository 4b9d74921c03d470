import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { type Gateway, startGateway } from '../../src/app/gateway.ts'
import { catalogueFor } from '../../src/catalogue/catalogue.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { beginAttempt } from '../../src/jobs/attempt.ts'
import { findJob, type Job } from '../../src/jobs/job.ts'
import { startExport, startImport } from '../../src/jobs/start-job.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { token } from '../support/servers/gateway.ts'

const config = { ...readConfig({ PORT: '0' }), persistedDocuments: undefined }
const quotas = config.jobQuotas

const database = useDatabase()
const gateways: Gateway[] = []
afterEach(stopAll)

async function startOne(): Promise<Gateway> {
  const { db, connection } = database
  const globalConfig = { enumerations: () => fallbackEnumerations, stop: () => {} }
  const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const options = { ...config, db, connection, globalConfig, log, bootstrapToken: token }
  const gateway = await startGateway(options)
  gateways.push(gateway)
  return gateway
}

async function stopAll(): Promise<void> {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()))
}

const newStore = () => storeIn(database.catalogue)

const queueExport = (storeUuid: string) =>
  startExport(database.catalogue, storeUuid, { format: 'jsonl', channel: 'SMP', status: null }, quotas)

const queueImport = (storeUuid: string, rows: number) => {
  const lines = Array.from({ length: rows }, (_, i) => `P${i},https://a.example/${i}\n`)
  const options = {
    format: 'csv' as const,
    channel: 'SMP',
    assets: [],
    assetSeparator: ',',
    map: [],
    onlyMapped: false,
    dryRun: false,
  }
  const content = `sku,Image URL 1\n${lines.join('')}`
  return startImport(database.catalogue, fallbackEnumerations, { ...options, store: storeUuid }, content, quotas)
}

async function currentState({ jobId }: Job): Promise<Job> {
  const job = await findJob(database.catalogue, jobId)
  if (!job) throw new Error(`there is no job ${jobId}`)
  return job
}

async function finished(job: Job): Promise<Job> {
  const isFinished = async () => (await currentState(job)).finishedAt !== null
  await expect.poll(isFinished, { timeout: 110_000, interval: 20 }).toBe(true)
  return currentState(job)
}

const attemptsOf = (jobs: readonly Job[]) => {
  const ids = jobs.map(({ jobId }) => jobId)
  return database.db.selectFrom('job').select(['attempt', 'crashes']).where('job_id', 'in', ids).execute()
}

/** Holds imports at the end of their first chunk, until the returned function is called. */
async function holdImports(): Promise<() => Promise<void>> {
  const client = await database.client()
  const release = () => client.end()
  onTestFinished(release)
  // It looks again and again: waiting for the lock would end after ten seconds.
  await client.query(`
    create or replace function wait_for_holder() returns trigger language plpgsql as $$
      begin
        while exists (
          select from pg_locks join pg_database d on d.oid = database
          where datname = current_database() and locktype = 'advisory' and objid = 1234 and granted
        ) loop perform pg_sleep(0.02); end loop;
        return new;
      end $$;
    create or replace trigger hold before update on job for each row
      when (new.position is distinct from old.position and new.state = 'running') execute function wait_for_holder();
    select pg_advisory_lock(1234)`)
  return release
}

const startOf = ({ startedAt }: Job) => startedAt?.getTime() ?? Number.NaN
const endOf = ({ finishedAt }: Job) => finishedAt?.getTime() ?? Number.NaN

it('runs the first job of a store before the second job of another store', async () => {
  const [busy, other] = [await newStore(), await newStore()]
  const jobs = [await queueExport(busy), await queueExport(busy), await queueExport(busy), await queueExport(other)]
  await startOne()
  const [first, second, third, ofOther] = (await Promise.all(jobs.map(finished))).map(startOf)
  expect([first, second, third]).toEqual([first, second, third].toSorted())
  expect(ofOther).toBeLessThanOrEqual(second ?? 0)
})

it('takes none of the connections for requests while it waits for jobs', async () => {
  await startOne()
  const watcher = await database.client()
  const queueSessions = `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'catalogue-gateway-queue'`
  await expect.poll(async () => (await watcher.query(queueSessions)).rowCount).toBe(1)
  // What the gateway does once after its start is over when it has sent nothing for half a second.
  let idleSince = Number.NaN
  const idleMs = () => {
    const { idle, total } = database.pool() ?? {}
    idleSince = idle === total ? idleSince || Date.now() : Number.NaN
    return Date.now() - idleSince
  }
  await expect.poll(idleMs).toBeGreaterThan(500)
  const held = Promise.withResolvers<void>()
  const all = Array.from({ length: 10 }, () => database.db.connection().execute(() => held.promise))
  const maxWaiting: number[] = []
  // The queue is polled every 2 s.
  for (let i = 0; i < 50; i++, await sleep(50)) maxWaiting.push(database.pool()?.waiting ?? 0)
  held.resolve()
  await Promise.all([...all, watcher.end()])
  expect(Math.max(...maxWaiting)).toBe(0)
})

it('runs each job once on several gateways', async () => {
  await Promise.all([startOne(), startOne(), startOne()])
  const stores = [await newStore(), await newStore(), await newStore()]
  const queued = await Promise.all(stores.flatMap((store) => Array.from({ length: 4 }, () => queueImport(store, 200))))
  const jobs = await Promise.all(queued.map(finished))
  expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(['succeeded']))
  expect(await attemptsOf(jobs)).toEqual(jobs.map(() => ({ attempt: 1, crashes: 0 })))
})

it('runs one job of a store at a time on several gateways, and jobs of other stores meanwhile', async () => {
  const release = await holdImports()
  await startOne()
  const storeUuid = await newStore()
  const long = await queueImport(storeUuid, 10)
  await expect.poll(async () => (await currentState(long)).state).toBe('running')
  await startOne()
  const next = await queueExport(storeUuid)
  await finished(await queueExport(await newStore()))
  expect([(await currentState(long)).state, (await currentState(next)).state]).toEqual(['running', 'queued'])
  await release()
  const [first, second] = await Promise.all([finished(long), finished(next)])
  expect(startOf(second)).toBeGreaterThanOrEqual(endOf(first))
})

it('begins one of the jobs of a store that are claimed at the same moment, and another one after its last sign of life', async () => {
  const storeUuid = await newStore()
  const jobs = await Promise.all(Array.from({ length: 4 }, () => queueExport(storeUuid)))
  const claim = () => Promise.allSettled(jobs.map((job) => beginAttempt(database.db, job)))
  const isBegun = ({ status }: { status: string }) => status === 'fulfilled'
  const begun = await claim()
  expect(begun.filter(isBegun)).toHaveLength(1)
  const states = (await Promise.all(jobs.map(currentState))).map(({ state }) => state)
  expect(states).toEqual(begun.map((claimed) => (isBegun(claimed) ? 'running' : 'queued')))
  const silent = sql<Date>`now() - interval '20 seconds'`
  await database.db.updateTable('job').set({ heartbeat_at: silent }).where('state', '=', 'running').execute()
  expect((await claim()).filter(isBegun)).toHaveLength(1)
})

it('gives the running job back at shutdown, and another gateway continues it', async () => {
  const gateway = await startOne()
  const job = await queueImport(await newStore(), 30_000)
  await expect.poll(async () => (await currentState(job)).counts.rows).toBeGreaterThan(0)
  await gateway.stop()
  expect(await currentState(job)).toMatchObject({ state: 'queued' })
  await startOne()
  await expect.poll(async () => (await currentState(job)).state).toBe('running')
  expect(await finished(job)).toMatchObject({ state: 'succeeded', counts: { rows: 30_000, created: 30_000 } })
  expect(await attemptsOf([job])).toEqual([{ attempt: 2, crashes: 0 }])
})

it('fails a job whose gateway died twice', async () => {
  const job = await queueExport(await newStore())
  const asAfterCrash = database.db.updateTable('job').set({ state: 'running', attempt: 2, crashes: 1 })
  await asAfterCrash.where('job_id', '=', job.jobId).execute()
  await startOne()
  expect(await finished(job)).toMatchObject({ state: 'failed', error: expect.stringMatching(/died .* twice/) })
})

it('queues a job of a caller that is limited to its store, with the transaction that creates it', async () => {
  const storeUuid = await newStore()
  const catalogue = catalogueFor(database.db, { stores: new Set([storeUuid]) })
  const options = { format: 'jsonl', channel: 'SMP', status: null }
  const job = await startExport(catalogue, storeUuid, options, quotas)
  await startOne()
  expect(await finished(job)).toMatchObject({ state: 'succeeded' })
})
