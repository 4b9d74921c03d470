import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { defineAttributes } from '../../src/catalogue/attributes/attribute-definitions.ts'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { type ImportReport, type ImportResult, importFile } from '../../src/import/import-file.ts'
import { type ImportOptions, importRequest } from '../../src/import/options.ts'
import { type ImportPosition, noCounts } from '../../src/import/position.ts'
import { sentenceOf } from '../../src/import/read/row.ts'
import { groupsOf, productsOf, useCatalog } from './catalog.ts'

const catalog = useCatalog()

interface Problem {
  field: string | undefined
  reason: string
  row: number
  line: number | undefined
  code: string | undefined
}

interface Import extends ImportResult {
  problems: Problem[]
}

async function importRows(
  store: string,
  rows: readonly object[] | AsyncIterable<Buffer>,
  options: Partial<ImportOptions> = {},
  from?: ImportPosition,
): Promise<Import> {
  const request = { ...importRequest('file.jsonl', { store, chunkRows: 1_000, ...options }), storeUuid: store }
  const problems: Problem[] = []
  const add: ImportReport['add'] = async (failed, length) => {
    problems.length = length
    for (const { row, faults } of failed) {
      const { number, line, code } = row
      problems.push(
        ...faults.map((fault) => ({ row: number, line, code, field: fault.field, reason: sentenceOf(fault) })),
      )
    }
    return problems.length
  }
  const result = await importFile(catalog.database.db, Symbol.asyncIterator in rows ? rows : linesOf(rows), request, {
    enumerations: fallbackEnumerations,
    report: { begin: async () => {}, add },
    signal: new AbortController().signal,
    from,
  })
  return { ...result, problems }
}

async function* linesOf(rows: readonly object[]): AsyncGenerator<Buffer> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`)
}

function numbered(count: number, from = 1): object[] {
  return Array.from({ length: count }, (_, i) => ({ sku: `P${from + i}`, n: String(i) }))
}

const some = noCounts

test('rows create products, update those that differ, and leave the rest unchanged', async () => {
  const store = await catalog.newStore()
  const first = await importRows(store, [
    { sku: 'A', color: 'red', status: 'draft' },
    { sku: 'B', color: 'blue' },
  ])
  const rest = { problems: [], stopped: undefined, isBroken: false, notes: [] }
  expect(first).toMatchObject({ counts: { ...some, rows: 2, created: 2 }, ...rest })
  const { counts } = await importRows(store, [
    { sku: 'A', size: 'M' },
    { sku: 'B', color: 'blue' },
    { sku: 'C', status: 'active' },
    { sku: 'A', status: 'active' },
  ])
  expect(counts).toEqual({ ...some, rows: 4, created: 1, updated: 1, unchanged: 2 })
  expect([...(await productsOf(catalog, store))]).toEqual([
    ['A', { status: 'active', attributes: { color: 'red', size: 'M' } }],
    ['B', { status: 'new', attributes: { color: 'blue' } }],
    ['C', { status: 'active', attributes: {} }],
  ])
})

test('an error in a row is reported with its number, line, code and column, and the other rows are imported', async () => {
  const store = await catalog.newStore()
  const price = { name: 'price', type: 'number' as const, allowedValues: null, maxLength: null, pattern: null }
  await inTransaction(catalog.database.catalogue, (transaction) => defineAttributes(transaction, store, [price]))
  const rows = [
    { sku: 'A', cost: '1.5' },
    { sku: 'B', cost: 'much', state: 'gone' },
    { sku: 'C', 'x\0': '1' },
    { cost: '1' },
    { sku: 'A', cost: 'much' },
  ]
  const { counts, problems } = await importRows(store, rows, { map: ['cost=price'], status: 'state' })
  expect(counts).toEqual({ ...some, rows: 5, created: 1, failed: 4 })
  expect(problems).toEqual([
    {
      row: 2,
      line: 2,
      code: 'B',
      field: 'state',
      reason: expect.stringMatching(/^must be one of active, .*; got "gone"$/),
    },
    { row: 2, line: 2, code: 'B', field: 'cost', reason: expect.stringMatching(/decimal number.*"much"/) },
    { row: 3, line: 3, code: 'C', field: 'x\0', reason: expect.stringMatching(/name/) },
    { row: 4, line: 4, code: undefined, field: 'sku', reason: expect.stringMatching(/product code/) },
    { row: 5, line: 5, code: 'A', field: 'cost', reason: expect.stringMatching(/decimal number/) },
  ])
  expect([...(await productsOf(catalog, store))]).toEqual([['A', { status: 'new', attributes: { price: '1.5' } }]])
})

test('a bad asset fails alone: the product of its row and its other assets go in', async () => {
  const store = await catalog.newStore()
  const rows = [
    { sku: 'A', n: '1', images: ['https://a.example/1', 'nonsense'] },
    { sku: 'B', images: ['https://a.example/1'] },
  ]
  const { counts, problems } = await importRows(store, rows, { assets: ['images'] })
  expect(counts).toEqual({ ...some, rows: 2, created: 2, assetsFailed: 1, assetsAdded: 1, linksAdded: 2 })
  expect(problems).toEqual([expect.objectContaining({ row: 1, code: 'A', field: 'images' })])
  expect((await productsOf(catalog, store)).get('A')?.attributes).toEqual({ n: '1' })
  for (const code of ['A', 'B'])
    expect(await groupsOf(catalog, store, code)).toEqual({ image: ['https://a.example/1'] })
})

test('a row whose product fails gets none of its assets', async () => {
  const store = await catalog.newStore()
  const rows = [{ sku: 'A', status: 'gone', 'Image URL 1': 'https://a.example/1' }]
  const { counts } = await importRows(store, rows)
  expect(counts).toEqual({ ...some, rows: 1, failed: 1 })
  expect(await groupsOf(catalog, store, 'A')).toEqual({})
})

test('an asset that several products share is added once and linked to each, on the channel', async () => {
  const store = await catalog.newStore()
  const url = 'https://a.example/shared'
  const rows = numbered(1500).map((row) => ({ ...row, 'Image URL 1': url, 'Video URL 1': url }))
  const options = { channel: 'channel_value_3' }
  expect((await importRows(store, rows, options)).counts).toMatchObject({ assetsAdded: 2, linksAdded: 3000 })
  expect((await importRows(store, rows, options)).counts).toEqual({ ...some, rows: 1500, unchanged: 1500 })
  expect(await groupsOf(catalog, store, 'P1500', 'channel_value_3')).toEqual({ image: [url], video: [url] })
  expect(await groupsOf(catalog, store, 'P1500')).toEqual({})
})

test('images of a product are one group in the order of the rows, whether they come together, apart, or later', async () => {
  const at = (n: number) => `https://a.example/${n}`
  const rows = [
    { sku: 'A', 'Image URL 1': at(1), 'Image URL 2': at(1), 'Video URL 1': at(1), 'Image URL 3': at(2) },
    { sku: 'B', 'Image URL 1': at(2), 'Image URL 2': at(3) },
    { sku: 'A', 'Image URL 1': at(3), 'Image URL 2': at(1) },
  ]
  const expected = { A: { image: [at(1), at(2), at(3)], video: [at(1)] }, B: { image: [at(2), at(3)] } }
  const groups = async (store: string) => ({
    A: await groupsOf(catalog, store, 'A'),
    B: await groupsOf(catalog, store, 'B'),
  })
  for (const parts of [[rows], [rows.slice(0, 2), rows.slice(2)], [rows.slice(0, 1), rows.slice(1)]]) {
    const store = await catalog.newStore()
    const results: Import[] = []
    for (const part of parts) results.push(await importRows(store, part))
    expect(await groups(store)).toEqual(expected)
    const total = (key: 'assetsAdded' | 'linksAdded') => results.reduce((sum, { counts }) => sum + counts[key], 0)
    expect([total('assetsAdded'), total('linksAdded')]).toEqual([4, 6])
    expect((await importRows(store, rows)).counts).toMatchObject({ assetsAdded: 0, linksAdded: 0 })
    expect(await groups(store)).toEqual(expected)
  }
  expect(await checkReadModel(catalog.database.db)).toEqual([])
})

test('definitions that change while a file is read hold for what comes after', async () => {
  const store = await catalog.newStore()
  const { catalogue } = catalog.database
  const n = { name: 'n', type: 'boolean' as const, allowedValues: null, maxLength: null, pattern: null }
  let isDefined = false
  async function* lines() {
    yield* linesOf(numbered(1500))
    if (!isDefined) {
      await expect.poll(async () => (await productsOf(catalog, store)).size).toBe(1000)
      await inTransaction(catalogue, (transaction) => defineAttributes(transaction, store, [n]))
      isDefined = true
    }
    yield* linesOf(numbered(500, 1501))
  }
  const { counts, problems } = await importRows(store, { [Symbol.asyncIterator]: lines })
  expect(counts).toMatchObject({ rows: 2000, created: 1000, failed: 1000 })
  expect(problems[0]).toMatchObject({ row: 1001, code: 'P1001', field: 'n' })
  expect(problems).toHaveLength(1000)
})

test('rows of one product that follow each other are one write, however long the file', async () => {
  const store = await catalog.newStore()
  const rows = [...numbered(999), { sku: 'X', n: '1' }, { sku: 'X', n: '2' }, { sku: 'X', n: '3' }]
  expect((await importRows(store, rows)).counts).toEqual({
    ...some,
    rows: 1002,
    created: 1000,
    unchanged: 2,
    replaced: 2,
  })
  expect((await productsOf(catalog, store)).get('X')?.attributes).toEqual({ n: '3' })
  expect((await importRows(store, rows)).counts).toEqual({ ...some, rows: 1002, unchanged: 1002, replaced: 2 })
})

test('a chunk takes a fixed number of statements, whatever its size', async () => {
  const withAsset = (row: object) => ({ ...row, 'Image URL 1': 'https://a.example/1' })
  const statementsFor = async (store: string, n: number) => {
    catalog.database.statements()
    await importRows(store, numbered(n).map(withAsset))
    return catalog.database.statements()
  }
  const [small, large, huge] = [await catalog.newStore(), await catalog.newStore(), await catalog.newStore()]
  for (const kind of ['what is new', 'what is there']) {
    const few = await statementsFor(small, 2)
    expect(few, kind).toBeLessThan(17)
    const more = (await statementsFor(large, 2000)) - few
    expect(more, kind).toBeLessThan(14)
    // A range of more than 2,000 groups is cut.
    const cut = kind === 'what is new' ? 2 : 0
    expect(await statementsFor(huge, 3000), kind).toBe(few + 2 * more + cut)
  }
})

test('a dry run gives the same answer and changes nothing', async () => {
  const store = await catalog.newStore()
  await importRows(store, [{ sku: 'P3', n: 'old' }])
  const rows = [...numbered(1200), { sku: 'P1', n: 'new' }, { n: '1' }]
  const withAssets = rows.map((row) => ({ ...row, 'Image URL 1': 'https://a.example/1' }))
  const dry = await importRows(store, withAssets, { dryRun: true })
  expect([...(await productsOf(catalog, store))]).toEqual([['P3', { status: 'new', attributes: { n: 'old' } }]])
  expect(await groupsOf(catalog, store, 'P1')).toEqual({})
  expect(dry.counts).toEqual({
    ...some,
    rows: 1202,
    created: 1199,
    updated: 2,
    failed: 1,
    assetsAdded: 1,
    linksAdded: 1200,
    replaced: 1,
  })
  expect(await importRows(store, withAssets)).toEqual(dry)
})

test('a database that fails stops the import with every batch before it in, and the next run completes it', async () => {
  const store = await catalog.newStore()
  const { db } = catalog.database
  const count = async () => (await productsOf(catalog, store)).size
  const rows = numbered(2500)
  async function* chunks() {
    yield* linesOf(rows.slice(0, 1500))
    await expect.poll(count).toBe(1000)
    await sql`alter table product rename to hidden`.execute(db)
    yield* linesOf(rows.slice(1500))
  }
  const result = await importRows(store, chunks())
  await sql`alter table hidden rename to product`.execute(db)
  expect(result.stopped).toMatch(/^stopped after row 1000: .*product/)
  expect(result.counts).toEqual({ ...some, rows: 1000, created: 1000 })
  expect(await count()).toBe(1000)
  expect((await importRows(store, rows)).counts).toEqual({ ...some, rows: 2500, created: 1500, unchanged: 1000 })
})

test('an import that fails does not wait for the rest of its input', async () => {
  async function* chunks() {
    yield* linesOf(numbered(1_500))
    await new Promise(() => {})
  }
  const store = await catalog.newStore()
  const request = { ...importRequest('file.jsonl', { store, chunkRows: 1_000 }), storeUuid: store }
  const { stopped } = await importFile(catalog.database.db, chunks(), request, {
    enumerations: fallbackEnumerations,
    signal: new AbortController().signal,
    savePosition: () => Promise.reject(new Error('there is no place for it')),
  })
  expect(stopped).toBe('stopped after row 0: there is no place for it')
})

// The trigger is on one server.
test.skipIf(process.env.CITUS_URL)(
  'a chunk whose transaction is repeated is counted once, and its failed rows are',
  async () => {
    const store = await catalog.newStore()
    const { db } = catalog.database
    // A sequence is not rolled back.
    await sql`
    create sequence attempts;
    create function fail_once() returns trigger language plpgsql as $$
      begin
        if nextval('attempts') = 1 then raise 'again' using errcode = 'serialization_failure'; end if;
        return new;
      end $$;
    create trigger fail_once before insert on product for each row execute function fail_once()`.execute(db)
    const done: [rows: number, failed: number[]][] = []
    const rows = linesOf([{ sku: 'A' }, { sku: 'B', status: 'sold' }])
    const { counts } = await importFile(
      db,
      rows,
      { ...importRequest('file.jsonl', { store }), storeUuid: store },
      {
        enumerations: fallbackEnumerations,
        signal: new AbortController().signal,
        onChunk: (counts, failed) => done.push([counts.rows, failed.map(({ row }) => row.number)]),
      },
    )
    await sql`drop trigger fail_once on product`.execute(db)
    expect(counts).toMatchObject({ created: 1, failed: 1 })
    expect(done).toEqual([[2, [2]]])
  },
)

test('columns that are named and that no row has are reported', async () => {
  const store = await catalog.newStore()
  const options = { assets: ['images', 'imgs'], map: ['title=name'] }
  expect((await importRows(store, [{ sku: 'A', images: null }, { sku: 'B' }], options)).notes).toEqual(
    ['imgs', 'title'].map((column) => ({ code: 'unseen_column', column, rows: 0, example: null })),
  )
})

test('columns are looked for in all rows of a resumed import, and are not reported where it stopped', async () => {
  const store = await catalog.newStore()
  const options = { map: ['title=name'] }
  const from = { counts: { ...noCounts, rows: 1, created: 1 }, reportEnd: 0 }
  const rows = [{ sku: 'A', title: 'x' }, { sku: 'B' }]
  expect((await importRows(store, rows, options, from)).notes).toEqual([])
  async function* broken() {
    yield Buffer.from('[{"sku":"A"}')
    yield Buffer.from(' x')
  }
  const { stopped, notes } = await importRows(store, broken(), { ...options, format: 'json' })
  expect({ stopped, notes }).toEqual({ stopped: expect.stringMatching(/^stopped at row 2/), notes: [] })
})

test('a file whose rows lack any product code is refused with the columns that it has', async () => {
  const store = await catalog.newStore()
  await expect(importRows(store, [{ id: 'A', b: '' }])).rejects.toThrow(/--code .*"id", "b"/)
  await expect(importRows(store, [{ id: 'A' }], { code: 'ID' })).rejects.toThrow(/--code names the column "ID".*"id"/)
  expect((await importRows(store, [])).counts).toEqual({ ...some, rows: 0 })
})

test('imports of one file at the same time wait for each other and add everything once', async () => {
  const store = await catalog.newStore()
  const rows = numbered(1500).map((row, i) => ({ ...row, 'Image URL 1': `https://a.example/${i % 700}` }))
  const results = await Promise.all(
    [rows, rows.toReversed(), rows, rows.toReversed()].map((all) => importRows(store, all)),
  )
  const total = (key: 'created' | 'failed' | 'assetsAdded' | 'linksAdded') =>
    results.reduce((sum, { counts }) => sum + counts[key], 0)
  expect(results.map(({ stopped }) => stopped)).toEqual([undefined, undefined, undefined, undefined])
  expect([total('created'), total('failed'), total('assetsAdded'), total('linksAdded')]).toEqual([1500, 0, 700, 1500])
})

test('any file merges its good rows in order, counts every row once, and changes nothing the second time', async () => {
  const value = fc.constantFrom('1', '2', '3')
  const row = fc.record(
    {
      sku: fc.constantFrom('A', 'B', 'C', '__proto__'),
      x: value,
      y: value,
      status: fc.constantFrom('new', 'draft', 'bad'),
    },
    { requiredKeys: ['sku'] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
      const store = await catalog.newStore()
      const expected = new Map<string, { status: string; attributes: Record<string, string> }>()
      for (const { sku, status, ...attributes } of rows) {
        if (status === 'bad') continue
        const before = expected.get(sku)
        const merged = { ...before?.attributes, ...attributes }
        expected.set(sku, { status: status ?? before?.status ?? 'new', attributes: merged })
      }
      const failed = rows.filter(({ status }) => status === 'bad').length
      const { counts } = await importRows(store, rows)
      expect(Object.fromEntries(await productsOf(catalog, store))).toEqual(Object.fromEntries(expected))
      expect({ ...counts, replaced: 0 }).toEqual({
        ...some,
        rows: rows.length,
        created: expected.size,
        unchanged: rows.length - failed - expected.size,
        failed,
      })
      const again = await importRows(store, rows)
      expect({ ...again.counts, replaced: 0 }).toEqual({
        ...some,
        rows: rows.length,
        unchanged: rows.length - failed,
        failed,
      })
    }),
    { numRuns: 25 },
  )
})

test('the read model is as it should be after all of this', async () => {
  expect(await checkReadModel(catalog.database.db)).toEqual([])
})
