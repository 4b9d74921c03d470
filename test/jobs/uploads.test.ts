import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { workbookOf } from '../import/read/xlsx.ts'
import { openWire } from '../support/clients/wire.ts'
import { newStore, unknownStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token, useGateway } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'

const kibibyte = 1024
const maxBytes = 2048 * kibibyte
const gateway = useGateway({ more: { importMax: maxBytes, uploadTimes: { idleMs: 3_000 } } })

type Query = Record<string, string> | [string, string][]
interface Answer {
  status: number
  headers: Headers
  data: Record<string, unknown> & { error_info: Record<string, unknown>[] }
}

async function upload(
  query: Query,
  body: BodyInit,
  headers: Record<string, string> = {},
  { url }: Pick<TestGateway, 'url'> = gateway,
): Promise<Answer> {
  const response = await fetch(`${url}/v1/imports?${new URLSearchParams(query)}`, {
    ...{ method: 'POST', body, duplex: 'half' },
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  const { data } = (await response.json()) as { data: Answer['data'] }
  return { status: response.status, headers: response.headers, data }
}

interface Import {
  state: string
  rows_done: number
  counts: Record<string, number>
  notes: { code: string }[]
  [name: string]: unknown
}

const importOf = async (id: unknown) => {
  const { json } = await gateway.call(`/v1/imports/${id}`)
  return (json as { data: Import }).data
}

/** Uploads a file, and returns its import when it has ended. */
async function imported(query: Query, body: BodyInit): Promise<Import> {
  const { status, data, headers } = await upload(query, body)
  expect({ status, data }).toMatchObject({ status: 200, data: { state: 'queued' } })
  expect(headers.get('location')).toBe(`/v1/imports/${data.job_id}`)
  await expect.poll(async () => (await importOf(data.job_id)).state).not.toMatch(/^(queued|running)/)
  return importOf(data.job_id)
}

const left = async (store: string) => {
  const { rows } = await sql`
    select (select count(*)::int from job where store_uuid = ${store}) as jobs,
      (select count(*)::int from job_part where store_uuid = ${store}) as parts`.execute(gateway.database.db)
  return rows[0]
}
const nothing = { jobs: 0, parts: 0 }

const table = [
  ['sku', 'Farbe'],
  ['A', 'grün'],
  ['B', 'weiß'],
]
const csv = (delimiter: string) => table.map((row) => `${row.join(delimiter)}\n`).join('')
const objects = table.slice(1).map(([sku, Farbe]) => ({ sku, Farbe }))
const feed =
  '<rss><channel><item><id>A</id><Farbe>grün</Farbe></item><item><id>B</id><Farbe>weiß</Farbe></item></channel></rss>'

it.each<[string, Uint8Array<ArrayBuffer> | string, Record<string, unknown>, Record<string, string>?]>([
  ['CSV', csv(','), { format: 'csv', encoding: 'UTF-8', delimiter: ',' }],
  ['CSV of Excel', Buffer.from(`sep=;\r\n${csv(';')}`, 'latin1'), { encoding: 'Windows-1252', delimiter: ';' }],
  ['CSV in UTF-16', Buffer.from(`\ufeff${csv('\t')}`, 'utf16le'), { encoding: 'UTF-16LE', delimiter: '\t' }],
  ['CSV of gzip', gzipSync(csv('|')), { format: 'csv', encoding: 'UTF-8', delimiter: '|' }],
  ['JSON', `\ufeff${JSON.stringify(objects)}`, { format: 'json', encoding: 'UTF-8', delimiter: null }],
  ['JSON in an object', JSON.stringify({ data: objects }), { format: 'json' }, { at: 'data' }],
  ['JSON Lines', objects.map((row) => `${JSON.stringify(row)}\n`).join(''), { format: 'jsonl' }],
  ['XLSX', Buffer.from(workbookOf({ Sheet: table })), { format: 'xlsx', encoding: null, delimiter: null }],
  ['XML', feed, { format: 'xml' }, { code: 'id' }],
  [
    'CSV with options of others',
    csv(','),
    { notes: [{ code: 'option_unused', example: 'at, sheet' }] },
    { sheet: 'x', at: 'y' },
  ],
])('imports a file in %s', async (_name, file, recognized, options = {}) => {
  const store = await newStore(gateway)
  const job = await imported({ store_uuid: store, ...options }, file)
  expect(job).toMatchObject({ state: 'succeeded', rows_done: 2, counts: { created: 2, failed: 0 }, ...recognized })
  const { json } = await gateway.call(`/v1/products?store_uuid=${store}`)
  expect(json).toMatchObject({ data: { products: { A: { Farbe: 'grün' }, B: { Farbe: 'weiß' } } } })
})

it('imports a file that comes in chunks, of any media type, and returns the failed rows to be corrected', async () => {
  const store = await newStore(gateway)
  const long = 'x'.repeat(40)
  const rows = Array.from({ length: 7_500 }, (_, i) => `P${i},${i % 2_500 === 1 ? 'sold' : 'Active'},${long}\n`)
  const stream = new Blob(['id,state,a|b\n', ...rows]).stream()
  const query: [string, string][] = [
    ...([
      ['store_uuid', store],
      ['code', 'id'],
      ['status', 'state'],
    ] as [string, string][]),
    ...([
      ['map', 'a|b=Name, long'],
      ['dry_run', 'false'],
      ['only_mapped', '1'],
    ] as [string, string][]),
  ]
  const job = await imported(query, stream)
  expect(job).toMatchObject({ state: 'succeeded with failures', counts: { created: 7_497, failed: 3 } })
  expect(job.notes.map(({ code }) => code)).toContain('status_case')
  const { text, headers } = await gateway.call(`/v1/imports/${job.job_id}/failures`)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(text.split('\n')).toHaveLength(5)
  const again = await imported(query, text.replaceAll('sold', 'active'))
  expect(again).toMatchObject({ state: 'succeeded', counts: { created: 3 } })
  expect((await gateway.call(`/v1/imports/${again.job_id}/failures`)).text).toBe('')
  const preview = await imported({ store_uuid: store, dry_run: 'true' }, 'sku\nNew\n')
  expect(preview).toMatchObject({ state: 'succeeded', counts: { created: 1 } })
  expect((await gateway.call(`/v1/products/New?store_uuid=${store}`)).status).toBe(404)
})

it('has no receipt and keeps no answer of a dry run', async () => {
  const store = await newStore(gateway)
  const send = async (dryRun: boolean) => {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': `dry ${dryRun}` }
    const path = `/v1/imports?store_uuid=${store}&dry_run=${dryRun}`
    const { status, json, headers: got } = await gateway.call(path, { method: 'POST', body: 'sku\nA\n', headers })
    const { job_id: job } = (json as { data: { job_id: string } }).data
    return { status, job, link: got.link }
  }
  const [preview, again] = [await send(true), await send(true)]
  expect([preview.status, preview.link, again.job === preview.job]).toEqual([200, undefined, false])
  const [first, repeated] = [await send(false), await send(false)]
  expect(first.link).toMatch(/\/requests\//)
  expect([repeated.status, repeated.job]).toEqual([200, first.job])
})

it('returns the bytes of a failed row that are not in its encoding', async () => {
  const store = await newStore(gateway)
  const bad = Buffer.concat([Buffer.from('B,caf'), Buffer.of(0xe9, 0x20), Buffer.from('here')])
  const file = Buffer.concat([Buffer.from('sku,n\nA,ü\n'), bad, Buffer.from('\nC,ö\n')])
  const job = await imported({ store_uuid: store }, file)
  expect(job).toMatchObject({ encoding: 'UTF-8', counts: { created: 2, failed: 1 } })
  const path = `/v1/imports/${job.job_id}/failures`
  const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const failures = Buffer.from(await response.arrayBuffer())
  expect(failures.toString('latin1')).toContain(`,${bad.toString('latin1')}\n`)
  const again = await imported({ store_uuid: store, encoding: 'UTF-8' }, failures)
  expect(again).toMatchObject({ counts: { created: 0, failed: 1 } })
})

it('begins the failed rows of a file in Windows-1252 with a byte-order mark, and reads them again', async () => {
  const store = await newStore(gateway)
  const job = await imported({ store_uuid: store }, Buffer.from('sku;status;n\nA;sold;\xfc\n', 'latin1'))
  expect(job).toMatchObject({ encoding: 'Windows-1252', counts: { failed: 1 } })
  const path = `${gateway.url}/v1/imports/${job.job_id}/failures`
  const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } })
  const failures = Buffer.from(await response.arrayBuffer()).toString()
  expect(failures).toMatch(/^\ufeffimport_error_row;.*\n1;.*;A;sold;ü\n$/)
  const again = await imported({ store_uuid: store }, failures.replace(';A;sold', ';A;draft'))
  expect(again).toMatchObject({ encoding: 'UTF-8', counts: { created: 1, failed: 0 } })
})

it('leaves nothing of a file that is cut, too large or empty', async () => {
  const store = await newStore(gateway)
  const head = (more: string) =>
    `POST /v1/imports?store_uuid=${store} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${more}\r\n\r\n`
  const wire = await openWire(gateway.url)
  wire.send(`${head(`Content-Length: ${maxBytes}`)}sku\n${'A\n'.repeat(300 * kibibyte)}`)
  await expect.poll(() => left(store)).toMatchObject({ jobs: 1, parts: 2 })
  wire.reset()
  await expect.poll(() => left(store)).toEqual(nothing)

  const large = (size: number) => new Blob([Buffer.alloc(size, 'sku\n')])
  expect(await upload({ store_uuid: store }, large(maxBytes + 1))).toMatchObject({ status: 413 })
  const stream = new Blob([large(maxBytes + 1)]).stream()
  expect(await upload({ store_uuid: store }, stream)).toMatchObject({
    status: 413,
    data: { error_info: [{ reason: 'payload_too_large', details: 'body must have at most 2 MiB' }] },
  })
  expect(await upload({ store_uuid: store }, new Blob([]))).toMatchObject({
    status: 400,
    data: { error_info: [{ details: 'body must be a file; got nothing' }] },
  })
  // It is refused before the file is read.
  expect(await upload({ store_uuid: store }, large(maxBytes + 1), { prefer: 'max-affected=5' })).toMatchObject({
    status: 400,
    data: { error_info: [{ field: 'Prefer' }] },
  })
  await expect.poll(() => left(store)).toEqual(nothing)
})

it('leaves nothing of a file whose job is deleted while it arrives', async () => {
  const store = await newStore(gateway)
  const deleted = async function* () {
    yield Buffer.alloc(300 * kibibyte, 'sku\n')
    await expect.poll(() => left(store)).toEqual({ jobs: 1, parts: 1 })
    await gateway.database.db.deleteFrom('job').where('store_uuid', '=', store).execute()
    yield Buffer.alloc(300 * kibibyte, 'A\n')
  }
  expect(
    await upload({ store_uuid: store }, Readable.toWeb(Readable.from(deleted())) as unknown as BodyInit),
  ).toMatchObject({
    status: 503,
    data: { error_info: [{ reason: 'unavailable', details: expect.stringContaining('the job of the upload') }] },
  })
  expect(await left(store)).toEqual(nothing)
})

it('leaves nothing of a file whose token is revoked while it arrives', async () => {
  const store = await newStore(gateway)
  const { tokenId, secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })
  const isKnown = async () => (await gateway.call('/v1/imports/none', { token: secret })).status !== 401
  const arriving = async function* () {
    yield Buffer.from('sku\nA\n')
    await expect.poll(() => left(store)).toMatchObject({ jobs: 1 })
    await revoke(gateway, tokenId)
    while (await isKnown()) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      yield Buffer.from('A\n')
    }
  }
  const body = Readable.toWeb(Readable.from(arriving())) as unknown as BodyInit
  expect(await upload({ store_uuid: store }, body, { authorization: `Bearer ${secret}` })).toMatchObject({
    status: 401,
    data: { error_info: [{ reason: 'unauthorized' }] },
  })
  expect(await left(store)).toEqual(nothing)
})

it('leaves nothing of a file for which its store has no room', async () => {
  await using full = await startTestGateway({
    database: gateway.database,
    more: { jobQuotas: { queued: 1, keptMb: 1 }, importMax: 16 * maxBytes },
  })
  const store = await newStore(full)
  const file = () => new Blob([Buffer.alloc(12 * maxBytes, 'sku\n')])
  const refused = { status: 429, data: { error_info: [{ reason: 'quota_exceeded' }] } }
  expect(await upload({ store_uuid: store }, file(), {}, full)).toMatchObject(refused)
  expect(await upload({ store_uuid: store }, file().stream(), {}, full)).toMatchObject(refused)
  await expect.poll(() => left(store)).toEqual(nothing)
})

it('answers 408 to a client that sends nothing for too long, and waits for one that is slow', async () => {
  const store = await newStore(gateway)
  using wire = await openWire(gateway.url)
  wire.send(
    `POST /v1/imports?store_uuid=${store} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  // Longer than a whole request with another body may take, with the time until the server looks at it.
  for (let sent = 0; sent < 45; sent++) {
    wire.send('2\r\nA\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  expect(await left(store)).toMatchObject({ jobs: 1 })
  const answer = await wire.answer()
  expect(answer).toMatchObject({ status: 408, text: expect.stringContaining('must not pause for more than 3 s') })
  await expect.poll(() => left(store)).toEqual(nothing)
})

it('answers 408 to a client that takes too long for a mebibyte', async () => {
  const mebibyteMs = 5_000
  const hasty = await startTestGateway({
    database: gateway.database,
    more: { importMax: 64 * maxBytes, uploadTimes: { mebibyteMs } },
  })
  const store = await newStore(hasty)
  let isAnswered = false
  const arriving = async function* () {
    for (const began = Date.now(); Date.now() < began + 1.2 * mebibyteMs && !isAnswered; ) {
      yield Buffer.alloc(1024 * kibibyte, 'A\n')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(isAnswered).toBe(false)
    while (!isAnswered) {
      yield Buffer.from('A\n')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const body = Readable.toWeb(Readable.from(arriving())) as unknown as BodyInit
  const answer = await upload({ store_uuid: store }, body, {}, hasty).finally(() => (isAnswered = true))
  expect(answer).toMatchObject({
    status: 408,
    data: { error_info: [{ details: 'each MiB of the body must come within 5 s' }] },
  })
  await expect.poll(() => left(store)).toEqual(nothing)
  await hasty.stop()
})

it('leaves places in the queue of a store to others than a token that uploads', async () => {
  const small = await startTestGateway({
    database: gateway.database,
    more: { jobQuotas: { queued: 4, keptMb: 16 }, importMax: maxBytes },
  })
  const store = await newStore(small)
  const { secret } = await newToken(small, { scopes: ['READ', 'WRITE'], stores: [store] })
  const trickles = await Promise.all([openWire(small.url), openWire(small.url)])
  for (const wire of trickles) {
    wire.send(
      `POST /v1/imports?store_uuid=${store} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nA\n\r\n`,
    )
  }
  await expect.poll(() => left(store)).toMatchObject({ jobs: 2 })
  expect(await upload({ store_uuid: store }, 'sku\nA\n', { authorization: `Bearer ${secret}` }, small)).toMatchObject({
    status: 429,
    data: { error_info: [{ reason: 'quota_exceeded', details: expect.stringContaining('at most 2 uploads') }] },
  })
  expect(await upload({ store_uuid: store }, 'sku\nA\n', {}, small)).toMatchObject({ status: 200 })
  for (const wire of trickles) wire.reset()
  await small.stop()
})

it.each<[Record<string, string> | [string, string][], string | undefined, RegExp]>([
  [{ delimeter: ';' }, 'delimeter', /^delimeter is unknown; expected some of store_uuid, channel/],
  [{ ['x'.repeat(41)]: '' }, undefined, /^a name of 41 characters is unknown; expected some of/],
  [{ format: 'pdf' }, 'format', /^format must be one of csv, jsonl, json, xml, xlsx; got "pdf"$/],
  [{ channel: 'none' }, 'channel', /^channel must be one of SMP/],
  [{ delimiter: 'ab' }, 'delimiter', /^delimiter must be one ASCII character/],
  [{ map_status: 'x' }, 'map_status', /^map_status must be VALUE=STATUS/],
  [{ asset_base: 'x' }, 'asset_base', /^asset_base must be an absolute URL/],
  [
    [
      ['map', 'a=b'],
      ['map', 'a=c'],
    ],
    'map',
    /^map names the column "a" twice$/,
  ],
  [
    [
      ['code', 'a'],
      ['code', 'b'],
    ],
    'code',
    /^code must be given once/,
  ],
  [{ dry_run: 'yes' }, 'dry_run', /^dry_run must be true or false/],
])('refuses the options %j before it reads the file', async (options, field, details) => {
  const store = await newStore(gateway)
  const query: [string, string][] = [
    ['store_uuid', store],
    ...(Array.isArray(options) ? options : Object.entries(options)),
  ]
  const { status, data } = await upload(query, 'sku\nA\n')
  expect(status).toBe(400)
  expect(data.error_info).toEqual([{ reason: 'invalid_request', field, details: expect.stringMatching(details) }])
  expect(await left(store)).toEqual(nothing)
})

it('hides the imports of other stores, and needs the scope write to begin one', async () => {
  const [mine, other] = [await newStore(gateway), await newStore(gateway)]
  const job = await imported({ store_uuid: other }, 'sku,status\nA,bad\n')
  const tenant = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [mine] })
  const reader = await newToken(gateway, { scopes: ['READ'] })
  const as = (secret: string) => ({ authorization: `Bearer ${secret}` })
  for (const store_uuid of [other, unknownStore(), 'none'])
    expect(await upload({ store_uuid }, 'sku\nA\n', as(tenant.secret))).toMatchObject({
      status: 404,
      data: { error_info: [{ reason: 'store_not_found', field: 'store_uuid' }] },
    })
  expect(await upload({ store_uuid: mine }, 'sku\nA\n', as(reader.secret))).toMatchObject({ status: 403 })
  expect(await upload({ store_uuid: mine }, 'sku\nA\n', as(tenant.secret))).toMatchObject({ status: 200 })
  for (const path of [`/v1/imports/${job.job_id}`, `/v1/imports/${job.job_id}/failures`, '/v1/imports/none']) {
    const { status, json } = await gateway.call(path, { token: tenant.secret })
    expect({ status, json }).toMatchObject({
      status: 404,
      json: { data: { error_info: [{ reason: 'import_not_found' }] } },
    })
  }
  expect(await gateway.call(`/v1/imports/${job.job_id}/failures`, { token: reader.secret })).toMatchObject({
    status: 200,
  })
})

it('imports a file once that is sent again with its idempotency key', async () => {
  const store = await newStore(gateway)
  const key = { 'idempotency-key': 'a-file' }
  const first = await upload({ store_uuid: store }, 'sku\nA\n', key)
  const again = await upload({ store_uuid: store }, 'sku\nA\n', key)
  expect(again).toMatchObject({ status: 200, data: first.data })
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  expect(await upload({ store_uuid: store }, 'sku\nB\n', key)).toMatchObject({ status: 409 })
  expect(await left(store)).toMatchObject({ jobs: 1 })
})
