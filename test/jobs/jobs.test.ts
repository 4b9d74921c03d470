import { expect, it } from 'vitest'
import { newStore, query, unknownStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { outputOf as outputOn, runJob, startExport, startImport } from './support.ts'

const gateway = useGateway()
const none = { assetsFailed: 0, replaced: 0 }
const done = (document: string, variables: Record<string, unknown>) => runJob(document, variables, gateway)
const outputOf = (id: string) => outputOn(id, gateway)

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
  expect(job.counts).toEqual({
    created: 2,
    updated: 0,
    unchanged: 0,
    failed: 1,
    assetsAdded: 2,
    linksAdded: 3,
    ...none,
  })
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
  const rows = Array.from({ length: 600 }, (_, i) =>
    JSON.stringify({
      sku: `P${i}`,
      n: 'é😀'.repeat(i % 200),
      status: i % 2 ? 'new' : 'active',
      'Image URL 1': `https://a.example/${i}`,
    }),
  )
  await done(startImport, { storeUuid, input: { content: rows.join('\n'), format: 'JSONL' } })
  for (const format of ['CSV', 'JSONL']) {
    const job = await done(startExport, { storeUuid, format })
    expect(job).toMatchObject({ kind: 'EXPORT', state: 'SUCCEEDED', rowsDone: 600 })
    expect(job.outputParts).toBeGreaterThan(2)
    const text = await outputOf(job.jobId)
    expect((await done(startImport, { storeUuid: copy, input: { content: text, format } })).counts).toMatchObject({
      failed: 0,
    })
    expect(await outputOf((await done(startExport, { storeUuid: copy, format })).jobId)).toBe(text)
  }
  expect((await done(startExport, { storeUuid, status: 'ACTIVE' })).rowsDone).toBe(300)
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
  expect(await refused({ format: 'XLSX' })).toEqual([['invalid_request', expect.stringMatching(/POST \/v1\/imports$/)]])
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

it('shows what the import recognized and noted, and the request that can be reverted', async () => {
  const storeUuid = await newStore(gateway)
  const content = 'sku;status;n\nA;Draft;1\nB;draft\n'
  const job = await done(startImport, { storeUuid, input: { content } })
  expect(job).toMatchObject({ format: 'CSV', encoding: 'UTF-8', delimiter: ';', state: 'SUCCEEDED' })
  expect(job.notes).toEqual([
    { code: 'short_rows', column: null, rows: 1, example: 'row 2' },
    { code: 'status_case', column: 'status', rows: 1, example: expect.stringContaining('Draft') },
  ])
  const reverted = await query<{ reverted: object }>(
    gateway,
    `mutation ($s: ID!, $r: String!) { result: revertRequest(storeUuid: $s, requestId: $r) { reverted { products } } }`,
    { s: storeUuid, r: job.requestId },
  )
  expect(reverted.result.reverted).toEqual({ products: 2 })
  const json = await done(startImport, { storeUuid, input: { content: '[{"sku":"A"}]', format: 'JSON' } })
  expect(json).toMatchObject({ format: 'JSON', delimiter: null })
})

it('shows a job to those only who see its store', async () => {
  const [mine, other] = [await newStore(gateway), await newStore(gateway)]
  const { jobId } = await done(startImport, { storeUuid: mine, input: { content: 'sku\nA\n' } })
  const tokenOf = async (store: string) =>
    (await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })).secret
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
