import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenFile } from '../../../src/import/read/row.ts'
import type { SheetRow } from '../../../src/import/read/xlsx/sheet-cells.ts'
import { sheetRows } from '../../../src/import/read/xlsx/sheet-rows.ts'
import { openWorkbook } from '../../../src/import/read/xlsx/workbook.ts'
import { Notes } from '../../../src/import/report/notes.ts'

const files = {
  'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="a" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="b" Type="x/sharedStrings" Target="s.xml"/></Relationships>',
}

/** Splits bytes into pieces of these sizes, repeated. */
async function* piecesOf(text: string, sizes: readonly number[]) {
  const bytes = Buffer.from(text)
  for (let i = 0, from = 0; from < bytes.length; i++) {
    const to = from + (sizes[i % sizes.length] ?? bytes.length)
    yield bytes.subarray(from, to)
    from = to
  }
}

/** The rows of a sheet, and why there are no more. A comment before them sends all to the parser. */
async function read(rows: string, strings: string, sizes: readonly number[], comment = '') {
  const parts: Record<string, string> = {
    ...files,
    'xl/sheet.xml': `<worksheet>${comment}<sheetData>${rows}</sheetData></worksheet>`,
    'xl/s.xml': `<sst>${comment}${strings}</sst>`,
  }
  const open = (path: string) => (parts[path] === undefined ? undefined : piecesOf(parts[path], sizes))
  const found: SheetRow[] = []
  try {
    const workbook = await openWorkbook(open, { file: 'a.xlsx', style: 'flags' })
    for await (const block of sheetRows(workbook, new Notes())) found.push(...block)
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    return { found, broken: error.message }
  }
  return { found, broken: undefined }
}

const pick = fc.constantFrom
const harmless = pick('a', 'é', '😀', ' ', '\n', '\t', '"', "'", '&amp;', '&#10;', '_x000D_', '\r\n')
const wrong = pick('>', ']]>', '&bad;', '\x01', '\x0b', '\x1f', '\ufffe', '\uffff', '<')
const text = fc
  .array(fc.oneof({ weight: 200, arbitrary: harmless }, { weight: 1, arbitrary: wrong }), { maxLength: 4 })
  .map((parts) => parts.join(''))
const quoted = (name: string, value: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 3, arbitrary: pick('') },
    { weight: 5, arbitrary: value.map((one) => ` ${name}="${one}"`) },
    { weight: 1, arbitrary: value.map((one) => ` ${name}='${one}'`) },
  )
const attributes = (...all: fc.Arbitrary<string>[]) =>
  fc.oneof(
    fc.tuple(...all).map((some) => some.join('')),
    fc.tuple(...all).map((some) => some.reverse().join('')),
  )

const formula = fc.oneof(
  { weight: 3, arbitrary: pick('') },
  {
    weight: 1,
    arbitrary: pick('<f/>', '<f>A1+1</f>', '<f t="shared" si="0"/>', '<f t="shared" ref="A1:A2">1&gt;0</f>'),
  },
  { weight: 1, arbitrary: text.map((one) => `<f>${one}</f>`) },
)
const number = pick('1', '1.5', ' 2 ', '1E3', '')
const value = fc.oneof(number, text)
const content = fc.oneof(
  fc.tuple(formula, value).map(([f, v]) => `${f}<v>${v}</v>`),
  fc.tuple(pick('', ' xml:space="preserve"'), text).map(([space, t]) => `<is><t${space}>${t}</t></is>`),
  text.map((t) => `<is><r><t>${t}</t></r><rPh><t>no</t></rPh></is>`),
  formula,
  pick('<v/>', ' <v>1</v>', '<v>1</v><f>A1</f>'),
)
const cell = fc
  .tuple(
    attributes(
      quoted('r', pick('A1', 'B1', 'D1', 'AA7')),
      quoted('s', pick('0', '1')),
      quoted('t', pick('s', 'str', 'inlineStr', 'n', 'b')),
    ),
    content,
  )
  .map(([tag, inner]) => (inner === '' ? `<c${tag}/>` : `<c${tag}>${inner}</c>`))
const row = fc
  .tuple(
    attributes(quoted('r', pick('3', '7')), quoted('spans', pick('1:3'))),
    fc.array(cell, { maxLength: 4 }),
    pick('', '', ' ', '\n'),
  )
  .map(([tag, cells, blanks]) => (cells.length === 0 ? `<row${tag}/>` : `<row${tag}>${cells.join('')}</row>`) + blanks)
const string = fc.oneof(
  { weight: 4, arbitrary: text.map((t) => `<si><t>${t}</t></si>`) },
  { weight: 1, arbitrary: text.map((t) => `<si><t xml:space="preserve">${t}</t></si>\n`) },
  { weight: 1, arbitrary: text.map((t) => `<si><r><t>${t}</t></r><r><t>b</t></r></si>`) },
  { weight: 1, arbitrary: pick('<si/>', '<si><t/></si>', ' ') },
)
const sizes = fc.oneof(pick([1], [100_000]), fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }))

test('a sheet is read as the parser alone reads it, wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 8 }),
      fc.array(string, { maxLength: 6 }),
      sizes,
      async (rows, strings, cuts) => {
        const sheet = [rows.join(''), strings.join('')] as const
        expect(await read(...sheet, cuts)).toEqual(await read(...sheet, [100_000], '<!-- -->'))
      },
    ),
    { numRuns: 300 },
  )
})
