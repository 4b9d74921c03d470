import { expect, test } from 'vitest'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { planLayout } from '../../src/import/load/layout.ts'
import { type ImportOptions, importRequest, requireConfigured } from '../../src/import/options.ts'
import { readRows } from '../../src/import/read/read-rows.ts'
import { UsageError } from '../../src/import/usage-error.ts'

const options: ImportOptions = { store: '01890a5d-ac96-774b-bcce-b302099a8057' }

const recognizedOf = async (file: string, format?: 'csv') => {
  const content = (async function* () {
    yield Buffer.from('sku\n')
  })()
  return (await readRows(content, { file, ...(format && { format }), style: 'flags' })).recognized.format
}

test.each([
  ['a.csv', 'csv'],
  ['a.tsv', 'csv'],
  ['a.txt', 'csv'],
  ['a.csv.gz', 'csv'],
  ['A.JSONL', 'jsonl'],
  ['a.b/c.ndjson', 'jsonl'],
  ['a.json', 'json'],
])('the extension of %s says that the format is %s', async (file, format) => {
  expect(await recognizedOf(file)).toBe(format)
  expect(await recognizedOf(file, 'csv')).toBe('csv')
})

test.each(['a.pdf', 'csv'])('%s does not say its format, which is wrong usage', async (file) => {
  await expect(recognizedOf(file)).rejects.toThrow(
    `--format must be given (csv, jsonl, json, xlsx, xml): the extension of ${file} is none of them`,
  )
})

test.each<[string, Partial<ImportOptions>, RegExp]>([
  ['a.csv', { assetSeparator: '' }, /--asset-separator/],
  ['a.csv', { assetBase: '/media' }, /--asset-base must be an absolute URL.*got "\/media"/],
  ['a.csv', { assetBase: 'https://a.example/?x=' }, /--asset-base must be an absolute URL/],
  ['a.csv', { map: ['name'] }, /--map must be COLUMN=ATTRIBUTE; got "name"/],
  ['a.csv', { map: ['=name'] }, /--map must be COLUMN=ATTRIBUTE/],
  ['a.csv', { map: ['name='] }, /no usable attribute/],
  ['a.csv', { map: ['name=status'] }, /use --status/],
  ['a.csv', { map: ['name=assets'] }, /assets cannot be/],
  ['a.csv', { map: ['a=b', 'a=c'] }, /names the column "a" twice/],
  ['a.csv', { mapStatus: 'Aktiv=active,Aktiv=draft' }, /--map-status names the value "Aktiv" twice/],
])('%s with %o is wrong usage', (file, overrides, message) => {
  const attempt = () => importRequest(file, { ...options, ...overrides })
  expect(attempt).toThrow(UsageError)
  expect(attempt).toThrow(message)
})

test.each(['Image URL 1', 'SMP: PDF URL 20'])('--map makes no attribute of the URL field %s', (field) => {
  const mapped = (attribute: string) => () =>
    requireConfigured(importRequest('a.csv', { ...options, map: [`pics=${attribute}`] }), fallbackEnumerations)
  const fault = `--map pics=${field} names no usable attribute: ${field} is the URL of an asset; --assets reads a column of URLs`
  expect(mapped(field)).toThrow(expect.objectContaining({ option: '--map', message: fault }))
  expect(mapped('other: Image URL 1')).not.toThrow()
})

test.each<[Partial<ImportOptions>, RegExp]>([
  [{ code: 'id' }, /--code names the column "id"; the file has the columns "sku", "name", "title"/],
  [{ status: 'state' }, /--status names the column "state"/],
  [{ assets: ['name', 'pics'] }, /--assets names the column "pics"/],
  [{ map: ['nam=x'] }, /--map names the column "nam"/],
  [{ map: ['name=title'] }, /the columns "name" and "title" both become the attribute title/],
])('%o is wrong usage for a CSV file with other columns', (overrides, message) => {
  const request = importRequest('a.csv', { ...options, ...overrides })
  const columns = ['sku', 'name', 'title', '', '']
  const attempt = () => planLayout(request, fallbackEnumerations, columns, true)
  expect(attempt).toThrow(UsageError)
  expect(attempt).toThrow(message)
})

test('a CSV file without a product code is refused with its columns', () => {
  const attempt = () => planLayout(importRequest('a.csv', options), fallbackEnumerations, ['id', 'name'], true)
  expect(attempt).toThrow(/--code must name the column of the product code; the file has the columns "id", "name"/)
})
