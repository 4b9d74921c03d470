import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { ended, type Job, outputOf, runJob, startExport, startImport } from '../jobs/support.ts'
import { useDatabase } from '../support/database/database.ts'
import { newStore, query } from '../support/factories.ts'
import { startTestGateway } from '../support/servers/gateway.ts'
import { serve } from '../support/servers/serve.ts'

describe('a job whose gateway was killed', () => {
  /** A database on which no other gateway takes the job first: only the program runs jobs, until it is killed. */
  const database = useDatabase({}, 'each')
  const started: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop()
  })

  it('goes on, and does nothing twice', async () => {
    const line = (i: number) =>
      `P${i},${i % 500 === 0 ? 'bad' : 'new'},https://a.example/${i % 7000},https://a.example/b${i}\n`
    const content = `sku,status,Image URL 1,Image URL 2\n${Array.from({ length: 11_000 }, (_, i) => line(i)).join('')}`
    const { jobId, successor } = await killedInTheMiddle(startImport, { input: { content } })
    expect(await database.db.selectFrom('job').select('position').execute()).not.toEqual([{ position: null }])
    const job = await ended(jobId, successor)
    expect(job).toMatchObject({ state: 'SUCCEEDED_WITH_FAILURES', rowsDone: 11_000 })
    expect(await attemptsOf(jobId)).toEqual({ attempt: 2, crashes: 1 })
    const counts = { created: 10_978, updated: 0, unchanged: 0, failed: 22, assetsAdded: 17_964, linksAdded: 21_956 }
    const none = { assetsFailed: 0, replaced: 0 }
    expect(job.counts).toEqual({ ...counts, ...none })
    expect(job.problems.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, i) => 1 + i * 500))
    expect((await outputOf(jobId, successor)).trimEnd().split('\n')).toHaveLength(23)
    expect(await checkReadModel(database.db)).toEqual([])
  })

  it('does an export again, from one snapshot', async () => {
    const { jobId, storeUuid, successor } = await killedInTheMiddle(startExport, { format: 'JSONL' }, (store) =>
      sql`insert into product (store_uuid, product_code, status, attributes)
        select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', repeat(n || ' ', 100))
        from generate_series(1, 1000) n`.execute(database.db),
    )
    expect(await ended(jobId, successor)).toMatchObject({ state: 'SUCCEEDED', rowsDone: 1_000 })
    expect(await attemptsOf(jobId)).toEqual({ attempt: 2, crashes: 1 })
    const again = await runJob(startExport, { storeUuid, format: 'JSONL' }, successor)
    expect((await outputOf(jobId, successor)) === (await outputOf(again.jobId, successor))).toBe(true)
  })

  /** Starts a job in a program; kills the program once the job has written a part and waits to write the next. */
  async function killedInTheMiddle(
    document: string,
    variables: Record<string, unknown>,
    prepare: (storeUuid: string) => Promise<unknown> = async () => {},
  ) {
    const holder = await database.client()
    await holder.query(holdSecondPart)
    const program = await serve(database)
    started.push(() => program.end('SIGKILL'))
    const storeUuid = await newStore(program)
    await prepare(storeUuid)
    const { jobId } = (await query<Job>(program, document, { storeUuid, ...variables })).result
    await expect.poll(database.lockWaiters, { timeout: 40_000, interval: 5 }).toBe(1)
    expect(await database.db.selectFrom('job').select('state').execute()).toEqual([{ state: 'running' }])
    await program.end('SIGKILL')
    await holder.end()
    const successor = await startTestGateway({ database })
    started.push(successor.stop)
    return { jobId, storeUuid, successor }
  }

  const attemptsOf = (jobId: string) =>
    database.db.selectFrom('job').select(['attempt', 'crashes']).where('job_id', '=', jobId).executeTakeFirst()
})

const holdSecondPart = `
  create function wait_for_holder() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
  create trigger hold_second_part before insert on job_part for each row
    when (new.direction = 'output' and new.part = 1) execute function wait_for_holder();
  select pg_advisory_lock(1)`
