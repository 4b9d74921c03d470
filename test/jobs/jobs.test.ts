import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/asset-groups/check-read-model.ts'
import { send } from '../support/clients/http.ts'
import { useDatabase } from '../support/database/database.ts'
import { newStore, query, storeBody, unknownStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token, useGateway } from '../support/servers/gateway.ts'
import { startProgram } from '../support/servers/program.ts'

const gateway = useGateway()

interface Job {
  jobId: string
  storeUuid: string
  kind: string
  state: string
  rowsDone: number
  counts: Record<string, number>
  problems: Record<string, unknown>[]
  error: string | null
  rate: number | null
  heartbeatAt: string | null
  outputParts: number
}

const jobFields = `jobId storeUuid kind state rowsDone rate heartbeatAt error outputParts
  counts { created updated unchanged failed assetsAdded linksAdded } problems { row line productCode field reason }`
const startImport = `mutation ($storeUuid: ID!, $input: ImportInput!) {
  result: startImport(storeUuid: $storeUuid, input: $input) { ${jobFields} } }`
const startExport = `mutation ($storeUuid: ID!, $format: FileFormat, $status: ProductStatus) {
  result: startExport(storeUuid: $storeUuid, format: $format, status: $status) { ${jobFields} } }`

async function start(document: string, variables: Record<string, unknown>, on: TestGateway): Promise<string> {
  const { result } = await query<Job>(on, document, variables)
  expect(result).toMatchObject({ state: expect.stringMatching(/^(QUEUED|RUNNING)$/), storeUuid: variables.storeUuid })
  return result.jobId
}

async function jobOf(id: string, on = gateway): Promise<Job> {
  return (await query<Job>(on, `query ($id: ID!) { result: job(id: $id) { ${jobFields} } }`, { id })).result
}

async function ended(id: string, on = gateway): Promise<Job> {
  const isOver = async () => !['QUEUED', 'RUNNING'].includes((await jobOf(id, on)).state)
  await expect.poll(isOver, { timeout: 100_000, interval: 50 }).toBe(true)
  return jobOf(id, on)
}

async function outputOf(id: string, on = gateway): Promise<string> {
  const document = 'query ($id: ID!, $part: Int!) { result: job(id: $id) { output(part: $part) } }'
  let text = ''
  for (let part = 0; ; part++) {
    const { output } = (await query<{ output: string | null }>(on, document, { id, part })).result
    if (output === null) return text
    text += output
  }
}

const done = async (document: string, variables: Record<string, unknown>, on = gateway) =>
  ended(await start(document, variables, on), on)

it('imports a text, reports what failed, and returns the failed rows for correction', async () => {
  const storeUuid = await newStore(gateway)
  const content = 'id,state,title,pics\nA,draft,First,"/1.jpg,/2.jpg"\nB,sold,Second,\nC,new,Third,/1.jpg\n'
  const options = { code: 'id', status: 'state', assets: ['pics'], assetBase: 'https://a.example' }
  const input = { content, ...options, map: [{ column: 'title', attribute: 'Name' }] }
  const job = await done(startImport, { storeUuid, input })
  expect(job).toMatchObject({
    kind: 'IMPORT',
    state: 'SUCCEEDED_WITH_FAILURES',
    rowsDone: 3,
    error: null,
    outputParts: 2,
  })
  expect(job.counts).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 1, assetsAdded: 2, linksAdded: 3 })
  expect(job.problems).toEqual([
    { row: 2, line: 3, productCode: 'B', field: 'state', reason: expect.stringMatching(/^must be one of .*"sold"$/) },
  ])
  expect(job.rate).toBeGreaterThan(0)
  expect(Date.parse(job.heartbeatAt ?? '')).not.toBeNaN()
  const fixed = (await outputOf(job.jobId)).replace('sold,Second', 'active,Second')
  expect(fixed).toMatch(/^import_error_row,.*,id,state,title,pics\n2,state,.*,B,active,Second,\n$/)
  const again = await done(startImport, { storeUuid, input: { ...input, content: fixed } })
  expect(again.counts).toMatchObject({ created: 1, failed: 0 })
  const preview = await done(startImport, {
    storeUuid,
    input: { ...input, content: 'id,state\nX,new\nY,bad\n', assets: [], map: [], dryRun: true },
  })
  expect(preview).toMatchObject({
    state: 'SUCCEEDED_WITH_FAILURES',
    counts: { created: 1, failed: 1 },
    problems: [{ row: 2 }],
  })
  expect(await outputOf(preview.jobId)).toContain(',Y,bad\n')
  const product = await query<{ product: unknown }>(
    gateway,
    `query ($s: ID!) { result: store(storeUuid: $s) { product(productCode: "X") { status } } }`,
    { s: storeUuid },
  )
  expect(product.result.product).toBeNull()
})

it('exports what an import reads, in parts, and only what is asked for', async () => {
  const [storeUuid, copy] = [await newStore(gateway), await newStore(gateway)]
  const rows = Array.from({ length: 2_500 }, (_, i) =>
    JSON.stringify({
      sku: `P${i}`,
      n: 'é😀'.repeat(i % 60),
      status: i % 2 ? 'new' : 'active',
      'Image URL 1': `https://a.example/${i}`,
    }),
  )
  await done(startImport, { storeUuid, input: { content: rows.join('\n'), format: 'JSONL' } })
  for (const format of ['CSV', 'JSONL']) {
    const job = await done(startExport, { storeUuid, format })
    expect(job).toMatchObject({ kind: 'EXPORT', state: 'SUCCEEDED', rowsDone: 2_500 })
    expect(job.outputParts).toBeGreaterThan(2)
    const text = await outputOf(job.jobId)
    expect((await done(startImport, { storeUuid: copy, input: { content: text, format } })).counts).toMatchObject({
      failed: 0,
    })
    expect(await outputOf((await done(startExport, { storeUuid: copy, format })).jobId)).toBe(text)
  }
  expect((await done(startExport, { storeUuid, status: 'ACTIVE' })).rowsDone).toBe(1_250)
})

it('says what is wrong with what it is asked, and with a file that cannot be imported', async () => {
  const storeUuid = await newStore(gateway)
  const refused = async (input: object, store = storeUuid) => {
    const { errors } = await gateway.graphql(startImport, {
      storeUuid: store,
      input: { content: 'sku\nA\n', ...input },
    })
    return errors?.map(({ message, extensions: { code } }) => [code, message])
  }
  expect(await refused({}, unknownStore())).toEqual([['store_not_found', expect.any(String)]])
  expect(await refused({ channel: 'Nowhere' })).toEqual([
    ['invalid_request', expect.stringMatching(/^channel must be one of/)],
  ])
  expect(await refused({ assetBase: 'media' })).toEqual([
    ['invalid_request', expect.stringMatching(/^assetBase must be an absolute URL/)],
  ])
  expect(await refused({ map: [{ column: 'n', attribute: 'status' }] })).toEqual([
    ['invalid_request', expect.stringMatching(/^map n=status/)],
  ])
  for (const bad of ['\0', '\ud800']) {
    expect(await refused({ content: `sku,n\nA,${bad}\n` })).toEqual([
      ['invalid_request', expect.stringMatching(/^input.content must be a string without NUL and lone surrogates/)],
    ])
    expect(await refused({ assets: ['pics', bad] })).toEqual([
      ['invalid_request', expect.stringMatching(/^input.assets\[1\] must be a string without NUL/)],
    ])
  }
  const { errors } = await gateway.graphql(startExport, { storeUuid, format: 'JSON' })
  expect(errors?.[0]?.extensions.code).toBe('invalid_request')
  const job = await done(startImport, { storeUuid, input: { content: 'id\nA\n' } })
  expect(job).toMatchObject({
    state: 'FAILED',
    error: expect.stringMatching(/^code must name the column of the product code/),
  })
  const broken = await done(startImport, { storeUuid, input: { content: 'sku,n\nA,1\n"B' } })
  expect(broken).toMatchObject({
    state: 'FAILED',
    rowsDone: 2,
    error: expect.stringMatching(/never ends/),
    counts: { created: 1, failed: 1 },
  })
})

it('shows a job to those only who see its store', async () => {
  const [mine, other] = [await newStore(gateway), await newStore(gateway)]
  const { jobId } = await done(startImport, { storeUuid: mine, input: { content: 'sku\nA\n' } })
  const tokenOf = async (store: string) => {
    const document = `mutation ($stores: [ID!]) { result: createToken(input: { name: "n", scopes: [READ, WRITE], stores: $stores }) { secret } }`
    return (await query<{ secret: string }>(gateway, document, { stores: [store] })).result.secret
  }
  const ask = async (secret: string, body: object) =>
    (await gateway.call('/graphql', { method: 'POST', token: secret, body })).json
  const see = { query: 'query ($id: ID!) { job(id: $id) { jobId } }', variables: { id: jobId } }
  expect(await ask(await tokenOf(mine), see)).toMatchObject({ data: { job: { jobId } } })
  const foreign = await tokenOf(other)
  expect(await ask(foreign, see)).toMatchObject({ data: { job: null } })
  for (const document of [startImport, startExport]) {
    const variables = { storeUuid: mine, input: { content: 'sku\nA\n' } }
    expect(await ask(foreign, { query: document, variables })).toMatchObject({
      errors: [{ extensions: { code: 'store_not_found' } }],
    })
  }
  expect(await gateway.graphql('{ job(id: "no uuid") { jobId } }')).toMatchObject({ data: { job: null } })
})

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
    expect(await database.db.selectFrom('import_run').select('file').execute()).toHaveLength(1)
    const job = await ended(jobId, successor)
    expect(job).toMatchObject({ state: 'SUCCEEDED_WITH_FAILURES', rowsDone: 11_000 })
    expect(await attemptsOf(jobId)).toEqual({ attempt: 2, crashes: 1 })
    expect(job.counts).toEqual({
      created: 10_978,
      updated: 0,
      unchanged: 0,
      failed: 22,
      assetsAdded: 17_964,
      linksAdded: 21_956,
    })
    expect(job.problems.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, i) => 1 + i * 500))
    expect((await outputOf(jobId, successor)).trimEnd().split('\n')).toHaveLength(23)
    expect(await checkReadModel(database.db)).toEqual([])
  }, 240_000)

  it('does an export again, from one snapshot', async () => {
    const { jobId, storeUuid, successor } = await killedInTheMiddle(startExport, { format: 'JSONL' }, (store) =>
      sql`insert into product (store_uuid, product_code, status, attributes)
        select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', repeat(n || ' ', 100))
        from generate_series(1, 1000) n`.execute(database.db),
    )
    expect(await ended(jobId, successor)).toMatchObject({ state: 'SUCCEEDED', rowsDone: 1_000 })
    expect(await attemptsOf(jobId)).toEqual({ attempt: 2, crashes: 1 })
    const again = await done(startExport, { storeUuid, format: 'JSONL' }, successor)
    expect((await outputOf(jobId, successor)) === (await outputOf(again.jobId, successor))).toBe(true)
  }, 240_000)

  /** Starts a job in a program; kills the program once the job has written a part and waits to write the next. */
  async function killedInTheMiddle(
    document: string,
    variables: Record<string, unknown>,
    prepare: (storeUuid: string) => Promise<unknown> = async () => {},
  ) {
    const holder = await database.client()
    await holder.query(holdSecondPart)
    const program = await startProgram(['serve'], { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token })
    started.push(() => program.end('SIGKILL'))
    const post = async (path: string, body: unknown) =>
      (await send(program.url + path, { method: 'POST', token, body })).json as { data: Record<string, never> }
    const { store_uuid: storeUuid = '' } = (await post('/v1/stores', storeBody())).data
    await prepare(storeUuid)
    const { result } = (await post('/graphql', { query: document, variables: { storeUuid, ...variables } })).data
    const { jobId } = result as unknown as Job
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
