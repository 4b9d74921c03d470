import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readRows } from '../../../src/import/read/read-rows.ts'
import {
  dateText,
  isCodeFormat,
  isoDateText,
  linkKey,
  numberFormat,
  numberText,
} from '../../../src/import/read/xlsx/cell-text.ts'
import { FileInMemory } from '../../../src/import/read/xlsx/zip.ts'
import { parseWholeXml } from '../../../src/import/read/xml.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'
import { productsOf, useCatalog } from '../catalog.ts'
import { type SheetCell, workbookOf, zipOf } from './xlsx.ts'

const catalog = useCatalog()

async function imported(content: Buffer, args: string[] = [], name = 'file.xlsx') {
  const store = await catalog.newStore()
  const file = await catalog.file(name, content)
  const { code, stdout, stderr } = await catalog.run([file, '--store', store, ...args, '--json'])
  const products = Object.fromEntries(
    [...(await productsOf(catalog, store))].map(([key, { attributes }]) => [key, attributes]),
  )
  return { store, code, stderr, products, answer: stdout === '' ? {} : JSON.parse(stdout) }
}

const number = (value: string, style = 0): SheetCell => ({ xml: `<c s="${style}"><v>${value}</v></c>` })

test('the cells of a sheet are texts, whatever they are', async () => {
  const cells: [cell: SheetCell, text: string][] = [
    ['shared, <&> “é” 😀\r\n', 'shared, <&> “é” 😀\r\n'],
    [{ xml: '<c t="inlineStr"><is><r><rPr/><t>in</t></r><r><t>line</t></r><rPh><t>no</t></rPh></is></c>' }, 'inline'],
    [{ xml: '<c t="str"><f>A1</f><v>of a formula</v></c>' }, 'of a formula'],
    [number('1.1000000000000001'), '1.1'],
    [number('1E-7'), '0.0000001'],
    [number('9007199254740993'), '9007199254740993'],
    [number('12345678901234567890'), '12345678901234567890'],
    [number('1.5E+21'), '1500000000000000000000'],
    [{ xml: '<c><f>1+1</f><v>2</v></c>' }, '2'],
    [number('0.125', 4), '0.125'],
    [number('44927', 1), '2023-01-01'],
    [number('44927.520833333336', 2), '2023-01-01T12:30:00'],
    [number('1.5', 3), '1.5'],
    [{ xml: '<c t="b"><v>1</v></c>' }, 'true'],
    [{ xml: '<c t="b"><v>0</v></c>' }, 'false'],
    [{ xml: '<c t="b"><v>true</v></c>' }, 'true'],
    [{ xml: '<c t="inlineStr"><v>value</v></c>' }, 'value'],
    [{ xml: '<c><is><t>no type</t></is></c>' }, 'no type'],
    [{ xml: '<c><v> 5\n</v></c>' }, '5'],
    [{ xml: '<c t="d"><v>2023-01-01T00:00:00</v></c>' }, '2023-01-01'],
    [{ xml: '<c t="d"><v>2023-01-01T00:00:00.000Z</v></c>' }, '2023-01-01'],
    [{ xml: '<c t="d"><v>2023-01-01T12:30:00.000Z</v></c>' }, '2023-01-01T12:30:00'],
    [{ xml: '<c t="d"><v>1899-12-30T12:30:00.000</v></c>' }, '12:30:00'],
    [{ xml: '<c t="d"><v>1899-12-31T12:30:00</v></c>' }, '12:30:00'],
    [{ xml: '<c t="d"><v>1899-12-30T00:00:00</v></c>' }, '1899-12-30'],
    [{ xml: '<c t="d"><v>1899-12-31</v></c>' }, '1899-12-31'],
    [{ xml: '<c t="d" s="6"><v>1899-12-30T00:00:00</v></c>' }, '00:00:00'],
  ]
  const header = cells.map((_cell, i) => `c${String(i).padStart(2, '0')}`)
  const sheet = [['sku', ...header], [], ['A', ...cells.map(([cell]) => cell)]]
  const { products, answer, code } = await imported(workbookOf({ First: sheet }), [], 'renamed.csv')
  expect({ code, answer }).toMatchObject({ code: 0, answer: { format: 'xlsx', sheet: 'First', rows: 1, created: 1 } })
  expect(products.A).toEqual(Object.fromEntries(cells.map(([, text], i) => [header[i], text])))
})

test('rows of cells in any form are read in their order, and none of a comment', async () => {
  const text = (value: string) => `<c t="str"><v>${value}</v></c>`
  const rows: SheetCell[][] = [
    ['sku', 't'],
    ['A', 'plain'],
    ['B', { xml: '<c><f>1+1</f><v>2</v></c>' }],
    ['C', { xml: text('a &amp; b') }],
    ['D', { xml: '<c t="inlineStr"><is><t xml:space="preserve"> in </t></is></c>' }],
    [],
    ['E', { xml: '<c t="str" s="1"><v>odd order</v></c>' }],
    ['A', { xml: `<!--</row><row r="99">${text('X')}</row>-->${text('again').replace('<c', '<c r="B8"')}` }],
  ]
  const { products, answer } = await imported(workbookOf({ First: rows }))
  const texts = { A: 'again', B: '2', C: 'a & b', D: ' in ', E: 'odd order' }
  expect(products).toEqual(Object.fromEntries(Object.entries(texts).map(([code, t]) => [code, { t }])))
  const example = 'row 6 replaces t of A of row 1'
  expect(answer).toMatchObject({ rows: 6, notes: [{ code: 'replaced', example }] })
})

test('days count from 1904 in workbooks that say so, and times of day are times in both', async () => {
  const rows = [
    ['sku', 'day', 'first', 'time'],
    ['A', number('43465', 1), number('0', 1), number('0.5', 6)],
  ]
  const { products } = await imported(workbookOf({ First: rows }, { since1904: true }))
  expect(products.A).toEqual({ day: '2023-01-01', first: '1904-01-01', time: '12:00:00' })
  const since1900 = await imported(workbookOf({ First: rows.map((row) => [row[0] ?? '', row[3] ?? '']) }))
  expect(since1900.products.A).toEqual({ time: '12:00:00' })
})

test('the first sheet is one that is visible', async () => {
  const sheets = { Lists: [['sku'], ['A']], Products: [['sku'], ['B']] }
  const { products, answer } = await imported(workbookOf(sheets, { hidden: ['Lists'] }))
  expect({ products, answer }).toMatchObject({ products: { B: {} }, answer: { sheet: 'Products' } })
  expect((await imported(workbookOf(sheets, { hidden: Object.keys(sheets) }))).answer.sheet).toBe('Lists')
})

test('a row that repeats the header fails, and pictures on the sheet are noted', async () => {
  const rows = ['sku,n', 'A,1', 'sku,n', 'n,sku'].map((row) => row.split(','))
  const { products, answer, stderr } = await imported(
    workbookOf({ First: rows }, { drawing: '<xdr:oneCellAnchor></xdr:oneCellAnchor>' }),
  )
  expect(products).toEqual({ A: { n: '1' }, n: { n: 'sku' } })
  expect(stderr).toContain('row 2 (line 3): must be a row of values; got the header again')
  expect(answer.notes).toEqual([{ code: 'drawings', column: null, rows: 0, example: null }])
  expect((await imported(workbookOf({ First: [['sku'], ['A']] }, { drawing: '' }))).answer.notes).toEqual([])
})

test('a formula of a link behind another text than its URL has a note', async () => {
  const linkTo = (url: string, text: string) => ({ xml: `<c t="str"><f>HYPERLINK("${url}","x")</f><v>${text}</v></c>` })
  const rows = [
    ['sku', 'page'],
    ['A', linkTo('https://a.example/1', 'https://a.example/1')],
    ['B', linkTo('https://a.example/2', 'Picture')],
  ]
  const { products, answer } = await imported(workbookOf({ First: rows }))
  expect(products).toEqual({ A: { page: 'https://a.example/1' }, B: { page: 'Picture' } })
  expect(answer.notes).toEqual([{ code: 'links', column: null, rows: 1, example: 'https://a.example/2' }])
})

test('the links of more than 100,000 formulas are counted, but for those that are shown', async () => {
  const rows = Array.from({ length: 100_020 }, (_, i) => {
    const url = `https://a.example/${i}`
    const text = i < 100_010 ? `P${i}` : url
    return [{ xml: `<c t="str"><f>HYPERLINK("${url}","x")</f><v>${text}</v></c>` }]
  })
  const source = await readRows(Readable.from([workbookOf({ First: [['sku'], ...rows] })]), {
    file: 'a.xlsx',
    style: 'flags',
  })
  let count = 0
  for await (const block of source.rows) count += block.length
  const notes = [{ code: 'links', rows: 100_010, example: 'https://a.example/0' }]
  expect({ count, notes: source.notes.list() }).toMatchObject({ count: 100_020, notes })
})

test.each([
  ['https://a.example/Gr%C3%B6%C3%9Fe%201', 'a.example/Größe 1'],
  ['https://a.example/50%DE/', 'http://a.example/50%de#part'],
])('the link %s is shown as %s', (link, shown) => {
  expect(linkKey(shown)).toBe(linkKey(link))
})

test('notes say which values a sheet shows in another way', async () => {
  const rows = [
    ['sku', 'zip', 'color'],
    ['A', number('1234', 5), 'red'],
    ['B', number('12345', 5), ''],
  ]
  const { products, answer } = await imported(workbookOf({ First: rows }, { merged: ['C2:C3'] }))
  expect(products).toEqual({ A: { zip: '1234', color: 'red' }, B: { zip: '12345' } })
  expect(answer.notes).toHaveLength(2)
  expect(answer.notes).toContainEqual({ code: 'leading_zeros', column: 'zip', rows: 1, example: '1234' })
  expect(answer.notes).toContainEqual({ code: 'merged_cells', column: null, rows: 1, example: 'C2:C3' })
})

test('notes say that hidden rows and columns were read, and other sheets with cells were not', async () => {
  const rows = [
    ['sku', 'cost'],
    ['A', '1'],
    ['B', '2'],
  ]
  const sheets = { First: rows, Empty: [], Second: rows, Third: rows }
  const book = workbookOf(sheets, { hidden: ['Second'], hiddenRow: 3, hiddenColumn: 2 })
  const { answer } = await imported(book)
  expect(answer.notes).toEqual([
    { code: 'other_sheets', column: null, rows: 0, example: '"Third"' },
    { code: 'hidden', column: 'cost', rows: 0, example: null },
    { code: 'hidden', column: null, rows: 1, example: 'line 3' },
  ])
  expect((await imported(book, ['--sheet', 'Third'])).answer.notes).toHaveLength(2)
  const cover = workbookOf({ Summary: [['exported']], Products: rows })
  expect((await imported(cover)).stderr).toContain(
    'columns "exported"; --sheet names another sheet, such as "Products"',
  )
})

test('a link behind another text than its URL has a note', async () => {
  const linkTo = (url: string) => `<Relationship Id="${url}" Type="x/hyperlink" Target="${url}" TargetMode="External"/>`
  const cells = (...texts: string[]) => texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')
  const rows = [
    cells('sku', 'page'),
    cells('A', 'https://a.example/1'),
    cells('https://a.example', 'Picture'),
    cells('www.b.example', 'https://a.example/Größe 1#part'),
  ]
  const files = (urls: string[]) => ({
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Type="x/worksheet" Target="sheet.xml"/></Relationships>',
    'xl/_rels/sheet.xml.rels': `<Relationships>${urls.map(linkTo).join('')}</Relationships>`,
    'xl/sheet.xml': `<worksheet><sheetData>${rows.map((row) => `<row>${row}</row>`).join('')}</sheetData></worksheet>`,
  })
  const shown = [
    ...['https://a.example/1', 'https://a.example/', 'mailto:a@a.example'],
    ...['http://www.b.example/', 'https://a.example/Gr%C3%B6%C3%9Fe%201'],
  ]
  expect((await imported(zipOf(files(shown)))).answer.notes).toEqual([])
  const { answer } = await imported(zipOf(files([...shown, 'https://a.example/2'])))
  expect(answer.notes).toEqual([{ code: 'links', column: null, rows: 1, example: 'https://a.example/2' }])
})

test('another sheet that is damaged does not keep the first from being read', async () => {
  const book = workbookOf({ First: [['sku'], ['A']], Second: [['sku'], ['B']] })
  const name = 'xl/worksheets/sheet2.xml'
  const begin = book.indexOf(name) + name.length
  book.fill(0xff, begin, begin + 40)
  const { code, products, answer } = await imported(book)
  expect({ code, products, notes: answer.notes }).toMatchObject({
    code: 0,
    products: { A: {} },
    notes: [{ code: 'other_sheets', example: '"Second"' }],
  })
})

test.each([
  ['xl/worksheets/sheet1.xml', 1, /stopped at row 2: .*the checksum of xl\/worksheets\/sheet1.xml is wrong/],
  ['xl/sharedStrings.xml', 2, /the checksum of xl\/sharedStrings.xml is wrong/],
])('a spreadsheet in which %s has another checksum is damaged', async (name, exit, sentence) => {
  const book = workbookOf({ First: [['sku'], ['A']] })
  // The directory of the archive has the checksum before the name.
  const at = book.lastIndexOf(name) - 30
  book.writeUInt32LE((book.readUInt32LE(at) ^ 1) >>> 0, at)
  expect(await imported(book)).toMatchObject({ code: exit, stderr: expect.stringMatching(sentence) })
})

test('a file in memory is read to the end that is asked for, and never before what it gave back', async () => {
  const file = new FileInMemory()
  file.add(Buffer.alloc(3 * 1024 * 1024, 'x'))
  const read = promisify(file.read.bind(file))
  await read(Buffer.alloc(10), 0, 10, file.size - 10)
  await expect(read(Buffer.alloc(10), 0, 10, file.size - 9)).rejects.toThrow('it ends before byte 3145729')
  file.isLast = true
  await read(Buffer.alloc(10), 0, 10, 2 * 1024 * 1024)
  await expect(read(Buffer.alloc(10), 0, 10, 7)).rejects.toThrow('byte 7 was read before')
})

test('empty cells are none, wherever they are', async () => {
  const empty = { xml: '<c s="1"/>' }
  const rows = [
    ['sku', 'n', empty],
    ['A', '1', { xml: '<c r="XFD2" s="1"/>' }],
    [empty, empty],
    ['B', { xml: '<c r="XFD4"><v>1</v></c>' }],
  ]
  const { products, answer, stderr } = await imported(workbookOf({ First: rows }))
  expect({ products, answer }).toMatchObject({ products: { A: { n: '1' } }, answer: { rows: 2, failed: 1 } })
  expect(stderr).toContain('must have at most 5000 columns; got a cell in column 16384')
})

test('cells without their places, and a million empty ones, are read', async () => {
  const cells = '<c/>'.repeat(1_000_000)
  const sheet = `<worksheet><sheetData><row><c t="inlineStr"><is><t>sku</t></is></c><c/><c t="inlineStr"><is><t>n</t></is></c></row>
    <row><c t="inlineStr"><is><t>A</t></is></c><c/><c><v>1</v></c>${cells}</row></sheetData></worksheet>`
  const relations =
    '<Relationships><Relationship Id="a" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="b" Type="x/sharedStrings" Target="s.xml"/></Relationships>'
  const files = {
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations,
    'xl/sheet.xml': sheet,
    'xl/s.xml': `<sst>${'<si/>'.repeat(1_000_000)}</sst>`,
  }
  expect((await imported(zipOf(files))).products).toEqual({ A: { n: '1' } })
})

test('failed rows keep blanks at their ends, and the separator of their file', async () => {
  const errors = catalog.path('blanks-failed.csv')
  const rows = [
    ['sku', ' n;a;b;c;d;e;f;g;h ', 'm'],
    [' A ', '1', { xml: '<c t="e"><v>#N/A</v></c>' }],
  ]
  const { store } = await imported(workbookOf({ First: rows }), ['--errors', errors])
  const fixed = await catalog.fix(errors, (text) => text.replace(/#N\/A\n$/, '7\n'))
  const answer = await catalog.details([fixed, '--store', store])
  expect(answer).toMatchObject({ created: 1, notes: [expect.objectContaining({ code: 'blanks_kept' })] })
  expect(await productsOf(catalog, store)).toEqual(
    new Map([[' A ', { status: 'new', attributes: { ' n;a;b;c;d;e;f;g;h ': '1', m: '7' } }]]),
  )
})

test('a text of XML that does not end is not read to its end', async () => {
  for (const begin of ['<a>', '<a b="', '<a', '<!--', '<a><![CDATA[']) {
    let chunks = 0
    async function* endless() {
      for (yield Buffer.from(begin); chunks < 1000; chunks++) yield Buffer.alloc(64 * 1024, 'x')
    }
    await expect(parseWholeXml(endless(), { text: () => {} })).rejects.toThrow(/more than 10485760 bytes/)
    expect(chunks).toBeLessThan(200)
  }
})

test('cells without a certain value fail their rows, which are reported as CSV', async () => {
  const rows: SheetCell[][] = [
    ['sku', 'n'],
    ['A', { xml: '<c t="e"><v>#N/A</v></c>' }],
    ['B', { xml: '<c><f>1/x</f></c>' }],
    ['C', number('60', 1)],
    ['D', 'x', 'beyond'],
    ['E', 'good'],
    ['F', { xml: '<c t="s"><v>999</v></c>' }],
    ['G', { xml: '<c t="s"><v>0.5</v></c>' }],
    ['H', { xml: '<c t="str"><f>1/x</f></c>' }],
    ['I', '1', { xml: '<c r="B10"><v>2</v></c>' }],
    ['J', { xml: '<c t="str"><f>""</f><v></v></c>' }],
    ['K', { xml: '<c t="str"><f>IMAGE("https://a.example/1.jpg")</f><v></v></c>' }],
    ['L', { xml: '<c t="str"><f>IF(1&lt;2,IMAGE("https://a.example/1.jpg"))</f><v></v></c>' }],
  ]
  const errors = catalog.path('sheet-failed.csv')
  const { products, answer, stderr, store } = await imported(workbookOf({ First: rows }), ['--errors', errors])
  expect(answer).toMatchObject({ rows: 12, created: 2, failed: 10 })
  expect(products).toEqual({ E: { n: 'good' }, J: {} })
  expect(stderr).toContain('row 1 (line 2): "n" must be no error; got "#N/A"')
  const text = await readFile(errors, 'utf8')
  for (const reason of [
    'result of its formula',
    'a date that exists',
    'must have 2 cells',
    'a text of the file',
    'once in its row',
  ]) {
    expect(text).toContain(reason)
  }
  const fixed = await catalog.fix(errors, (report) => report.replace('A;#N/A', 'A;7'))
  expect(await catalog.answer([fixed, '--store', store], 1)).toMatchObject({ created: 9 })
})

test('a day that is no date is reported as its sheet shows it, and not as a number', async () => {
  const days = ['0', '60', '60.5', '-5', '2958466']
  const errors = catalog.path('days-failed.csv')
  const rows = [['sku', 'n'], ...days.map((day) => [`code ${day}`, number(day, 2)])]
  const { answer } = await imported(workbookOf({ First: rows }), ['--errors', errors])
  expect(answer).toMatchObject({ rows: 5, failed: 5 })
  const reported = (await readFile(errors, 'utf8')).match(/(?<=;code )[^\n]*/g)
  expect(reported).toEqual([
    ...['0;1900-01-00', '60;1900-02-29', '60.5;1900-02-29T12:00:00', '-5;########', '2958466;########'],
  ])
})

test('what failed for a value that the file does not have is noted if it is imported again as it is', async () => {
  const rows: SheetCell[][] = [
    ['sku', 'n'],
    ['A', { xml: '<c><f>1+1</f></c>' }],
    ['B', { xml: '<c t="s"><v>999</v></c>' }],
    ['C', { xml: '<c t="str"><f>DISPIMG("ID_7",1)</f><v>=DISPIMG("ID_7",1)</v></c>' }],
  ]
  const errors = catalog.path('no-value-failed.csv')
  const { store, products } = await imported(workbookOf({ First: rows }), ['--errors', errors])
  expect(products).toEqual({})
  const { notes } = await catalog.details([errors, '--store', store])
  expect(notes).toEqual([{ code: 'damaged_values', column: 'n', rows: 3, example: '#N/A' }])
})

test('a row whose code has no value keeps back the product before it, as its row', async () => {
  const rows: SheetCell[][] = [
    ['Handle', 'Title', 'Option1 Value', 'Variant SKU'],
    ['lamp', 'Lamp', 'Red', 'L-R'],
    [{ xml: '<c><f>A2</f></c>' }, '', 'Blue', 'L-B'],
    ['mug', 'Mug', 'Red', 'M-R'],
  ]
  const errors = catalog.path('no-handle-failed.csv')
  const { products } = await imported(workbookOf({ First: rows }), ['--preset', 'shopify', '--errors', errors])
  expect(Object.keys(products)).toEqual(['mug'])
  expect(await readFile(errors, 'utf8')).toContain('#N/A;;Blue;L-B')
})

test('a cell with a picture of WPS Office, or with half of a character, fails its row', async () => {
  const shown = '<c t="str"><f>_xlfn.DISPIMG("ID_7",1)</f><v>=DISPIMG("ID_7",1)</v></c>'
  const rows: SheetCell[][] = [
    ['sku', 'picture'],
    ['A', { xml: shown }],
    ['B', '_xD83D_'],
    ['C', '_xD83D__xDE00_'],
  ]
  const { products, stderr } = await imported(workbookOf({ First: rows }))
  expect(products).toEqual({ C: { picture: '😀' } })
  expect(stderr).toContain('row 1 (line 2): "picture" must be a text; got a picture in the cell')
  expect(stderr).toContain('"picture" must be a string without NUL and lone surrogates')
})

test('a number with a style that the file does not have fails its row: it may be a date', async () => {
  const { products, stderr } = await imported(
    workbookOf({
      First: [
        ['sku', 'n'],
        ['A', number('45000', 99)],
        ['B', number('45000')],
      ],
    }),
  )
  expect(products).toEqual({ B: { n: '45000' } })
  expect(stderr).toContain('row 1 (line 2): "n" must have a style of the file; got style 99')
})

test('pictures of a formula that other cells share or fill fail their rows, too', async () => {
  const shown = (attributes: string, formula = '') => ({
    xml: `<c t="str"><f ${attributes}>${formula}</f><v></v></c>`,
  })
  const empty = { xml: '<c t="str"><v></v></c>' }
  const rows = [
    ['sku', 'i', 'j'],
    ['A', shown('t="shared" ref="B2:B3" si="0"', 'IMAGE(A2)'), ''],
    ['B', { xml: '<c t="str"><f t="shared" si="0"/><v></v></c>' }, ''],
    ['C', shown('t="shared" ref="B4:B5" si="1"', 'A4&amp;""'), ''],
    ['D', shown('t="shared" si="1"'), ''],
    ['E', shown('t="array" ref="B6:C7"', '_xlfn.IMAGE(A6:A7)'), '1'],
    ['F', '1', empty],
    ['G', empty, empty],
  ] satisfies SheetCell[][]
  // The comment makes the parser read all of its rows.
  const parsed = rows.with(6, ['F', '1', { xml: '<c t="str"><!-- --><v></v></c>' }])
  for (const sheet of [rows, parsed]) {
    const { products, answer, stderr } = await imported(workbookOf({ First: sheet }))
    expect({ products, answer }).toMatchObject({ products: { C: {}, D: {}, G: {} }, answer: { created: 3, failed: 4 } })
    expect(stderr).toContain('row 6 (line 7): "j" must have the result of its formula; got none')
  }
})

test('--sheet chooses a sheet, and what is no spreadsheet is refused', async () => {
  const book = workbookOf({ First: [['sku'], ['A']], 'Second & last': [['sku'], ['B']] })
  expect((await imported(book, ['--sheet', 'Second & last'])).products).toEqual({ B: {} })
  const manyFiles = zipOf(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, ''])))
  const binary =
    '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>'
  const sentences: [content: Buffer, args: string[], sentence: RegExp][] = [
    [book, ['--sheet', 'Third'], /--sheet must name a sheet of the file: "First", "Second & last"; got "Third"/],
    [zipOf({ 'a.txt': 'x' }), [], /it is another ZIP archive, as ODS, XLSB and Numbers are: save it as XLSX/],
    [zipOf({ 'xl/workbook.xml': '<document/>' }), [], /it is another ZIP archive/],
    [zipOf({ '_rels/.rels': binary, 'xl/workbook.bin': '\x83' }), [], /it is another ZIP archive/],
    [workbookOf({ First: [[{ xml: '<c r="a1"><v>1</v></c>' }]] }), [], /line 1: a cell has no column/],
    [book.subarray(0, 200), [], /must be a spreadsheet in XLSX/],
    [gzipSync(book).subarray(0, 200), ['--format', 'xlsx'], /must be whole gzip data/],
    [gzipSync(book).subarray(0, -20), [], /must be whole gzip data/],
    [manyFiles, [], /it has 10001 files, at most 10000 are allowed/],
    [workbookOf({ First: [] }), [], /the sheet is empty: expected a row that names the columns in "First"$/m],
    [workbookOf({ First: [], Last: [['sku']] }), [], /in "First"; --sheet names another sheet, such as "Last"/],
    [workbookOf({ First: [['sku', 'n', 'n']] }), [], /names columns twice: "n"/],
    [book, ['--format', 'csv'], /--format must be xlsx or left out/],
  ]
  for (const [content, args, sentence] of sentences) {
    expect(await imported(content, args)).toMatchObject({ code: 2, stderr: expect.stringMatching(sentence) })
  }
})

test('the bytes of a spreadsheet are given back while its rows are read', async () => {
  const rows = Array.from({ length: 100 }, (_, i) => {
    const text = randomBytes(75_000).toString('base64')
    return [
      { xml: `<c t="inlineStr"><is><t>${i}</t></is></c>` },
      { xml: `<c t="inlineStr"><is><t>${text}</t></is></c>` },
    ]
  })
  const book = workbookOf({ First: [['sku', 'text'], ...rows] })
  async function* chunks() {
    for (let at = 0; at < book.length; at += 65_536) yield book.subarray(at, at + 65_536)
  }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const taken = () => {
    collect()
    // It waits for the thread that frees the buffers of the first one.
    collect()
    return process.memoryUsage().arrayBuffers / 1024 / 1024
  }
  const source = await readRows(chunks(), { file: 'a.xlsx', style: 'flags' })
  const first = taken()
  let [count, last] = [0, first]
  for await (const block of source.rows) {
    count += block.length
    if (count === rows.length) last = taken()
  }
  expect({ count, first, last }).toEqual({ count: 100, first: expect.any(Number), last: expect.any(Number) })
  expect(first - last, `${first} MiB, then ${last}`).toBeGreaterThan(5)
})

test('parts are found however their writer names them', async () => {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`
  const files = {
    'xl/workbook.xml':
      '<x:workbook xmlns:x="x" xmlns:q="q"><x:sheets><x:sheet name="C" q:id="c"/><x:sheet name="S" q:id="a"/></x:sheets></x:workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('c', 'chartsheet', 'chart.xml')}${relation('a', 'worksheet', '..\\xl\\Sheet.xml')}${relation('b', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/sheet.xml':
      '<worksheet><sheetData><row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row></sheetData></worksheet>',
    '/xl/SharedStrings.xml': '<sst><si><t>sku</t></si><si><t>A</t></si></sst>',
    'xl/chart.xml': '<chartsheet/>',
  }
  expect(await imported(zipOf(files))).toMatchObject({ products: { A: {} }, answer: { sheet: 'S' } })
})

test('a file of a spreadsheet that unpacks to more than 200 times its size, or has a DTD, is refused', async () => {
  const bomb = workbookOf({
    First: [
      ['sku', 'n'],
      ['A', 'x'.repeat(20 * 1024 * 1024)],
    ],
  })
  const declared = zipOf({ 'xl/workbook.xml': '<!DOCTYPE workbook [<!ENTITY a "b">]><workbook/>' })
  const sentences: [Buffer, string][] = [
    [bomb, 'at most 200 times its size'],
    [declared, 'without a DTD'],
  ]
  for (const [content, sentence] of sentences) {
    expect(await imported(content)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  }
})

test.each([
  [0, undefined, 1],
  [14, undefined, 'date'],
  [20, undefined, 'time'],
  [46, undefined, 1],
  [164, 'General', 1],
  [164, '#,##0.00" days"', 1],
  [164, '*d#,##0.00', 1],
  [164, 'Standard', 1],
  [164, '00000', 5],
  [164, '"No. "000-000', 6],
  [164, '0.00E+00', 1],
  [164, 'h:mm AM/PM', 'time'],
  [164, 'mm:ss', 'time'],
  [164, 'mmm', 'date'],
  [164, '[$-409]d\\-mmm\\-yy;@', 'date'],
  [164, '[Red]0.00', 1],
  [164, '[hh]:mm:ss', 1],
  [164, 'yyyy/mm/dd hh:mm', 'date'],
  [164, 'mm:ss.0', 'time'],
  [164, '[$-411]ggge"年"', 'date'],
  [164, '[$-41E]bbbb', 'date'],
  [164, '0 pcs', 1],
  [164, '#,##0.00 m', 1],
  [164, 'EUR 0.00', 1],
  [164, 'EUR 000', 3],
  [164, 'Std 0', 1],
  [164, '##0E+0', 1],
  ...['Text', 'Generale', 'Geral', 'Percent', 'Estándar', 'Standaard', 'Algemeen', 'Yleinen', 'Ogólny'].map(
    (code) => [164, code, 1] as const,
  ),
  [164, 'gge"年"m"月"d"日"', 'date'],
  [164, 'yyyy年m月d日', 'date'],
  [164, 'ggge', 'date'],
  [164, 'e', 'date'],
  [164, 'yyyy-mm-ddThh:mm:ssZ', 'date'],
  [164, 'hhAM/PM', 'time'],
  [164, `yyyy${'-'.repeat(252)}`, 1],
] as const)('a number with the format %s %s is shown as %s', (id, code, format) => {
  expect(numberFormat(id, code)).toBe(format)
})

test.each([
  ['"ART-"0000', true],
  ['\\P\\-0', true],
  ['000\\-00\\-0000', true],
  ['0"x"0', true],
  ['0 "pcs"', false],
  ['"SFr." #,##0.00', false],
  ['[$CHF-807] 0', false],
  ['"€" 0', false],
  ['"EUR" 0', false],
  ['"EUR "0', false],
  ['"EUR"\\ 0', false],
  ['_-"EUR"* 0', false],
  ['"A_"0', true],
  [`"A"${'0'.repeat(253)}`, false],
  ['# ?/?', false],
  ['0;"none"0', false],
])('a number with the format %s has letters or signs of a code: %s', (code, isCode) => {
  expect(isCodeFormat(code)).toBe(isCode)
})

test.each(['[', '"A"', '"', '0', '"A"0.', 'L0', 'e', '_'])('a hostile format of many %j is read at once', (piece) => {
  const code = `${piece.repeat(20_000 / piece.length)}.`
  const read = () => [numberFormat(164, code), isCodeFormat(code)]
  expect(read()).toEqual([1, false])
  expect(cpuMsOf(read)).toBeLessThan(100)
  const short = code.slice(0, 255)
  expect(
    cpuMsOf(() => Array.from({ length: 1_000 }, () => [numberFormat(164, short), isCodeFormat(short)])),
  ).toBeLessThan(1_000)
})

test('a date in place of a code has a note: the sheet shows another text, and may have made it of a code', async () => {
  const rows = [['sku', 'day'], [number('46024', 1), number('46024', 1)], ['2026-01-02', ''], [number('46025')]]
  const { products, answer } = await imported(workbookOf({ First: rows }))
  expect(Object.keys(products)).toEqual(['46025', '2026-01-02'])
  expect(answer.notes).toEqual([{ code: 'damaged_values', column: 'sku', rows: 1, example: '2026-01-02' }])
})

test('a number that is shown as a code has a note', async () => {
  const rows = [['sku'], [number('1234', 7)]]
  const { products, answer } = await imported(workbookOf({ First: rows }))
  expect({ products, notes: answer.notes }).toEqual({
    products: { 1234: {} },
    notes: [{ code: 'leading_zeros', column: 'sku', rows: 1, example: '1234' }],
  })
})

test.each([
  [1, '1900-01-01'],
  [59, '1900-02-28'],
  [60, undefined],
  [61, '1900-03-01'],
  [0, undefined],
  [0.5, '12:00:00'],
  [44926.999999, '2023-01-01'],
  [2_958_465, '9999-12-31'],
  [2_958_466, undefined],
  [-1, undefined],
])('day %s is %s', (day, text) => {
  expect(dateText(day, 'date', false)).toBe(text)
})

test('a time of day that is nearly over is no date', () => {
  expect(dateText(0.9999999, 'time', false)).toBe('23:59:59')
  expect(dateText(0.9999999, 'time', true)).toBe('23:59:59')
})

test.each(['2023-02-30', '2023-01-01T24:00:00', '24:00:00', '2023-01-01T12:60', '2023-01-01 12:00:00', 'soon', 'T'])(
  'the date %j of ISO 8601 is none',
  (text) => {
    expect(isoDateText(text, 'date', false)).toBeUndefined()
  },
)

test.each(['2024-02-29', '12:30:00', '2023-01-01T12:30', '2023-01-01T12:30:00+02:00'])('%s stays as it is', (text) => {
  expect(isoDateText(text, 'date', false)).toBe(text)
})

test.each([
  [123456789012345680000, '123456789012345680000'],
  [1.5e-9, '0.0000000015'],
  [-2.25e22, '-22500000000000000000000'],
  [0.1 + 0.2, '0.30000000000000004'],
])('the number %s is written %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})
