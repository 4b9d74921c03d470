import { readFile, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startReport } from '../../src/cli/import/report.ts'
import { productsOf, useCatalog } from './catalog.ts'

const catalog = useCatalog()

const latin1 = Buffer.from('caf\xe9', 'latin1')

/** A file with rows that are wrong, what its report must be, and how the rows are fixed. */
const files: { name: string; content: string | Buffer; report: (string | object)[]; fix: (text: string) => string }[] =
  [
    {
      name: 'a.csv',
      content: 'sku,status,"n,1"\r\nA,new,1\r\nB,sold,"x\r\n""y"""\r\n,new,3\r\nC,new,4,2\r\nD,,4',
      report: [
        'import_error_row,import_error_field,import_error_expected,import_error_got,sku,status,"n,1"',
        expect.stringMatching(/^2,status,"must be one of active.*","""sold""",B,sold,"x\r$/),
        '""y"""',
        expect.stringMatching(/^3,sku,"must be a product code.*","""""",,new,3$/),
        '4,,"must have 3 cells, as the header has",4,C,new,4,2',
      ],
      fix: (text) => text.replace('B,sold', 'B,draft').replace(',,new,3', ',E,new,3').replace('C,new,4,2', 'C,new,5'),
    },
    {
      name: 'a.jsonl',
      content: '{"sku":"A"}\n{"sku":"B","status":"sold","n":1.10}\n[1]\n{"sku":\n',
      report: [
        {
          import_errors: [
            { row: 2, field: 'status', expected: expect.stringMatching(/^must be one of/), got: '"sold"' },
          ],
          sku: 'B',
          status: 'sold',
          n: 1.1,
        },
        { import_errors: [{ row: 3, field: null, expected: 'must be an object', got: 'a list' }], import_source: [1] },
        {
          import_errors: [{ row: 4, field: null, expected: expect.stringMatching(/^must be JSON/), got: null }],
          import_source: '{"sku":',
        },
      ],
      fix: (text) =>
        text
          .replace('"sold"}', '"draft"}')
          .replace('"status":"sold"', '"status":"draft"')
          .replace('"import_source":[1]', '"sku":"C"')
          .replace('"import_source":"{\\"sku\\":"', '"sku":"E"'),
    },
  ]

test.each(files)(
  'what fails of $name comes back as it is, and goes in when it is fixed',
  async ({ name, content, report, fix }) => {
    const store = await catalog.newStore()
    const errors = catalog.path(`failed-${name}`)
    const file = await catalog.file(name, content)
    const { failed } = await catalog.answer([file, '--store', store, '--errors', errors], 1)
    expect(failed).toBe(3)
    const text = await readFile(errors, 'utf8')
    const lines = text.trimEnd().split('\n')
    expect(name.endsWith('.csv') ? lines : lines.map((line) => JSON.parse(line))).toEqual(report)
    // As it is it fails again, and the report of a report has its own errors only.
    const again = catalog.path(`again-${name}`)
    expect(await catalog.answer([errors, '--store', store, '--errors', again], 1)).toMatchObject({ rows: 3, failed: 3 })
    const againText = await readFile(again, 'utf8')
    expect(againText.match(/import_error/g)).toHaveLength(text.match(/import_error/g)?.length ?? 0)
    expect(againText.trimEnd().split('\n')).toHaveLength(lines.length)
    const fixed = await catalog.fix(errors, fix)
    expect(await catalog.answer([fixed, '--store', store])).toMatchObject({ rows: 3, created: 3, failed: 0 })
    const attributes = [...(await productsOf(catalog, store)).values()].flatMap((product) =>
      Object.keys(product.attributes),
    )
    expect(attributes.filter((attribute) => attribute.startsWith('import_'))).toEqual([])
  },
)

test('the report of a JSON list is one, and bytes that are no UTF-8 stay what they are', async () => {
  const store = await catalog.newStore()
  const list = await catalog.file('list.json', '[{"sku":"A","status":"x"},{"sku":"B"},5]')
  await catalog.answer([list, '--store', store, '--errors', catalog.path('list-failed.json')], 1)
  expect(JSON.parse(await readFile(catalog.path('list-failed.json'), 'utf8'))).toEqual([
    { import_errors: [expect.objectContaining({ row: 1, field: 'status' })], sku: 'A', status: 'x' },
    { import_errors: [expect.objectContaining({ row: 3 })], import_source: 5 },
  ])
  const table = await catalog.file('latin.csv', Buffer.concat([Buffer.from('sku,é\nC,'), latin1, Buffer.from('\n')]))
  await catalog.answer([table, '--store', store, '--errors', catalog.path('latin-failed.csv')], 1)
  expect((await readFile(catalog.path('latin-failed.csv'))).includes(Buffer.concat([Buffer.from(',C,'), latin1]))).toBe(
    true,
  )
})

test('a report has the whole value in its column, whatever words are in it', async () => {
  const store = await catalog.newStore()
  const errors = catalog.path('words-failed.csv')
  const file = await catalog.file('words.csv', 'sku,status,Image URL 1\nA,x; got y,\nB,,x; got y\n')
  await catalog.answer([file, '--store', store, '--errors', errors], 1)
  const [, a, b] = (await readFile(errors, 'utf8')).trimEnd().split('\n')
  expect(a).toMatch(/^1,status,"must be one of [^"]*","""x; got y""",A,x; got y,$/)
  expect(b).toBe('2,Image URL 1,must be one URL,"""x; got y""",B,,x; got y')
})

test('what failed of a list in an object is imported with the same options', async () => {
  const store = await catalog.newStore()
  const errors = catalog.path('inner-failed.json')
  const file = await catalog.file('inner.json', '{"a": {"rows": [{"sku": "A", "status": "sold"}, {"sku": "B"}]}}')
  await catalog.answer([file, '--store', store, '--at', 'a.rows', '--errors', errors], 1)
  const fixed = await catalog.fix(errors, (text) => text.replace('"status":"sold"', '"status":"draft"'))
  expect(await catalog.answer([fixed, '--store', store, '--at', 'a.rows'])).toMatchObject({ rows: 1, created: 1 })
})

test('the report of a JSON list has all values of a key that comes twice', async () => {
  const store = await catalog.newStore()
  const rows = ['{"sku": "A", "n": {"m": "1", "m": "é}"}}', '{"sku":"B"}', '{"sku":"C","n":1,"n":2}']
  const content = `{"l": [{"a": "[", "a": "]"}], "o": {"a": {}, "rows": [${rows.join(',\n  ')}]}}`
  const errors = catalog.path('twice-failed.json')
  const args = [await catalog.file('twice.json', content), '--store', store, '--errors', errors, '--at', 'o.rows']
  expect(await catalog.answer(args, 1)).toMatchObject({ created: 1, failed: 2 })
  expect(JSON.parse(await readFile(errors, 'utf8'))).toMatchObject([
    { import_errors: [{ row: 1, field: 'm', expected: 'comes twice in an object' }], import_source: rows[0] },
    { import_errors: [{ row: 3, field: 'n' }], import_source: rows[2] },
  ])
})

test('the report of a JSON list has the text of a row after others that are no objects', async () => {
  const store = await catalog.newStore()
  const twice = '{"sku":"A","a":1,"a":2}'
  const errors = catalog.path('mixed-failed.json')
  for (const others of ['1', '"{"', '"}", []', '[[{"x":1}], 2]', '[{"x":1}]']) {
    const file = await catalog.file('mixed.json', `[${others}, ${twice},{"sku":"B"},\n${others},${twice}]`)
    await catalog.answer([file, '--store', store, '--errors', errors], 1)
    const failed: { import_source: unknown }[] = JSON.parse(await readFile(errors, 'utf8'))
    const texts = failed.map((row) => row.import_source).filter((text) => typeof text === 'string' && text.length > 1)
    expect(texts, others).toEqual([twice, twice])
  }
})

/** Files as they come from spreadsheets, old programs and interrupted downloads. */
const hostile: [what: string, content: string | Buffer, code: number, message: RegExp][] = [
  ['a byte-order mark, CRLF, quotes and empty lines', '\uFEFFsku,n\r\n\r\nA,"1, ""2"""\r\n\r\n,\r\n', 0, /^$/],
  [
    'a cell of a megabyte',
    `sku,n\nA,${'x'.repeat(1_000_000)}\n`,
    1,
    /row 1 \(line 2\), "A": "n" must have at most 65535 characters; got 1000000/,
  ],
  ['UTF-16 with a mark', Buffer.from('\uFEFFsku\nA\n', 'utf16le'), 0, /^$/],
  ['UTF-16 without one', Buffer.from('sku\nA\n', 'utf16le'), 2, /if it is UTF-16, set --encoding/],
  [
    'Latin-1 in one row of UTF-8',
    Buffer.concat([Buffer.from('sku,n\nA,'), latin1, Buffer.from('\nB,é\n')]),
    1,
    /"n" must be UTF-8; got other bytes/,
  ],
  ['Latin-1 in its header', Buffer.concat([latin1, Buffer.from(',sku\né,A\n')]), 2, /the header line must be UTF-8/],
  [
    'its header twice, as two files in one have',
    '\uFEFFsku,n \nA,1\n\uFEFFsku,n \nB,2\nsku,n\n',
    1,
    /row 2 \(line 3\): must be a row of values; got the header again \(and 1 more of this kind\)/,
  ],
  ['a column twice', 'sku,n,n\nA,1,2\n', 2, /the header names columns twice: "n"/],
  ['half a last row', 'sku,n,m\nA,1,2\nB,1', 0, /^note: missing cells at the end of a row .* such as row 2$/],
  [
    'half a last row within quotes',
    'sku,n,m\nA,1,2\nB,"1',
    1,
    /stopped at row 2: a quoted cell begins in this row and never ends/,
  ],
  ['NUL in a cell', 'sku,n\nA,x\0y\n', 1, /"n" must be a string without NUL and lone surrogates; got "x\\u0000y"/],
  ['text after a closing quote', 'sku,n\nA,"x"y\n', 1, /"n" must double a quote within a quoted cell; got text after/],
  ['gzip in it', Buffer.from('1f8b0800', 'hex'), 2, /must be whole gzip data/],
  ['nothing', '', 2, /the file is empty: expected a header line/],
  [
    'no columns that are known',
    'id;name\n1;x\n',
    2,
    /--code must name the column of the product code; the file has the columns "id", "name"/,
  ],
]

test.each(hostile)('a CSV file with %s gets a clear answer', async (what, content, expected, message) => {
  const store = await catalog.newStore()
  const file = await catalog.file(`${what.replaceAll(/\W/g, '-')}.csv`, content)
  const { code, stderr } = await catalog.run([file, '--store', store, '--json'])
  expect({ code, stderr: stderr.trim() }).toEqual({ code: expected, stderr: expect.stringMatching(message) })
})

test('what is nested too deeply to be written again keeps nothing else out, and bytes that are no UTF-8 are not lost', async () => {
  const store = await catalog.newStore()
  const deep = `{"sku":"A","n":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const list = await catalog.file('deep.json', `[${deep},{"sku":"B"}]`)
  const errors = catalog.path('deep-failed.json')
  const answer = await catalog.answer([list, '--store', store, '--errors', errors], 1)
  expect(answer).toMatchObject({ rows: 2, created: 1, failed: 1 })
  const entry = {
    import_errors: [{ row: 1, field: null, expected: 'must have at most 1000 levels of lists and objects', got: null }],
  }
  expect(JSON.parse(await readFile(errors, 'utf8'))).toEqual([{ ...entry, import_source: deep }])
  const lines = await catalog.file('latin.jsonl', Buffer.concat([Buffer.from('{"é":"'), latin1, Buffer.from('"}\n')]))
  await catalog.answer([lines, '--store', store, '--errors', errors], 1)
  expect(JSON.parse(await readFile(errors, 'utf8'))).toMatchObject({ import_source: '{"Ã©":"café"}' })
})

test('a file that cannot be read any further fails in the same way when it is resumed, and the message asks for its correction', async () => {
  const store = await catalog.newStore()
  for (const [name, content] of [
    ['open.csv', 'sku,n\nA,1\nB,"2\n'],
    ['comma.json', '[{"sku":"A","n":"1"},]'],
    ['half.json', '[{"sku":"A"},\n{"sku":'],
  ] as const) {
    const args = [await catalog.file(name, content), '--store', store, '--json']
    for (const resume of [[], ['--resume']]) {
      const { code, stdout, stderr } = await catalog.run([...args, ...resume])
      expect({ name, code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, rows: 2, failed: 1 })
      expect(stderr).toMatch(
        /stopped at row 2: .*; earlier rows were imported; repair the file there and import it again\n/,
      )
      expect(stderr).not.toContain('Parser')
    }
  }
})

test('a file that cannot be read from its first row on was not imported in part', async () => {
  const file = await catalog.file('comment.json', '// products\n[{"sku":"A"}]')
  const { code, stderr } = await catalog.run([file, '--store', await catalog.newStore()])
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('stopped at row 1: the file must'),
  })
  expect(stderr).not.toContain('earlier rows')
})

test('wrong usage leaves the report of an earlier import as it is', async () => {
  const store = await catalog.newStore()
  const errors = await catalog.file('earlier.json', 'earlier')
  const file = await catalog.file('wide.json', Buffer.from('[]', 'utf16le'))
  expect(await catalog.run([file, '--store', store, '--errors', errors])).toMatchObject({ code: 2 })
  const fresh = catalog.path('none-written.csv')
  expect(await catalog.run([file, '--store', store, '--errors', fresh])).toMatchObject({ code: 2 })
  await expect(stat(fresh)).rejects.toThrow('ENOENT')
  expect(await readFile(errors, 'utf8')).toBe('earlier')
})

test('a report of rows that are all no objects fails again as it is, row by row', async () => {
  const [store, errors] = [await catalog.newStore(), catalog.path('none-failed.jsonl')]
  const file = await catalog.file('none.jsonl', '{"sku":"A"},\n[1]\n')
  await catalog.answer([file, '--store', store, '--errors', errors], 1)
  expect(await catalog.answer([errors, '--store', store], 1)).toMatchObject({ rows: 2, failed: 2 })
})

test('a report whose columns were moved can be sent again', async () => {
  const store = await catalog.newStore()
  const names = 'import_error_row,import_error_field,import_error_expected,import_error_got'
  const moved = await catalog.file('moved.csv', `sku,status,${names}\nA,sold,1,status,x,y\n`)
  const again = catalog.path('moved-failed.csv')
  await catalog.answer([moved, '--store', store, '--errors', again], 1)
  const fixed = await catalog.fix(again, (text) => text.replace('A,sold', 'A,draft'))
  expect(await catalog.answer([fixed, '--store', store])).toMatchObject({ rows: 1, created: 1 })
})

test('rows that a repeated attempt reports again are in the file of the report once', async () => {
  const more = { assetFaults: [], assetsFailed: 0, replaces: false }
  const nothing = { size: 3, rows: undefined, code: undefined, product: undefined, assets: [], faults: [], ...more }
  const failed = (number: number) => ({
    row: { number, line: number + 1, source: 'x', ...nothing },
    faults: [{ field: 'sku', expected: number === 1 ? 'is bad' : 'is worse' }],
  })
  const path = catalog.path('again.csv')
  const report = await startReport(path, 0)
  await report.begin(['sku'], { format: 'csv' })
  const length = await report.add([failed(1)], 0)
  for (const _attempt of [1, 2]) await report.add([failed(2), failed(3)], length)
  report.addProblems([failed(1)])
  report.addProblems([failed(2), failed(3)])
  expect(await report.close({ failed: 3, assetsFailed: 0 })).toEqual([
    'row 1 (line 2): "sku" is bad',
    'row 2 (line 3): "sku" is worse (and 1 more of this kind)',
    expect.stringMatching(/^3 rows failed/),
  ])
  const [, ...rows] = (await readFile(path, 'utf8')).trimEnd().split('\n')
  expect(rows).toEqual([1, 2, 3].map((number) => `${number},sku,is ${number === 1 ? 'bad' : 'worse'},,x`))
})

test('the first 20 kinds of faults are sentences, and the rest a number', async () => {
  const more = { assetFaults: [], assetsFailed: 0, replaces: false }
  const nothing = { size: 3, rows: undefined, code: undefined, product: undefined, assets: [], faults: [], ...more }
  const failed = (number: number, field: string) => ({
    row: { number, line: number + 1, source: 'x', ...nothing },
    faults: [{ field, expected: 'must be a number', got: `"${number}"` }],
  })
  const report = await startReport(undefined, 0)
  report.addProblems([failed(1, 'size'), failed(2, 'size')])
  report.addProblems([failed(3, 'size')])
  report.addProblems(Array.from({ length: 22 }, (_, i) => failed(i + 4, `column ${i}`)))
  const sentences = await report.close({ failed: 25, assetsFailed: 0 })
  expect(sentences).toHaveLength(21)
  expect(sentences[0]).toBe('row 1 (line 2): "size" must be a number; got "1" (and 2 more of this kind)')
  expect(sentences[20]).toBe('and 3 more problems; --errors FILE reports all of them')
})

test('products whose assets alone are bad are in the catalogue, and the report says so', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('pictures.csv', 'sku,Pictures\nA,a.jpg\n')
  const errors = catalog.path('pictures-failed.csv')
  for (const args of [[], ['--errors', errors]]) {
    const { code, stderr } = await catalog.run([file, '--store', store, '--assets', 'Pictures', ...args])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/"Pictures" must be an absolute URL.*--asset-base would/)])
    expect(stderr).toContain('if only asset URLs of a row are invalid, its product and other assets are imported\n')
  }
  const { code, stderr } = await catalog.run([file, '--store', store, '--dry-run'])
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('"Pictures": the column seems to have images, but becomes an attribute'),
  ])
})
