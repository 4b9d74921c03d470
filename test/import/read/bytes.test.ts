import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { importFile } from '../../../src/import/import-file.ts'
import { importRequest } from '../../../src/import/options.ts'
import { readRows } from '../../../src/import/read/read-rows.ts'
import { UsageError } from '../../../src/import/usage-error.ts'
import { productsOf, useCatalog } from '../catalog.ts'

const catalog = useCatalog()

/** A table with what other encodings write in their own way. */
const table = (separator: string) =>
  [
    ['sku', 'Größe', 'Preis'],
    ['A', 'groß – “fünf”', '5 €'],
    ['B', `with ${separator} and "quotes"`, 'é'],
  ]
    .map((row) => row.map((cell) => (/[",;|\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator))
    .join('\r\n')
const products = (separator: string) => [
  ['A', { status: 'new', attributes: { Größe: 'groß – “fünf”', Preis: '5 €' } }],
  ['B', { status: 'new', attributes: { Größe: `with ${separator} and "quotes"`, Preis: 'é' } }],
]

const specials = new Map([...'€–“”'].map((character, i) => [character, [0x80, 0x96, 0x93, 0x94][i] ?? 0]))
const windows1252 = (text: string) =>
  Buffer.from([...text].map((character) => specials.get(character) ?? character.charCodeAt(0)))
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()

const encodings: [name: string, encode: (text: string) => Buffer, options: string[]][] = [
  ['UTF-8', (text) => Buffer.from(text), []],
  ['UTF-8', (text) => Buffer.from(`\uFEFF${text}`), []],
  ['UTF-16LE', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), []],
  ['UTF-16BE', (text) => bigEndian(`\uFEFF${text}`), []],
  ['UTF-16LE', (text) => Buffer.from(text, 'utf16le'), ['--encoding', 'UTF-16LE']],
  ['Windows-1252', windows1252, []],
  ['Windows-1252', windows1252, ['--encoding', 'Windows-1252']],
]

test.each(encodings)('a file in %s is read as what it is, packed by gzip too', async (encoding, encode, options) => {
  for (const delimiter of [',', ';', '\t', '|']) {
    const bytes = encode(table(delimiter))
    for (const [name, content] of [
      ['a.csv', bytes],
      ['a.csv.gz', gzipSync(bytes)],
      ['packed.txt', gzipSync(bytes)],
    ] as const) {
      const store = await catalog.newStore()
      const answer = await catalog.details([await catalog.file(name, content), '--store', store, ...options])
      expect(answer).toMatchObject({ rows: 2, created: 2, format: 'csv', encoding, delimiter })
      expect([...(await productsOf(catalog, store))]).toEqual(products(delimiter))
    }
  }
})

test('the summary, of a dry run too, says how the file is written', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('umlaut.csv', windows1252('sku;Größe\nA;groß\n'))
  const { stdout, stderr } = await catalog.run([file, '--store', store, '--dry-run'])
  expect(stdout).toContain('format: csv, encoding: Windows-1252, delimiter: ";"')
  expect(stderr).toContain('note: the file is not UTF-8 and was read as Windows-1252, such as "Größe"')
})

test('the word of the note is found in megabytes of letters', async () => {
  const letters = 'a'.repeat(64 * 1024)
  const content = windows1252(`sku,n\n${`A,${letters}\n`.repeat(160)}B,${letters}é${letters}\n`)
  const source = await readRows(Readable.from([content]), { file: 'a.csv', style: 'flags' })
  let count = 0
  for await (const rows of source.rows) count += rows.length
  const example = JSON.stringify(`${'a'.repeat(40)}é${'a'.repeat(39)}`)
  expect({ count, notes: source.notes.list() }).toMatchObject({
    count: 161,
    notes: [{ code: 'windows_1252', example }],
  })
})

test('from a pipe the first bytes beyond ASCII decide', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('late.csv', windows1252(`sku,n\n${'A,1\n'.repeat(20_000)}B,é\n`))
  const request = { ...importRequest('a.csv', { store }), storeUuid: store }
  const result = await importFile(catalog.database.db, createReadStream(file), request, {
    enumerations: fallbackEnumerations,
    signal: new AbortController().signal,
  })
  expect(result).toMatchObject({ recognized: { encoding: 'Windows-1252' }, notes: [{ code: 'windows_1252' }] })
  expect((await productsOf(catalog, store)).get('B')?.attributes).toEqual({ n: 'é' })
})

test.each(['ภาษาไทย', 'nice 😀', '하늘'])(
  '%s shows that a file is UTF-8, whose bad byte fails its row alone',
  async (text) => {
    const store = await catalog.newStore()
    const bytes = Buffer.concat([Buffer.from(`sku,x\nA,${text}\nB,caf`), Buffer.of(0xe9, 0x20), Buffer.from('here\n')])
    const { code, stdout } = await catalog.run([await catalog.file('late.csv', bytes), '--store', store, '--json'])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, created: 1, failed: 1, encoding: 'UTF-8' })
    expect([...(await productsOf(catalog, store))]).toEqual([['A', { status: 'new', attributes: { x: text } }]])
  },
)

test('an XML file that says that it is in another encoding is refused, unless an option decides', async () => {
  const feed = (encoding: string) =>
    windows1252(`<?xml version="1.0" encoding="${encoding}"?><rss><item><sku>A</sku><n>\xe9</n></item></rss>`)
  for (const encoding of ['ISO-8859-15', 'windows-1250', 'UTF-8']) {
    const [store, file] = [await catalog.newStore(), await catalog.file('feed.xml', feed(encoding))]
    const { code, stderr } = await catalog.run([file, '--store', store])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`says that it is ${encoding}`) })
    await catalog.answer([file, '--store', store, '--encoding', 'Windows-1252'])
  }
  const store = await catalog.newStore()
  await catalog.answer([await catalog.file('feed.xml', feed('ISO-8859-1')), '--store', store])
  expect((await productsOf(catalog, store)).get('A')?.attributes).toEqual({ n: 'é' })
})

test.each(['ISO-8859-1', 'utf-16'])(
  'a feed in UTF-8 that says that it is %s is read as UTF-8, with a note',
  async (declared) => {
    const [notes, args] = [[{ code: 'declared_encoding', column: null, rows: 0, example: declared }], ['--code', 'sku']]
    const feed = (text: string) =>
      `<?xml version="1.0" encoding="${declared}"?><rss><item><sku>A</sku><n>${text}</n></item></rss>`
    const imported = async (content: string, more: string[] = [], code = 0) => {
      const [store, file] = [await catalog.newStore(), await catalog.file('feed.xml', content)]
      const answer = await catalog.details([file, '--store', store, ...args, ...more], code)
      return { notes: answer.notes, n: (await productsOf(catalog, store)).get('A')?.attributes.n }
    }
    expect(await imported(feed('é'))).toEqual({ notes, n: 'é' })
    expect(await imported(feed('é'), ['--encoding', 'UTF-8'])).toEqual({ notes: [], n: 'é' })
    expect(await imported(`\ufeff${feed('é')}`)).toEqual({ notes: [], n: 'é' })
    expect(await imported(feed('e'))).toEqual({ notes: [], n: 'e' })
    expect(await imported(feed('é').replace('</rss>', '<item>'), [], 1)).toEqual({ notes, n: 'é' })
  },
)

test('from a pipe such a file is refused before its first row', async () => {
  const store = await catalog.newStore()
  const items = Array.from({ length: 20_000 }, (_, i) => `<item><sku>${i}</sku><n>\xe9</n></item>`)
  const content = `<?xml version="1.0" encoding="windows-1250"?><rss>${items.join('')}</rss>`
  const file = await catalog.file('piped.xml', windows1252(content))
  const request = { ...importRequest('feed.xml', { store }), storeUuid: store }
  const result = importFile(catalog.database.db, createReadStream(file), request, {
    enumerations: fallbackEnumerations,
    signal: new AbortController().signal,
  })
  await expect(result).rejects.toThrow(UsageError)
  expect((await productsOf(catalog, store)).size).toBe(0)
})

test('empty rows, also before the header, and the mark that ends a file of DOS are no rows', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('blank.csv', ',\r\n"",\r\nsku,n\r\nA,1\r\n\r\n,\r\nB,2\r\n\x1a')
  expect(await catalog.details([file, '--store', store])).toMatchObject({ rows: 2, created: 2, notes: [] })
})

test('blank lines before the header do not hide the separator', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('blank.csv', '\n\r\nsku;Preis, netto, EUR;n\nA;1;2\n')
  expect(await catalog.details([file, '--store', store])).toMatchObject({ created: 1, delimiter: ';' })
})

describe('bytes without a meaning', () => {
  test.each<[string, Buffer, string]>([
    ['UTF-8 that is broken in one row', Buffer.concat([Buffer.from('sku,n\nA,é\nB,'), Buffer.of(0xe9)]), 'UTF-8'],
    ['Windows-1252', Buffer.concat([windows1252('sku,n\nA,é\nB,'), Buffer.of(0x81)]), 'Windows-1252'],
    ['UTF-16', Buffer.from('\uFEFFsku,n\nA,é\nB,\ud800x', 'utf16le'), 'UTF-16LE'],
  ])('fail their row: %s', async (_what, content, encoding) => {
    const store = await catalog.newStore()
    const { code, stderr } = await catalog.run([await catalog.file('bad.csv', content), '--store', store])
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`must be ${encoding}; got other`),
    })
    expect([...(await productsOf(catalog, store)).keys()]).toEqual(['A'])
  })

  test.each<[string, Buffer, RegExp]>([
    ['is no gzip after all', Buffer.from('1f8b0800ffff', 'hex'), /must be whole gzip data/],
    ['is packed by gzip twice', gzipSync(gzipSync('sku\nA\n')), /packed by gzip twice/],
    [
      'is a form',
      Buffer.from('--x\r\nContent-Type: text/csv\r\nContent-Disposition: form-data; name="f"\r\n\r\nsku\nA\n'),
      /is a form/,
    ],
    ['is a form', Buffer.from('--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nsku\nA\n'), /is a form/],
    ['is HTML', Buffer.from('\ufeff\n<HTML xmlns:x="x"><table></table></html>'), /is HTML, .*: save it as XLSX/],
    [
      'is a spreadsheet in XML',
      Buffer.from('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>'),
      /in the XML of Excel 2003: save it as XLSX/,
    ],
    [
      'has a header in Shift JIS',
      Buffer.concat([Buffer.from('sku,'), Buffer.from('8fa496bc', 'hex'), Buffer.from('\nA,1\n')]),
      /the header line must be Windows-1252; got other bytes: save the file as UTF-8/,
    ],
    ['has another separator', Buffer.from('sku^n\nA^1\n'), /"sku\^n"; --delimiter names another separator of cells/],
    ['is JSON', Buffer.from('[{"sku":"A","n":1}]'), /no CSV, but JSON, JSON Lines or XML: --format names it/],
    ['is JSON of many lines', Buffer.from('[\n  {\n'), /no CSV, but JSON, JSON Lines or XML: --format names it/],
    ['has one column', Buffer.from('article\nA\n'), /the file has the columns "article"$/m],
    ['is XLS', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /is XLS, or has a password: save it as XLSX/],
    ['is UTF-16 without a mark', Buffer.from('sku\nA\n', 'utf16le'), /if it is UTF-16, set --encoding/],
  ])('refuse a file that %s', async (_what, content, message) => {
    const store = await catalog.newStore()
    const { code, stderr } = await catalog.run([await catalog.file('no.csv', content), '--store', store])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })

  test('say where another separator may be the reason that --code names no column', async () => {
    const file = await catalog.file('carets.csv', 'id^n\nA^1\n')
    const { stderr } = await catalog.run([file, '--store', await catalog.newStore(), '--code', 'id'])
    expect(stderr).toMatch(/--code names the column "id"; .*"id\^n"; --delimiter names another separator of cells/)
  })

  test.each([
    ['UTF-8', Buffer.from('\ufeffsku\nÄ\n')],
    ['UTF-16LE', Buffer.from('\ufeffsku\nÄ\n', 'utf16le')],
  ])('refuse --encoding for a file with the mark of another: %s', async (encoding, content) => {
    const [store, file] = [await catalog.newStore(), await catalog.file('marked.csv', content)]
    const { code, stderr } = await catalog.run([file, '--store', store, '--encoding', 'Windows-1252'])
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--encoding must be ${encoding} or left out: its byte-order mark says so`),
    })
    expect(await catalog.answer([file, '--store', store, '--encoding', encoding])).toMatchObject({ created: 1 })
  })

  test('end the file where gzip data is cut, with every row before it', async () => {
    const store = await catalog.newStore()
    const rows = Array.from({ length: 20_000 }, (_, i) => `P${i},${Math.sin(i)}\n`).join('')
    const packed = gzipSync(`sku,n\n${rows}`)
    const file = await catalog.file('cut.csv.gz', packed.subarray(0, packed.length / 2))
    const { code, stderr } = await catalog.run([file, '--store', store])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/must be whole gzip data/) })
    expect((await productsOf(catalog, store)).size).toBeGreaterThan(1_000)
  })

  test('that is cut at its beginning, and can be read once, is wrong usage', async () => {
    const store = await catalog.newStore()
    const packed = gzipSync('sku,n\nA,é\n')
    const request = { ...importRequest('', { store }), storeUuid: store }
    const work = { enumerations: fallbackEnumerations, signal: new AbortController().signal }
    const reading = importFile(catalog.database.db, Readable.from([packed.subarray(0, -8)]), request, work)
    await expect(reading).rejects.toThrow(new UsageError('the file must be whole gzip data: unexpected end of file'))
  })

  test('end a file that unpacks to more than 200 times its size', async () => {
    const store = await catalog.newStore()
    const bomb = gzipSync(`sku,n\n${`A,${'1'.repeat(60_000)}\n`.repeat(600)}`)
    const { code, stderr } = await catalog.run([await catalog.file('bomb.csv.gz', bomb), '--store', store, '--dry-run'])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/at most 200 times its size/) })
  })
})

test.each([
  ['sep=;\r\nsku;a,b,c\nA;1\n', ';', { 'a,b,c': '1' }],
  ['"sep=|"\nsku|n\nA|1\n', '|', { n: '1' }],
  [
    'ID;Active (0/1);Name (x,y,z...)\nA;1;Home,Kitchen\n',
    ';',
    { 'Active (0/1)': '1', 'Name (x,y,z...)': 'Home,Kitchen' },
  ],
  ['ID,"a;b;c",n\nA,1,2\n', ',', { 'a;b;c': '1', n: '2' }],
  ['ID;Size (w, h, d), cm\nA;"1,2"\nB;3\n', ';', { 'Size (w, h, d), cm': '1,2' }],
  ['ID,a;b,c;d,n\nA,1;2,3\nB,1\n', ',', { 'a;b': '1;2', 'c;d': '3' }],
  ['sku\tName, lang\tPreis, EUR\nA\tx, y\t1,5\n', '\t', { 'Name, lang': 'x, y', 'Preis, EUR': '1,5' }],
  ['sku;Preis, EUR\nA;1,5\n', ';', { 'Preis, EUR': '1,5' }],
  ['sku;Tags (x,y,z)\nA;a,b,c\n', ';', { 'Tags (x,y,z)': 'a,b,c' }],
  ['"sku"\tSize, color, note\nA\tx\nB\ty, z, w\n', '\t', { 'Size, color, note': 'x' }],
  ['ID,a;n\nA,1;2\nB,1;2,3\n', ';', { 'ID,a': 'A,1', n: '2' }],
])('the separator of %j is %j', async (content, delimiter, attributes) => {
  const store = await catalog.newStore()
  const file = await catalog.file('separated.csv', content)
  const code = content.includes('ID,a;n') ? 'n' : content.includes('ID') ? 'ID' : 'sku'
  const answer = await catalog.details([file, '--store', store, '--code', code])
  expect(answer).toMatchObject({ delimiter })
  const [product] = [...(await productsOf(catalog, store)).values()]
  const { [code]: _code, ...expected } = attributes as Record<string, string>
  expect(product?.attributes).toEqual(expected)
})

test('the failed rows of a file with the line sep=: are imported as they are reported', async () => {
  const [store, errors] = [await catalog.newStore(), catalog.path('colons-failed.csv')]
  const file = await catalog.file('colons.csv', '\ufeffsep=:\r\nsku:status:n\r\nA:sold:1;2\r\n')
  await catalog.answer([file, '--store', store, '--errors', errors], 1)
  const fixed = await catalog.fix(errors, (text) => text.replace('A:sold', 'A:active'))
  expect(await catalog.details([fixed, '--store', store])).toMatchObject({ created: 1, delimiter: ':' })
  expect((await productsOf(catalog, store)).get('A')).toEqual({ status: 'active', attributes: { n: '1;2' } })
})

test('an option overrides the separator, and failed rows are reported with the separator of the file', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('mixed.csv', 'sku:status;x\nA:sold;1\n')
  const errors = catalog.path('mixed-failed.csv')
  const args = ['--store', store, '--delimiter', ':', '--code', 'sku', '--status', 'status;x']
  await catalog.answer([file, ...args, '--errors', errors], 1)
  const fixed = await catalog.fix(errors, (text) => {
    expect(text).toMatch(/^sep=:\nimport_error_row:.*:sku:"status;x"\n1:status;x:.*:A:sold;1\n$/)
    return text.replace('A:sold;1', 'A:active')
  })
  expect(await catalog.details([fixed, ...args])).toMatchObject({ created: 1, delimiter: ':' })
  const wrong = await catalog.run([file, '--store', store, '--delimiter', '::'])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/--delimiter must be one ASCII character/) })
})
