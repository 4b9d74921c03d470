import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { dateText, numberKind, numberText } from '../../../src/import/read/xlsx/cell-text.ts'
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
    [{ xml: '<c t="d"><v>2023-01-01T00:00:00</v></c>' }, '2023-01-01'],
  ]
  const header = cells.map((_cell, i) => `c${String(i).padStart(2, '0')}`)
  const sheet = [['sku', ...header], [], ['A', ...cells.map(([cell]) => cell)]]
  const { products, answer, code } = await imported(workbookOf({ First: sheet }), [], 'renamed.csv')
  expect({ code, answer }).toMatchObject({ code: 0, answer: { format: 'xlsx', sheet: 'First', rows: 1, created: 1 } })
  expect(products.A).toEqual(Object.fromEntries(cells.map(([, text], i) => [header[i], text])))
})

test('days count from 1904 in workbooks that say so', async () => {
  const { products } = await imported(
    workbookOf(
      {
        First: [
          ['sku', 'd'],
          ['A', number('43465', 1)],
        ],
      },
      true,
    ),
  )
  expect(products.A).toEqual({ d: '2023-01-01' })
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
  ]
  const errors = catalog.path('sheet-failed.csv')
  const { products, answer, stderr, store } = await imported(workbookOf({ First: rows }), ['--errors', errors])
  expect(answer).toMatchObject({ rows: 6, created: 1, failed: 5 })
  expect(products).toEqual({ E: { n: 'good' } })
  expect(stderr).toContain('row 1 (line 2): "n" must be no error; got "#N/A"')
  const text = await readFile(errors, 'utf8')
  for (const reason of ['result of its formula', 'a date that exists', 'must have 2 cells', 'a text of the file']) {
    expect(text).toContain(reason)
  }
  const fixed = await catalog.fix(errors, (report) => report.replace('A,#N/A', 'A,7'))
  expect(await catalog.answer([fixed, '--store', store], 1)).toMatchObject({ created: 4 })
})

test('--sheet chooses a sheet, and what is no spreadsheet is refused', async () => {
  const book = workbookOf({ First: [['sku'], ['A']], 'Second & last': [['sku'], ['B']] })
  expect((await imported(book, ['--sheet', 'Second & last'])).products).toEqual({ B: {} })
  const sentences: [content: Buffer, args: string[], sentence: RegExp][] = [
    [book, ['--sheet', 'Third'], /--sheet must name a sheet of the file: "First", "Second & last"; got "Third"/],
    [zipOf({ 'a.txt': 'x' }), [], /it is another ZIP archive/],
    [book.subarray(0, 200), [], /must be a spreadsheet in XLSX/],
    [workbookOf({ First: [] }), [], /the sheet is empty/],
    [workbookOf({ First: [['sku', 'n', 'n']] }), [], /names columns twice: "n"/],
    [book, ['--format', 'csv'], /--format must be xlsx or left out/],
  ]
  for (const [content, args, sentence] of sentences) {
    expect(await imported(content, args)).toMatchObject({ code: 2, stderr: expect.stringMatching(sentence) })
  }
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
  [0, undefined, 'number'],
  [14, undefined, 'date'],
  [46, undefined, 'number'],
  [164, 'General', 'number'],
  [164, '#,##0.00" days"', 'number'],
  [164, '[$-409]d\\-mmm\\-yy;@', 'date'],
  [164, '[Red]0.00', 'number'],
  [164, '[hh]:mm:ss', 'number'],
  [164, 'yyyy/mm/dd hh:mm', 'date'],
] as const)('a number with the format %s %s is a %s', (id, code, kind) => {
  expect(numberKind(id, code)).toBe(kind)
})

test.each([
  [1, '1900-01-01'],
  [59, '1900-02-28'],
  [60, undefined],
  [61, '1900-03-01'],
  [0.5, '12:00:00'],
  [44926.999999, '2023-01-01'],
  [2_958_465, '9999-12-31'],
  [2_958_466, undefined],
  [-1, undefined],
])('day %s is %s', (day, text) => {
  expect(dateText(day, false)).toBe(text)
})

test.each([
  [123456789012345680000, '123456789012345680000'],
  [1.5e-9, '0.0000000015'],
  [-2.25e22, '-22500000000000000000000'],
  [0.1 + 0.2, '0.30000000000000004'],
])('the number %s is written %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})
