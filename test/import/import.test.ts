import { readFile, rm, writeFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { outcomeOf, refusal } from '../support/clients/cli.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { groupsOf, productsOf, startImport, useCatalog } from './catalog.ts'

const catalog = useCatalog()

const unknown = '01890a5d-ac96-774b-bcce-b302099a8057'
const none = { created: 0, updated: 0, unchanged: 0, failed: 0, assets_added: 0, links_added: 0 }

test('every option does what it says', async () => {
  const store = await catalog.newStore()
  const rows = [
    'Code;is ignored,ID,State,Title,Weight,Pics',
    'x,A,draft,First,1,"/1.jpg|https://b.example/2.jpg"',
    'x,B,nonsense,Second,2,',
  ]
  const file = await catalog.file('export.txt', `${rows.join('\n')}\n`)
  const errors = catalog.path('errors.csv')
  const options = [
    ...['--channel', 'channel_value_2', '--format', 'csv', '--code', 'ID', '--status', 'State', '--assets', 'Pics'],
    ...['--asset-separator', '|', '--asset-base', 'https://a.example/media/', '--map', 'Title=name', '--only-mapped'],
    ...['--errors', errors],
  ]
  const answer = await catalog.answer([file, '--store', store.toUpperCase(), ...options], 1)
  expect(answer).toEqual({ ...none, rows: 2, created: 1, failed: 1, assets_added: 2, links_added: 2 })
  expect([...(await productsOf(catalog, store))]).toEqual([['A', { status: 'draft', attributes: { name: 'First' } }]])
  expect(await groupsOf(catalog, store, 'A', 'channel_value_2')).toEqual({
    image: ['https://a.example/media/1.jpg', 'https://b.example/2.jpg'],
  })
  const [, , header] = parse(await readFile(errors))
  expect(header).toBeUndefined()
  expect(parse(await readFile(errors), { columns: true })).toEqual([
    {
      import_error_row: '2',
      import_error_field: 'State',
      import_error_expected: expect.stringMatching(/^must be one of active/),
      import_error_got: '"nonsense"',
      'Code;is ignored': 'x',
      ID: 'B',
      State: 'nonsense',
      Title: 'Second',
      Weight: '2',
      Pics: '',
    },
  ])
})

test('without --json the answer is a sentence', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('one.ndjson', '{"sku":"A"}\n')
  expect(await catalog.run([file, '--store', store, '--dry-run'])).toEqual({
    code: 0,
    stdout:
      '1 row: 1 created, 0 updated, 0 unchanged, 0 failed; 0 assets and 0 links added (a dry run: nothing was changed)\nformat: jsonl, encoding: UTF-8\n',
    stderr: '',
  })
  expect(await catalog.run([file, '--store', store])).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^1 row: 1 created, 0 updated, 0 unchanged, 0 failed; 0 assets and 0 links added\nformat: jsonl, encoding: UTF-8\nrequest: [\da-f-]{36}\n$/,
    ),
    stderr: '',
  })
})

test('a mistake of many rows goes to stderr once, with their number', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('bad.csv', `sku,status\n${'"A\u001b",bad\n'.repeat(25)}`)
  const { code, stdout, stderr } = await catalog.run([file, '--store', store, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ ...none, rows: 25, failed: 25 })
  const lines = stderr.trim().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(
      /^row 1 \(line 2\), "A\\u001b": "status" must be one of active.*got "bad" \(and 24 more of this kind\)$/,
    ),
    expect.stringMatching(/^note: "sku": codes, URLs or names of columns have .* such as "A\\u001b" \(25 rows\)$/),
  ])
})

test('wrong usage is exit 2 with a sentence on stderr, nothing on stdout, and changes nothing', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('good.csv', 'sku,name,title\nA,x,y\n')
  const wrong: [args: string[], sentence: RegExp][] = [
    [[file], /--store/],
    [[file, '--store', store, '--bogus'], /unknown option '--bogus'/],
    [[file, '--store', store, '--format', 'pdf'], /csv, jsonl, json/],
    [[file, '--store', unknown], new RegExp(`there is no store "${unknown}"`)],
    [[catalog.path('missing.csv'), '--store', store], /missing\.csv cannot be read/],
    [[catalog.path(''), '--store', store, '--format', 'csv'], /is a directory/],
    [[file, '--store', store, '--channel', 'Nowhere'], /--channel must be one of SMP.*got "Nowhere"/],
    [[file, '--store', store, '--assets', 'pics'], /--assets names the column "pics"/],
    [[file, '--store', store, '--errors', file], /--errors must not name the file/],
    [[file, '--store', store, '--errors', catalog.path('no/such/place')], /cannot be written/],
  ]
  for (const [args, sentence] of wrong) expect(await catalog.run([...args, '--json'])).toEqual(refusal(sentence))
  expect(await readFile(file, 'utf8')).toBe('sku,name,title\nA,x,y\n')
  expect((await productsOf(catalog, store)).size).toBe(0)
})

test('a database without tables has no store: exit 2', async () => {
  const empty = await createTestDatabase({ empty: true })
  const file = await catalog.file('good2.csv', 'sku\nA\n')
  const outcome = await catalog.run([file, '--store', unknown], { DATABASE_URL: empty.url })
  await empty.drop()
  expect(outcome).toEqual(refusal(/there is no store .*: the database is empty/))
})

test('formats and channels come from the global configuration', async () => {
  const store = await catalog.newStore()
  const config = await catalog.file('global.json', '{"asset_formats":["audio"],"channels":["Radio"]}')
  const file = await catalog.file('radio.csv', 'sku,Audio URL 1,Image URL 1\nA,https://a.example/1,picture\n')
  const GLOBAL_CONFIG = `file://${config}`
  const { code } = await catalog.run([file, '--store', store, '--channel', 'Radio'], { GLOBAL_CONFIG })
  expect(code).toBe(0)
  expect(await groupsOf(catalog, store, 'A', 'Radio')).toEqual({ audio: ['https://a.example/1'] })
  expect((await productsOf(catalog, store)).get('A')?.attributes).toEqual({ 'Image URL 1': 'picture' })
  const refused = await catalog.run([file, '--store', store, '--assets', 'Image URL 1'], { GLOBAL_CONFIG })
  expect(refused).toMatchObject(refusal(/asset format image; configured are audio/))
})

test('a column that no row has is reported', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('typo.jsonl', '{"sku":"A","images":["https://a.example/1"]}\n')
  const { code, stderr } = await catalog.run([file, '--store', store, '--assets', 'imgaes'])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('note: "imgaes": no row has this column, which an option names\n'),
  })
})

test('columns of a shop suggest its preset, where rows can be read without it and where they cannot', async () => {
  const store = await catalog.newStore()
  const magento = await catalog.file('magento.csv', 'sku,store_view_code,product_online,name\nA,,1,Lamp\n')
  const read = await catalog.run([magento, '--store', store])
  expect(read).toMatchObject({ code: 0, stderr: expect.stringContaining('--preset reads it, such as magento') })
  expect((await catalog.run([magento, '--store', store, '--preset', 'magento'])).stderr).not.toContain('look like')
  const shopify = await catalog.file('shopify.csv', 'Handle,Title,Image Src\nlamp,Lamp,\n')
  const refused = await catalog.run([shopify, '--store', store])
  expect(refused).toMatchObject(refusal('use --preset shopify'))
})

test('progress is a line for every 100,000 rows, on stderr', async () => {
  const store = await catalog.newStore()
  const lines = Array.from({ length: 205_000 }, (_, i) => `P${i % 1_000}\n`)
  const file = await catalog.file('many.csv', `sku\n${lines.join('')}`)
  const { stdout, stderr } = await catalog.run([file, '--store', store, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ ...none, rows: 205_000, created: 1_000, unchanged: 204_000 })
  expect(stderr).toMatch(/^100000 rows, \d+ rows\/s, \d+%, about \d+ s left\n200000 rows, .* left\n$/)
})

test('SIGINT ends the import between two batches, with an answer', async () => {
  const store = await catalog.newStore()
  const lines = Array.from({ length: 400_000 }, (_, i) => `P${i},a name\n`)
  const file = await catalog.file('long.csv', `sku,name\n${lines.join('')}`)
  const child = startImport([file, '--store', store, '--json'], { DATABASE_URL: catalog.database.url })
  const outcome = outcomeOf(child)
  await expect.poll(async () => (await productsOf(catalog, store)).size).toBeGreaterThan(0)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await outcome
  const { rows, created } = JSON.parse(stdout) as Record<string, number>
  expect(code).toBe(1)
  expect(stderr).toMatch(
    new RegExp(`stopped after row ${rows}: interrupted; earlier rows were imported; continue with --resume\n`),
  )
  expect(rows).toBeLessThan(400_000)
  expect({ rows: (await productsOf(catalog, store)).size, created }).toEqual({ rows, created: rows })
})

test.each([
  ['csv', 'sku,status,text\n', (text: string) => `A,bad,${text}\n`, ''],
  ['jsonl', '', (text: string) => `{"sku":"A","status":"bad","text":"${text}"}\n`, ''],
  ['json', '[', (text: string) => `{"sku":"A","status":"bad","text":"${text}"},\n`, '{"sku":"B"}]'],
])('a file is read without being held in memory (%s)', async (format, start, row, end) => {
  const store = await catalog.newStore()
  // More than there is memory for, in few rows.
  const rows = 10_000
  const file = await catalog.file(`large.${format}`, start)
  const hundred = Buffer.from(row('x'.repeat(9_000)).repeat(100))
  for (let i = 0; i < rows / 100; i++) await writeFile(file, hundred, { flag: 'a' })
  await writeFile(file, end, { flag: 'a' })
  const env = { DATABASE_URL: catalog.database.url, NODE_OPTIONS: '--max-old-space-size=64' }
  const { stdout } = await outcomeOf(startImport([file, '--store', store, '--json'], env))
  await rm(file)
  expect(JSON.parse(stdout)).toMatchObject({ failed: rows })
})

test('a row that would make its product larger than 4 MiB fails, and the other rows of its chunk do not', async () => {
  const store = await catalog.newStore()
  const values = (names: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${names}${i}`, 'x'.repeat(60_000)]))
  const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const tooLarge = /attributes must take at most 4 MiB together/
  const first = await catalog.file(
    'large.ndjson',
    lines({ sku: 'A', ...values('a', 65) }, { sku: 'B', ...values('b', 75) }),
  )
  const begun = await catalog.run([first, '--store', store, '--json'])
  expect(JSON.parse(begun.stdout)).toMatchObject({ ...none, rows: 2, created: 1, failed: 1 })
  expect(begun.stderr).toMatch(tooLarge)
  const image = { images: ['https://a.example/1.jpg'] }
  const more = await catalog.file(
    'more.ndjson',
    lines({ sku: 'A', ...image, ...values('c', 10) }, { sku: 'C', ...image, name: 'Lamp' }),
  )
  const { code, stdout, stderr } = await catalog.run([more, '--store', store, '--assets', 'images', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ ...none, rows: 2, created: 1, failed: 1, assets_added: 1, links_added: 1 })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(tooLarge) })
  expect(
    [...(await productsOf(catalog, store))].map(([code, { attributes }]) => [code, Object.keys(attributes).length]),
  ).toEqual([
    ['A', 65],
    ['C', 1],
  ])
  expect(await groupsOf(catalog, store, 'A')).toEqual({})
})

test('a new product that would be larger than 4 MiB fails beside products that exist, too', async () => {
  const store = await catalog.newStore()
  const names = Array.from({ length: 15 }, (_, i) => `t${i}`)
  // Each character takes six bytes of JSON.
  const large = names.map(() => '\u0001'.repeat(60_000)).join()
  const header = `sku,${names.join()}\n`
  const short = (text: string) => `A,${text}${','.repeat(names.length - 1)}\n`
  await catalog.run([await catalog.file('some.csv', `${header}${short('x')}`), '--store', store])
  const file = await catalog.file('more.csv', `${header}${short('y')}B,${large}\n`)
  const { stdout, stderr } = await catalog.run([file, '--store', store, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ ...none, rows: 2, updated: 1, failed: 1 })
  expect(stderr).toMatch(/attributes must take at most 4 MiB together/)
  expect([...(await productsOf(catalog, store)).keys()]).toEqual(['A'])
})
