import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { newStore } from '../../support/factories.ts'
import { startTestGateway, type TestGateway, useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const quotas = { jobQuotas: { queued: 3, keptMb: 2 } }
const gateway = useGateway({ more: quotas })
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const startImport = `mutation ($store: ID!, $content: String!, $dryRun: Boolean) {
  job: startImport(storeUuid: $store, input: { content: $content, dryRun: $dryRun }) { jobId } }`
const startExport = 'mutation ($store: ID!) { job: startExport(storeUuid: $store, format: JSONL) { jobId } }'
const deleteJob = 'mutation ($id: ID!, $dryRun: Boolean) { deleteJob(jobId: $id, dryRun: $dryRun) { jobId state } }'
const readJob = 'query ($id: ID!) { job(id: $id) { state error rowsDone outputParts } }'

async function start(document: string, variables: object, on = gateway): Promise<string> {
  const { job } = (await on.data(document, { ...variables })) as { job?: { jobId: string } }
  return job?.jobId ?? ''
}

async function stateOf(id: string) {
  const { job } = (await gateway.data(readJob, { id })) as {
    job?: { state: string; error: string | null; rowsDone: number; outputParts: number } | null
  }
  return job
}

async function ended(id: string) {
  await expect.poll(async () => (await stateOf(id))?.state).toMatch(/SUCCEEDED|FAILED/)
  return stateOf(id)
}

async function refusalOf(document: string, variables: object, on: TestGateway = gateway) {
  const { errors, data } = await on.graphql(document, { ...variables })
  expect(data).toBeNull()
  return errors?.map(({ message, extensions: { code } }) => [code, message])
}

const rowsOf = (store: string) =>
  sql<{ jobs: string; parts: string }>`
    select (select count(*) from job where store_uuid = ${store}) as jobs,
      (select count(*) from job_part where store_uuid = ${store}) as parts`
    .execute(gateway.database.db)
    .then(({ rows }) => rows[0])

/** Lets no export read until the returned function is called. */
async function holdJobs(): Promise<() => Promise<void>> {
  const holder = await gateway.database.client()
  await holder.query('begin; lock table product in access exclusive mode')
  const release = async () => {
    await holder.query('commit')
    await holder.end()
  }
  ends.push(() => release().catch(() => {}))
  return release
}

async function fill(store: string, products: number, characters: number): Promise<void> {
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', repeat('x', ${characters}::integer))
    from generate_series(1, ${products}::integer) n`.execute(gateway.database.db)
}

describe('the quota of queued jobs', () => {
  it('holds for requests that come together, and says what to do', async () => {
    const store = await newStore(gateway)
    await fill(store, 1, 1)
    const release = await holdJobs()
    const running = await start(startExport, { store })
    await expect.poll(async () => (await stateOf(running))?.state).toBe('RUNNING')
    const replies = await Promise.all(Array.from({ length: 12 }, () => gateway.graphql(startExport, { store })))
    const refused = replies.flatMap(({ errors = [] }) => errors)
    expect(refused).toHaveLength(9)
    for (const { message, extensions } of refused) {
      expect(extensions.code).toBe('quota_exceeded')
      expect(message).toMatch(/^at most 3 jobs of a store may be queued; there are 3: wait .* or delete one/)
    }
    expect(await start(startExport, { store: await newStore(gateway) })).toBeDefined()
    const queued = replies.flatMap(({ data }) => (data?.job as { jobId: string } | undefined)?.jobId ?? [])
    await gateway.data(deleteJob, { id: queued[0] })
    queued.push(await start(startExport, { store }))
    await release()
    for (const id of queued.slice(1)) expect(await ended(id)).toMatchObject({ state: 'SUCCEEDED' })
  })
})

describe('the quota of kept input and output', () => {
  it('refuses a job whose input has no room, and takes it once another is deleted', async () => {
    const store = await newStore(gateway)
    await fill(store, 150, 10_000)
    const kept = await start(startExport, { store })
    expect(await ended(kept)).toMatchObject({ state: 'SUCCEEDED', rowsDone: 150 })
    const content = `sku,Text\n${'x'.repeat(700_000)}`
    const before = await rowsOf(store)
    expect(await refusalOf(startImport, { store, content })).toEqual([
      ['quota_exceeded', expect.stringMatching(/at most 2 MiB .*; they keep 2 MiB, .* delete jobs with deleteJob/)],
    ])
    expect(await rowsOf(store)).toEqual(before)
    await gateway.data(deleteJob, { id: kept })
    expect(await ended(await start(startImport, { store, content }))).toMatchObject({
      state: 'SUCCEEDED_WITH_FAILURES',
    })
  })

  it('fails an export that grows over it, which keeps no output', async () => {
    const store = await newStore(gateway)
    await fill(store, 1_000, 10_000)
    expect(await ended(await start(startExport, { store }))).toMatchObject({
      state: 'FAILED',
      error: expect.stringMatching(/may keep at most 2 MiB .*deleteJob/),
      outputParts: 0,
    })
  })

  it.each([true, false])('stops an import whose failed rows grow over it (dry run: %s)', async (dryRun) => {
    const store = await newStore(gateway)
    const content = `sku,status\n${Array.from({ length: 30_000 }, (_, i) => `P${i},bad\n`).join('')}`
    const job = await ended(await start(startImport, { store, content, dryRun }))
    expect(job).toMatchObject({ state: 'FAILED', error: expect.stringMatching(/may keep at most 2 MiB/) })
  })
})

describe('deleteJob', () => {
  it('deletes a job with its parts, and previews that', async () => {
    const store = await newStore(gateway)
    await fill(store, 5, 10)
    const id = await start(startExport, { store })
    await ended(id)
    const deleted = { deleteJob: { jobId: id, state: 'SUCCEEDED' } }
    expect(await gateway.data(deleteJob, { id, dryRun: true })).toEqual(deleted)
    expect(await rowsOf(store)).toEqual({ jobs: '1', parts: '1' })
    expect(await gateway.data(deleteJob, { id })).toEqual(deleted)
    expect(await rowsOf(store)).toEqual({ jobs: '0', parts: '0' })
    expect(await gateway.data(deleteJob, { id })).toEqual({ deleteJob: null })
  })

  it('cancels a running import, and another job of the store runs', async () => {
    const store = await newStore(gateway)
    const content = `sku\n${Array.from({ length: 50_000 }, (_, i) => `P${i}\n`).join('')}`
    const id = await start(startImport, { store, content })
    await expect.poll(async () => (await stateOf(id))?.rowsDone).toBeGreaterThan(0)
    expect(await gateway.data(deleteJob, { id })).toEqual({ deleteJob: { jobId: id, state: 'RUNNING' } })
    expect(await ended(await start(startExport, { store }))).toMatchObject({ state: 'SUCCEEDED' })
    expect(await stateOf(id)).toBeNull()
    const { db } = gateway.database
    const imported = sql<{ n: number }>`select count(*)::integer as n from product where store_uuid = ${store}`
    expect((await imported.execute(db)).rows[0]?.n).toBeLessThan(50_000)
  })

  it('finds no job of a store that the token is not limited to, and needs the scope write', async () => {
    const [mine, other] = [await newStore(gateway), await newStore(gateway)]
    const id = await start(startExport, { store: mine })
    await ended(id)
    const ask = async (scopes: ('READ' | 'WRITE')[], stores: string[]) => {
      const { secret } = await newToken(gateway, { scopes, stores })
      const body = { query: deleteJob, variables: { id } }
      return (await gateway.call('/graphql', { method: 'POST', token: secret, body })).json
    }
    expect(await ask(['READ', 'WRITE'], [other])).toMatchObject({ data: { deleteJob: null } })
    expect(await ask(['READ'], [mine])).toMatchObject({ errors: [{ extensions: { code: 'forbidden' } }] })
    expect(await ask(['READ', 'WRITE'], [mine])).toMatchObject({ data: { deleteJob: { jobId: id } } })
  })
})

it('deletes jobs that ended longer ago than they are kept', async () => {
  const { database } = gateway
  const store = await newStore(gateway)
  const [old, recent] = [await start(startExport, { store }), await start(startExport, { store })]
  for (const id of [old, recent]) await ended(id)
  const hourOld = { finished_at: sql<Date>`now() - interval '1 hour'` }
  await database.db.updateTable('job').set(hourOld).where('job_id', '=', old).execute()
  const more = await startTestGateway({ database, more: { ...quotas, jobsRetention: 1_800_000 } })
  ends.push(more.stop)
  await expect.poll(() => stateOf(old)).toBeNull()
  expect(await stateOf(recent)).toMatchObject({ state: 'SUCCEEDED' })
})

it("runs a job of another store while one store's job is held and many of its jobs wait", async () => {
  const patient = await startTestGateway()
  ends.push(patient.stop)
  const [busy, other] = [await newStore(patient), await newStore(patient)]
  const holder = await patient.database.client()
  ends.push(() => holder.end())
  await holder.query(holdOutputOf(busy))
  for (let i = 0; i < 10; i++) await start(startExport, { store: busy }, patient)
  const { db } = patient.database
  await start(startExport, { store: other }, patient)
  const states = async (store: string) => {
    const found = db.selectFrom('job').select('state').where('store_uuid', '=', store).orderBy('created_at')
    return (await found.execute()).map(({ state }) => state)
  }
  await expect.poll(patient.database.lockWaiters).toBe(1)
  await expect.poll(() => states(other)).toEqual(['succeeded'])
  expect(await states(busy)).toEqual(['running', ...Array(9).fill('queued')])
})

const holdOutputOf = (store: string) => `
  create function wait_for_holder() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
  create trigger hold_output before update on job for each row
    when (new.store_uuid = '${store}' and new.state = 'succeeded') execute function wait_for_holder();
  select pg_advisory_lock(1)`
