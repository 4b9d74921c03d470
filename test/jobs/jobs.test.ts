import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/asset-groups/check-read-model.ts'
import { newStore, query, unknownStore } from '../support/factories.ts'
import { token, useGateway } from '../support/gateway.ts'
import { send } from '../support/http.ts'
import { startProgram } from '../support/program.ts'

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

async function start(document: string, variables: Record<string, unknown>): Promise<string> {
  const { result } = await query<Job>(gateway, document, variables)
  expect(result).toMatchObject({ state: expect.stringMatching(/^(QUEUED|RUNNING)$/), storeUuid: variables.storeUuid })
  return result.jobId
}

async function jobOf(id: string): Promise<Job> {
  return (await query<Job>(gateway, `query ($id: ID!) { result: job(id: $id) { ${jobFields} } }`, { id })).result
}

async function ended(id: string): Promise<Job> {
  const isOver = async () => ['SUCCEEDED', 'FAILED'].includes((await jobOf(id)).state)
  await expect.poll(isOver, { timeout: 100_000, interval: 50 }).toBe(true)
  return jobOf(id)
}

async function outputOf(id: string): Promise<string> {
  const document = 'query ($id: ID!, $part: Int!) { result: job(id: $id) { output(part: $part) } }'
  let text = ''
  for (let part = 0; ; part++) {
    const { output } = (await query<{ output: string | null }>(gateway, document, { id, part })).result
    if (output === null) return text
    text += output
  }
}

const done = async (document: string, variables: Record<string, unknown>) => ended(await start(document, variables))

it('imports a text, reports what failed, and returns the failed rows for correction', async () => {
  const storeUuid = await newStore(gateway)
  const content = 'id,state,title,pics\nA,draft,First,"/1.jpg,/2.jpg"\nB,sold,Second,\nC,new,Third,/1.jpg\n'
  const options = { code: 'id', status: 'state', assets: ['pics'], assetBase: 'https://a.example' }
  const input = { content, ...options, map: [{ column: 'title', attribute: 'Name' }] }
  const job = await done(startImport, { storeUuid, input })
  expect(job).toMatchObject({ kind: 'IMPORT', state: 'SUCCEEDED', rowsDone: 3, error: null, outputParts: 2 })
  expect(job.counts).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 1, assetsAdded: 2, linksAdded: 3 })
  expect(job.problems).toEqual([
    { row: 2, line: 3, productCode: 'B', field: 'state', reason: expect.stringMatching(/^must be one of .*"sold"$/) },
  ])
  expect(job.rate).toBeGreaterThan(0)
  expect(Date.parse(job.heartbeatAt ?? '')).not.toBeNaN()
  const mended = (await outputOf(job.jobId)).replace('sold,Second', 'active,Second')
  expect(mended).toMatch(/^import_error_row,.*,id,state,title,pics\n2,state,.*,B,active,Second,\n$/)
  const again = await done(startImport, { storeUuid, input: { ...input, content: mended } })
  expect(again.counts).toMatchObject({ created: 1, failed: 0 })
  const preview = await done(startImport, {
    storeUuid,
    input: { ...input, content: 'id,state\nX,new\nY,bad\n', assets: [], map: [], dryRun: true },
  })
  expect(preview).toMatchObject({ state: 'SUCCEEDED', counts: { created: 1, failed: 1 }, problems: [{ row: 2 }] })
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

it('goes on with a job whose gateway was killed, and does nothing twice', async () => {
  const { db, url } = gateway.database
  const storeUuid = await newStore(gateway)
  const line = (i: number) =>
    `P${i},${i % 1000 === 0 ? 'bad' : 'new'},https://a.example/${i % 7000},https://a.example/b${i}\n`
  const content = `sku,status,Image URL 1,Image URL 2\n${Array.from({ length: 60_000 }, (_, i) => line(i)).join('')}`
  const jobId = await killedWithin(storeUuid, content)
  const job = await ended(jobId)
  expect(job).toMatchObject({ state: 'SUCCEEDED', rowsDone: 60_000 })
  expect(await db.selectFrom('job').select('attempt').where('job_id', '=', jobId).execute()).toEqual([{ attempt: 2 }])
  expect(job.counts).toEqual({
    created: 59_940,
    updated: 0,
    unchanged: 0,
    failed: 60,
    assetsAdded: 66_933,
    linksAdded: 119_880,
  })
  expect(job.problems.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, i) => 1 + i * 1000))
  expect((await outputOf(jobId)).trimEnd().split('\n')).toHaveLength(61)
  expect(await checkReadModel(db)).toEqual([])

  async function killedWithin(store: string, text: string): Promise<string> {
    const program = await startProgram(['serve'], { DATABASE_URL: url, BOOTSTRAP_TOKEN: token })
    const body = { query: startImport, variables: { storeUuid: store, input: { content: text } } }
    const { json } = await send(`${program.url}/graphql`, { method: 'POST', token, body })
    const { data } = json as { data: { result: Job } }
    const isBegun = async () =>
      (await db.selectFrom('import_run').select('file').where('store_uuid', '=', store).execute()).length
    await expect.poll(isBegun, { timeout: 40_000, interval: 5 }).toBe(1)
    await program.end('SIGKILL')
    return data.result.jobId
  }
}, 120_000)

it('does an export again whose gateway was killed, from one snapshot', async () => {
  const { db, url } = gateway.database
  const storeUuid = await newStore(gateway)
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select ${storeUuid}::uuid, 'P' || n, 'new', jsonb_build_object('Text', repeat(n || ' ', 100)) from generate_series(1, 30000) n`.execute(
    db,
  )
  const program = await startProgram(['serve'], { DATABASE_URL: url, BOOTSTRAP_TOKEN: token })
  const body = { query: startExport, variables: { storeUuid, format: 'JSONL' } }
  const { json } = await send(`${program.url}/graphql`, { method: 'POST', token, body })
  const { jobId } = (json as { data: { result: Job } }).data.result
  const parts = () => db.selectFrom('job_part').select('part').where('job_id', '=', jobId).execute()
  await expect.poll(async () => (await parts()).length, { timeout: 40_000, interval: 5 }).toBeGreaterThan(3)
  await program.end('SIGKILL')
  expect(await db.selectFrom('job').select('state').where('job_id', '=', jobId).execute()).toEqual([
    { state: 'running' },
  ])
  expect(await ended(jobId)).toMatchObject({ state: 'SUCCEEDED', rowsDone: 30_000 })
  expect(await db.selectFrom('job').select('attempt').where('job_id', '=', jobId).execute()).toEqual([{ attempt: 2 }])
  const again = await done(startExport, { storeUuid, format: 'JSONL' })
  expect((await outputOf(jobId)) === (await outputOf(again.jobId))).toBe(true)
}, 120_000)
