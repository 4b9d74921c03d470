import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { addAssets, define, storeWithProducts } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const folder = useFolder('each')

const run = (...args: string[]) => runCli(args, { DATABASE_URL: gateway.database.url })

/** Values that a table may lose: separators, quotes, line breaks, blanks, formulas, apostrophes. */
const hard = [
  ...['a,b', 'a;b', 'a\tb', 'a|b', 'says "hi"', 'x\r\ny', 'x\ry', ' blank ', '\u00a0nbsp\u00a0', '\ufeffmark', 'sep=;'],
  ...[
    '=1+1',
    "'=1",
    "''@x",
    "'",
    "' =1",
    '-1',
    '\t=1',
    "'\r",
    'Ünïcode 𝒳',
    'import_error_row',
    '1.234',
    '00012',
    '1e5',
  ],
]

async function hardStore(): Promise<string> {
  const attributes = Object.fromEntries(hard.map((value, i) => [`${i % 2 ? value.trim() : `V${i}`} ${i}.`, value]))
  const store = await storeWithProducts(gateway, [
    { productCode: '=code', status: 'under review', attributes },
    { productCode: ' a,b;c ', attributes: { Weight: '1.234', 'other: Image URL 1': 'x', 'attribute:Color': 'y' } },
    { productCode: "'+1" },
  ])
  await define(gateway, store, [{ name: 'Weight', type: 'NUMBER' }])
  await addAssets(gateway, store, [
    ['a', '=code', { url: 'https://cdn.example/a,b;c|d.jpg' }],
    ['e', '=code', { url: 'https://cdn.example/\u00a0 x,1.jpg,2.jpg[{"#N/A"\u200b' }],
    ['f', '=code', { url: 'https://cdn.example/1.jpg::https://b.example/2.jpg|3' }],
    'b =code',
    ['c', "'+1", { assetFormat: 'pdf' }],
    ['d', ' a,b;c ', { channel: 'channel_value_1' }],
  ])
  return store
}

async function importedAgain(store: string, file: string, options: readonly string[]) {
  const { stdout, stderr } = await run('import', file, '--store', store, '--json', ...options)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const nothing = { rows: 3, created: 0, updated: 0, unchanged: 3, failed: 0, assets_added: 0, links_added: 0 }
/** In a file of semicolons `1.234` has two readings. */
const point = ['--decimal', 'point']

it.each([
  [[], []],
  [['--delimiter', ';'], point],
  [['--delimiter', '|'], []],
  [['--delimiter', 'tab', '--bom'], []],
  [['--bom'], []],
  [['--escape-formulas'], ['--unescape-formulas']],
  [['--excel'], ['--unescape-formulas', ...point]],
  [
    ['--excel', '--decimal', 'comma'],
    ['--unescape-formulas', '--decimal', 'comma'],
  ],
  [
    ['--decimal', 'comma'],
    ['--decimal', 'comma'],
  ],
  [['--decimal', 'point'], []],
  [['--channel', 'channel_value_1'], []],
  [['--format', 'jsonl'], []],
])('an export with %j changes nothing when it is imported with %j', async (exported, imported) => {
  const store = await hardStore()
  const file = folder.file(exported.includes('jsonl') ? 'x.jsonl' : 'x.csv')
  expect((await run('export', '--store', store, '--out', file, ...exported)).code).toBe(0)
  expect(await importedAgain(store, file, imported)).toMatchObject(nothing)
})

it.each([
  ['', []],
  ['&delimiter=%3B&bom=true', point],
  ['&delimiter=tab', []],
  ['&decimal=comma', ['--decimal', 'comma']],
  ['&delimiter=%3B&decimal=comma&columns=product_code,Weight', ['--decimal', 'comma']],
  ['&escape_formulas=true', ['--unescape-formulas']],
])('a listing as CSV with %j changes nothing when it is imported with %j', async (query, imported) => {
  const store = await hardStore()
  const path = `/v1/products?store_uuid=${store}${query}`
  const { text } = await gateway.call(path, { headers: { accept: 'text/csv' } })
  await writeFile(folder.file('x.csv'), text)
  expect(await importedAgain(store, folder.file('x.csv'), imported)).toMatchObject(nothing)
})

it('an export with decimal commas has them in numbers, and in no other value', async () => {
  const attributes = { Weight: '-1234.5', Depth: '12', Width: '0.125', Version: '1.5' }
  const store = await storeWithProducts(gateway, [{ productCode: 'a', attributes }])
  await define(gateway, store, [
    { name: 'Weight', type: 'NUMBER' },
    { name: 'Depth', type: 'NUMBER' },
    { name: 'Width', type: 'NUMBER' },
  ])
  const columns = 'product_code,Weight,Depth,Width,Version'
  const { stdout } = await run(
    'export',
    '--store',
    store,
    '--columns',
    columns,
    '--delimiter',
    ';',
    '--decimal',
    'comma',
  )
  expect(stdout).toBe(`${columns.replaceAll(',', ';')}\na;-1234,5;12;0,125;1.5\n`)
})

it('an export with decimal commas takes a NUMBER attribute of any name, which a product may lack', async () => {
  const names = ['constructor', 'toString', '__proto__']
  const store = await storeWithProducts(gateway, [{ productCode: 'a' }])
  await define(
    gateway,
    store,
    names.map((name) => ({ name, type: 'NUMBER' })),
  )
  const { code, stdout } = await run('export', '--store', store, '--decimal', 'comma')
  expect({ code, lines: stdout.split('\n') }).toMatchObject({
    code: 0,
    lines: [expect.stringContaining('constructor'), 'a,new,,,', ''],
  })
})

it('an export with decimal commas refuses a text that would become another number before its first byte', async () => {
  const others = Array.from({ length: 20 }, (_, i) => ({ productCode: `a${i}`, attributes: { Weight: '1.5' } }))
  const last = { productCode: 'b', attributes: { Weight: '12,5', Size: '12,5' } }
  const store = await storeWithProducts(gateway, [...others, last])
  await define(gateway, store, [{ name: 'Weight', type: 'NUMBER' }])
  const comma = ['export', '--store', store, '--decimal', 'comma']
  expect(await run(...comma)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('decimal must be point: "Weight" of the product "b" is no number, but "12,5"'),
  })
  expect(await run(...comma, '--columns', 'product_code,Size')).toMatchObject({ code: 0 })
  expect(await run(...comma, '--status', 'draft')).toMatchObject({ code: 0 })
  expect((await run('export', '--store', store)).code).toBe(0)
})

it('a listing as CSV refuses such a text, too', async () => {
  const store = await storeWithProducts(gateway, [{ productCode: 'a', attributes: { Weight: '12,5' } }])
  await define(gateway, store, [{ name: 'Weight', type: 'NUMBER' }])
  const listing = (columns: string) =>
    gateway.call(`/v1/products?store_uuid=${store}&decimal=comma&columns=${columns}`, {
      headers: { accept: 'text/csv' },
    })
  const { status, text } = await listing('product_code,Weight')
  expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('is no number, but \\"12,5\\"') })
  expect(await listing('product_code')).toMatchObject({ status: 200, text: 'product_code\na\n' })
})

it('an export job takes the same options as the command', async () => {
  const attributes = { Color: '=red', Size: 'M', Price: '12.5' }
  const store = await storeWithProducts(gateway, [{ productCode: 'a', attributes }])
  await define(gateway, store, [{ name: 'Price', type: 'NUMBER' }])
  const columns = 'Color,product_code,Price'
  const options = { columns, delimiter: ';', bom: true, escapeFormulas: true, decimal: 'COMMA' }
  const { jobId } = await ask<{ jobId: string }>(gateway, 'startExport', { storeUuid: store, ...options }, '{ jobId }')
  const job = (selection: string) => gateway.data(`{ job(id: "${jobId}") { ${selection} } }`)
  await expect.poll(() => job('state')).toEqual({ job: { state: 'SUCCEEDED' } })
  const { job: parts } = (await job('head: output(part: 0) rows: output(part: 1)')) as unknown as { job: object }
  expect(Object.values(parts).join('')).toBe("\ufeffColor;product_code;Price\n'=red;a;12,5\n")
})
