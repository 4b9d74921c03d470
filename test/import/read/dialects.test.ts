import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { importFile } from '../../../src/import/import-file.ts'
import { importRequest } from '../../../src/import/options.ts'
import { productsOf, useCatalog } from '../catalog.ts'
import { workbookOf } from './xlsx.ts'

const catalog = useCatalog()
const columns = ['sku', 'a', 'b "quoted"', 'c, d']

const encodings: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\uFEFF${text}`),
  'UTF-16LE': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  'Windows-1252': (text) => Buffer.from(text, 'latin1'),
}

interface Dialect {
  kind: 'csv' | 'xlsx' | 'jsonl'
  separator: string
  quotesAll: boolean
  encoding: string
  lineEnd: string
  isPacked: boolean
}

const dialect: fc.Arbitrary<Dialect> = fc.record({
  kind: fc.constantFrom('csv', 'csv', 'csv', 'xlsx', 'jsonl'),
  separator: fc.constantFrom(',', ';', '\t', '|'),
  quotesAll: fc.boolean(),
  encoding: fc.constantFrom(...Object.keys(encodings)),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  isPacked: fc.boolean(),
})

function written(rows: readonly string[][], { kind, separator, quotesAll, encoding, lineEnd, isPacked }: Dialect) {
  const encode = encodings[encoding] ?? Buffer.from
  const cellOf = (text: string) =>
    quotesAll || /["\r\n,;\t|]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const objectOf = (cells: readonly string[]) => Object.fromEntries(columns.map((column, i) => [column, cells[i]]))
  const bytes = {
    csv: () => encode([columns, ...rows].map((cells) => cells.map(cellOf).join(separator)).join(lineEnd)),
    xlsx: () => workbookOf({ Sheet: [columns, ...rows] }),
    jsonl: () => encode(rows.map((cells) => JSON.stringify(objectOf(cells))).join('\n')),
  }[kind]()
  return isPacked ? gzipSync(bytes) : bytes
}

test('a table is the same catalogue in every dialect', async () => {
  const unit = fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', '\r\n', ' ', 'é', 'ü', '0', "'", '=')
  const cell = fc.string({ unit, maxLength: 6 })
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(table, dialect, async (cells, how) => {
      const rows = cells.map((row, i) => [`P${i}`, ...row])
      const store = await catalog.newStore()
      const content = written(rows, how)
      const open = async function* () {
        yield content
      }
      const request = { ...importRequest(`file.${how.kind}`, { store }), storeUuid: store }
      const result = await importFile(catalog.database.db, open(), request, {
        enumerations: fallbackEnumerations,
        signal: new AbortController().signal,
        reopen: open,
      })
      expect(result).toMatchObject({ stopped: undefined, counts: { rows: rows.length, created: rows.length } })
      const expected = rows.map(([code = '', ...texts]) => {
        const filled = texts.flatMap((text, i) => (text === '' ? [] : [[columns[i + 1], text] as const]))
        return [code, { status: 'new', attributes: Object.fromEntries(filled) }]
      })
      expect([...(await productsOf(catalog, store))]).toEqual(expected)
    }),
    { numRuns: 150 },
  )
})
