import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { defineAttributes } from '../../src/catalogue/attributes/attribute-definitions.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { useCatalog } from './catalog.ts'

const catalog = useCatalog()

const price = { name: 'Price', type: 'number', pattern: String.raw`\d+\.\d{2}` } as const

type Definitions = Parameters<typeof defineAttributes>[2]

/** Imports a file into a store with definitions; returns what is printed and the file of the failed rows. */
async function importFaulty(content: string | Buffer, args: string[], definitions: Definitions = [price]) {
  const store = await catalog.newStore()
  await inTransaction(catalog.database.catalogue, (transaction) => defineAttributes(transaction, store, definitions))
  const errors = catalog.path('failed.csv')
  const file = await catalog.file('faulty.csv', content)
  const { stdout, stderr } = await catalog.run([file, '--store', store, '--errors', errors, '--json', ...args])
  return { store, stderr, answer: JSON.parse(stdout), failed: await readFile(errors, 'utf8'), errors }
}

it('a row is reported with all faults of its values, those of numbers too', async () => {
  const color: Definitions[number] = { name: 'Color', type: 'enum', allowedValues: ['Red'] }
  const content = 'sku;Price;status;Color\nA;19,99 €;sold out;Teal\n'
  const { stderr, failed } = await importFaulty(content, ['--decimal', 'comma'], [price, color])
  expect(failed).toMatch(/^1;Price \| status \| Color;/m)
  for (const field of ['"Price" must be a number with', '"status" must be one of', '"Color" must be one of'])
    expect(stderr).toContain(`row 1 (line 2), "A": ${field}`)
})

it('a number that was read from another text is reported with the text of the file', async () => {
  const { stderr, failed } = await importFaulty('sku;Price\nA;12,5\n', ['--decimal', 'comma'])
  expect(stderr).toContain(String.raw`"Price" must match the pattern \d+\.\d{2}; got "12,5" (read as 12.5)`)
  expect(failed).toContain(`"""12,5"" (read as 12.5)";A;12,5`)
})

it.each([
  ['sku;Preis\nA;1.249,90\n', ['decimal_unused']],
  ['sku;Price\nA;1249,90\n', []],
])('--decimal that no value needs has a note: %j', async (content, codes) => {
  const { answer, stderr } = await importFaulty(content, ['--decimal', 'comma'])
  expect(answer.notes.map(({ code }: { code: string }) => code)).toEqual(codes)
  expect(stderr.includes('--decimal was applied to no value')).toBe(codes.length > 0)
})

it.each([
  ['UTF-8 without a mark', Buffer.from('sku,status,n\nA,sold,ü\n'), false],
  ['UTF-8 with a mark', Buffer.from('\ufeffsku,status,n\nA,sold,ü\n'), true],
  ['UTF-16', Buffer.from('\ufeffsku,status,n\nA,sold,ü\n', 'utf16le'), true],
  ['Windows-1252', Buffer.from('sku,status,n\nA,sold,ü\n', 'latin1'), true],
])('the failed rows of %s have a byte-order mark if a spreadsheet needs it', async (_, content, hasMark) => {
  const { failed, errors, store } = await importFaulty(content, [])
  expect(failed.replace(/".*"/, '…')).toBe(
    `${hasMark ? '\ufeff' : ''}import_error_row,import_error_field,import_error_expected,import_error_got,sku,status,n\n1,status,…,A,sold,ü\n`,
  )
  const fixed = await catalog.fix(errors, (text) => text.replace('A,sold', 'A,draft'))
  expect(await catalog.answer([fixed, '--store', store])).toMatchObject({ rows: 1, created: 1, failed: 0 })
})
