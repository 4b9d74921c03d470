import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Item } from '../../support/clients/client.ts'
import { ask } from '../../support/clients/operations.ts'
import { restData } from '../../support/clients/rest-client.ts'
import { useDatabase } from '../../support/database/database.ts'
import { define, newStore } from '../../support/factories.ts'
import type { Program } from '../../support/servers/program.ts'
import { serve } from '../../support/servers/serve.ts'
import { times } from './attacker.ts'

const database = useDatabase()
let program: Program
/** The store of another tenant. */
let other: string
beforeAll(async () => {
  program = await serve(database, [], { QUOTA_JOB_OUTPUT_MB: '32' })
  other = await newStore(program)
})
afterAll(async () => {
  await program?.end('SIGKILL')
})

interface Job {
  state: string
  error: string | null
  problems: { reason: string }[]
  counts: { created: number; failed: number }
}

const start = (field: 'startImport' | 'startExport', args: Item) => ask<{ jobId: string }>(program, field, args)
const jobOf = (id: string) =>
  ask<Job>(program, 'job', { id }, '{ state error problems { reason } counts { created failed } }')
const definePatterns = (store: string, pattern: string) =>
  define(
    program,
    store,
    times(5, (i) => ({ name: `n${i}`, type: 'TEXT', pattern })),
  )

/** A pattern that runs in the thread of requests blocks them for minutes; a busy machine takes seconds. */
const maxWaitMs = 20_000

/** The longest wait of the other tenant in ms, and the peak memory in MiB, until the work is done. */
async function othersDuring(work: Promise<unknown>): Promise<{ wait: number; memory: number }> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  const most = { wait: 0, memory: 0 }
  while (!isDone) {
    const begun = performance.now()
    expect((await program.call('/health')).status).toBe(200)
    expect((await program.call(`/v1/assets?store_uuid=${other}`)).status).toBe(200)
    most.wait = Math.max(most.wait, performance.now() - begun)
    const [, bytes] = /^process_resident_memory_bytes (\S+)/m.exec((await program.call('/metrics')).text) ?? []
    most.memory = Math.max(most.memory, Number(bytes) / 1024 / 1024)
    await sleep(50)
  }
  await work
  return most
}

async function ended(id: string): Promise<Job> {
  for (;;) {
    const job = await jobOf(id)
    if (job.state !== 'QUEUED' && job.state !== 'RUNNING') return job
    await sleep(50)
  }
}

const csv = (rows: readonly string[]) => `${rows.join('\n')}\n`
/** The largest pattern of its kind that may be defined, and values that it is slow for, each different. */
const slowPattern = '[ab]*a[ab]{900}c'
const slowValue = () => Array.from({ length: 270 }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('')

const imports: Record<string, { input: () => object; pattern?: string; expected: object }> = {
  'five values of 60,000 characters where a pattern holds': {
    input: () => ({ content: csv(['sku,n0', ...times(5, (i) => `P${i},${'ab'.repeat(30_000)}`)]) }),
    pattern: slowPattern,
    expected: {
      counts: { failed: 5 },
      problems: times(5, () => ({ reason: expect.stringMatching(/must have at most 2\d\d characters, as a pattern/) })),
    },
  },
  '40,000 columns': {
    input: () => ({ content: csv([`sku,${times(40_000, (i) => `c${i}`).join(',')}`, 'A']) }),
    expected: { state: 'FAILED', error: 'the file must have at most 5000 columns; got 40001' },
  },
  '5,000 columns': {
    input: () => ({
      content: csv([
        `sku,${times(4_999, (i) => `c${i}`).join(',')}`,
        ...times(200, (i) => `${i}${',x'.repeat(4_999)}`),
      ]),
    }),
    expected: { state: 'SUCCEEDED', counts: { created: 200 } },
  },
  '5,000 columns with names of 1,000 characters': {
    input: () => ({ content: csv([`sku,${times(4_999, (i) => 'n'.repeat(1_000) + i).join(',')}`]) }),
    expected: { state: 'FAILED', error: "a column's name must have at most 300 characters; one has 1004" },
  },
  'rows with columns of their own, for each store view': {
    input: () => ({
      preset: 'MAGENTO',
      content: csv([
        `sku,store_view_code,${times(2_000, (i) => 'n'.repeat(250) + i).join(',')}`,
        ...times(300, (i) => `A${i},v${i}${','.repeat(2_000)}`),
      ]),
    }),
    expected: { state: 'SUCCEEDED', counts: { created: 300 } },
  },
  '250,000 attributes in one cell': {
    input: () => ({
      preset: 'MAGENTO',
      content: csv([
        `sku,${times(4_900, (i) => `k${i}`).join(',')},additional_attributes`,
        `A${','.repeat(4_900)},"${times(250_000, (i) => `a${i}=b`).join(',')}"`,
      ]),
    }),
    expected: { problems: [{ reason: 'must give a row at most 5000 columns; got 254902' }] },
  },
  'a row of 3,000,000 objects': {
    input: () => ({ format: 'JSONL', content: `{"sku":"A","n":[${'{},'.repeat(3_000_000)}0]}\n{"sku":"B"}` }),
    expected: { counts: { created: 1, failed: 1 }, problems: [{ reason: 'must have at most 100000 values' }] },
  },
  'one product with a column of its own in each row': {
    input: () => ({ format: 'JSONL', content: csv(times(30_000, (i) => `{"sku":"A","c${i}":"x"}`)) }),
    expected: { state: 'SUCCEEDED', counts: { created: 1 } },
  },
  'rows of which every value is bad': {
    input: () => ({
      content: csv([
        `sku,${times(2_000, (i) => `Image URL ${i + 1}`).join(',')}`,
        ...times(1_000, (i) => `${i}${',x'.repeat(2_000)}`),
      ]),
    }),
    expected: { state: 'SUCCEEDED_WITH_FAILURES', counts: { created: 1_000, failed: 0 } },
  },
}

it.each(Object.entries(imports))(
  'others are answered during an import: %s',
  async (_, { input, pattern, expected }) => {
    const store = await newStore(program)
    if (pattern) await definePatterns(store, pattern)
    const { jobId } = await start('startImport', { storeUuid: store, input: input() })
    const { wait, memory } = await othersDuring(ended(jobId))
    expect(await jobOf(jobId)).toMatchObject(expected)
    expect(wait).toBeLessThan(maxWaitMs)
    expect(memory).toBeLessThan(1_024)
  },
)

it('others are answered during imports whose patterns take minutes, large requests too, and they can be deleted', async () => {
  const products = times(3_000, (i) => ({ product_code: `P${i}`, Text: 'x'.repeat(50) }))
  const row = (i: number) => [`P${i}`, ...times(5, slowValue)].join(',')
  const jobs = times(2, async () => {
    const store = await newStore(program)
    await definePatterns(store, slowPattern)
    const input = { content: csv(['sku,n0,n1,n2,n3,n4', ...times(4_000, row)]) }
    return start('startImport', { storeUuid: store, input })
  })
  const ids = (await Promise.all(jobs)).map(({ jobId }) => jobId)
  const states = () => Promise.all(ids.map(async (id) => (await jobOf(id)).state))
  await expect.poll(states).toEqual(['RUNNING', 'RUNNING'])
  const { wait, memory } = await othersDuring(sleep(5_000))
  await restData(program, `POST /products?store_uuid=${other}`, products)
  expect(await states()).toEqual(['RUNNING', 'RUNNING'])
  expect(wait).toBeLessThan(maxWaitMs)
  expect(memory).toBeLessThan(1_024)
  for (const jobId of ids) await ask(program, 'deleteJob', { jobId }, '{ jobId }')
})

/** Products with 100 attributes of their own each, or with almost 4 MiB of text. */
const fillings = {
  names: `select jsonb_object_agg('own ' || n || ' ' || i, 'x') from generate_series(1, 100) i`,
  texts: `select jsonb_object_agg('Text ' || i, repeat('x', 60 * 1024)) from generate_series(1, 64) i`,
}

it.each([
  [
    '100,000 names as CSV',
    'names',
    'CSV',
    { state: 'FAILED', error: /^columns is required, as the products of the store have more than 2000 columns$/ },
  ],
  ['100,000 names as JSONL', 'names', 'JSONL', { state: 'SUCCEEDED' }],
  ['products of 4 MiB', 'texts', 'JSONL', { state: 'FAILED', error: /may keep at most 32 MiB/ }],
] as const)(
  'others are answered during an export: %s',
  async (_, filling, format, { state, error }: { state: string; error?: RegExp }) => {
    const store = await newStore(program)
    await using client = await database.client()
    await client.query(`insert into product (store_uuid, product_code, status, attributes)
    select '${store}', 'P' || n, 'new', (${fillings[filling]}) from generate_series(1, ${filling === 'names' ? 1_000 : 40}) n`)
    await client.query(`insert into attribute_name (store_uuid, name)
    select distinct store_uuid, jsonb_object_keys(attributes) from product where store_uuid = '${store}'`)
    const { jobId } = await start('startExport', { storeUuid: store, format })
    const { wait, memory } = await othersDuring(ended(jobId))
    expect(await jobOf(jobId)).toMatchObject({ state, error: error ? expect.stringMatching(error) : null })
    const sizes = await sql<{ most: number | null }>`
    select max(octet_length(bytes)) as most from job_part where job_id = ${jobId} and direction = 'output'`.execute(
      database.db,
    )
    expect(sizes.rows[0]?.most ?? 0).toBeLessThanOrEqual(32_768)
    expect(wait).toBeLessThan(maxWaitMs)
    expect(memory).toBeLessThan(1_024)
  },
)
