import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CsvError, parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Format } from '../../../src/import/options.ts'
import { readRows } from '../../../src/import/read/read-rows.ts'
import { type Cell, type Entry as FileEntry, sentenceOf } from '../../../src/import/read/row.ts'
import { UsageError } from '../../../src/import/usage-error.ts'

type Entry = { number: number; line: number | undefined; cells?: Record<string, Cell>; field?: string; reason?: string }

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]) {
  let from = 0
  for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)) {
    yield Buffer.from(bytes.subarray(from, cut))
    from = cut
  }
}

async function* rowsOf(blocks: AsyncIterable<readonly FileEntry[]>): AsyncGenerator<FileEntry> {
  for await (const rows of blocks) yield* rows
}

async function allOf(blocks: AsyncIterable<readonly FileEntry[]>): Promise<FileEntry[]> {
  const entries: FileEntry[] = []
  for await (const rows of blocks) entries.push(...rows)
  return entries
}

async function read(format: Format, content: string | Uint8Array, cuts: readonly number[] = []): Promise<Entry[]> {
  const source = await readRows(chunksOf(Buffer.from(content), cuts), { file: 'file', format, style: 'flags' })
  const entries: Entry[] = []
  for await (const row of rowsOf(source.rows)) {
    const { number, line } = row
    if ('cells' in row) {
      const cells = Object.fromEntries(row.columns.map((column, i) => [column, row.cells[i] ?? '']))
      entries.push({ number, line, cells })
    } else
      entries.push({ number, line, reason: sentenceOf(row.fault), ...(row.fault.field && { field: row.fault.field }) })
  }
  return entries
}

async function cellsOf(format: Format, content: string | Uint8Array): Promise<unknown[]> {
  return (await read(format, content)).map(({ cells, reason }) => cells ?? reason)
}

describe('a CSV file', () => {
  test('is read with a byte-order mark, any line ends, quotes, and lines within cells', async () => {
    const file = '\uFEFFsku,n\r\nA,"x, ""y"""\rB,"1\r\n2"\n\nC,é😀\r\n'
    expect(await read('csv', file)).toEqual([
      { number: 1, line: 2, cells: { sku: 'A', n: 'x, "y"' } },
      { number: 2, line: 3, cells: { sku: 'B', n: '1\r\n2' } },
      { number: 3, line: 6, cells: { sku: 'C', n: 'é😀' } },
    ])
  })

  test('skips lines without any content, which do not count as rows', async () => {
    expect(await read('csv', 'sku,n\n\n,\nA,1\n\n')).toEqual([{ number: 1, line: 4, cells: { sku: 'A', n: '1' } }])
  })

  test.each([
    ['quoted, after a mark', '"sku","n"', '\uFEFF"sku","n"'],
    ['with a separator at its end', 'sku,n', 'sku,n,'],
    ['without the separators at its end', 'sku,n,,', 'sku,n'],
  ])('may not have its header again: %s', async (_form, header, again) => {
    const fault = { expected: 'must be a row of values', got: 'the header again' }
    const entries = await read('csv', `\uFEFF${header}\nA,1\n${again}\n\uFEFFB,2\n`)
    expect(entries.map(({ cells }) => cells?.sku)).toEqual(['A', undefined, 'B'])
    const file = Buffer.from(`${header}\n${again}`)
    const { rows } = await readRows(chunksOf(file, []), { file: 'file', format: 'csv', style: 'flags' })
    expect(await allOf(rows)).toMatchObject([{ source: again.replace('\uFEFF', ''), fault }])
  })

  test('may not have its header again in a report of failed rows, which has errors before it', async () => {
    const report = 'import_error_row,import_error_field,import_error_expected,import_error_got,sku,n\n2,,again,,sku,n\n'
    expect(await cellsOf('csv', report)).toEqual(['must be a row of values; got the header again'])
  })

  test('may have a short row of the first name alone', async () => {
    expect(await cellsOf('csv', 'sku,n,m\nsku\n')).toEqual([{ sku: 'sku', n: '', m: '' }])
  })

  test('keeps a quote within an unquoted cell', async () => {
    expect(await cellsOf('csv', 'sku,n\nA,5" pipe\n')).toEqual([{ sku: 'A', n: '5" pipe' }])
  })

  test.each([
    ['more cells', 'A,1,2', /must have 2 cells, as the header has; got 3/],
    ['text after a closing quote', '"A"x,1', /after the closing quote/],
    ['a backslash before a quote', '"a \\"b\\" c",1', /after the closing quote/],
  ])('fails a row with %s alone', async (_what, row, reason) => {
    const [before, failed, after, ...more] = await read('csv', `sku,n\nA,0\n${row}\nB,2\n`)
    expect(before?.cells).toEqual({ sku: 'A', n: '0' })
    expect(failed).toMatchObject({ number: 2, line: 3, reason: expect.stringMatching(reason) })
    expect(after).toEqual({ number: 3, line: 4, cells: { sku: 'B', n: '2' } })
    expect(more).toEqual([])
  })

  test('fails a row with bytes that are no UTF-8, naming the column, and keeps a replacement character that is one', async () => {
    const file = Buffer.concat([Buffer.from('sku,n\nA,caf'), Buffer.from([0xe9]), Buffer.from('\nB,\uFFFD\n')])
    expect(await read('csv', file)).toEqual([
      { number: 1, line: 2, field: 'n', reason: 'must be UTF-8; got other bytes' },
      { number: 2, line: 3, cells: { sku: 'B', n: '\uFFFD' } },
    ])
  })

  test('ends at a quote that is never closed, with every row before it', async () => {
    const [first, last, ...more] = await read('csv', 'sku,n\nA,1\n"B,2\nC,3\n')
    expect(first?.cells).toEqual({ sku: 'A', n: '1' })
    expect(last).toMatchObject({ number: 2, line: 3, reason: expect.stringMatching(/never ends/) })
    expect(more).toEqual([])
  })

  test('ends at a row of more than 10 MiB, however much follows', async () => {
    const rows = await read('csv', `sku,n\nA,1\n"B${'x'.repeat(11 * 1024 * 1024)}\n`, [1_000_000, 11_000_000])
    expect(rows.map(({ reason }) => reason)).toEqual([
      undefined,
      expect.stringMatching(/more than 10485760 characters/),
    ])
  })

  test.each([
    ['is empty', '', /header line/],
    ['has nothing but blank lines', '\n\n', /header line/],
    ['names a column twice', 'a,b,b,a\n', /columns twice: "b", "a"/],
    ['is UTF-16 without a mark', Buffer.from('sku', 'utf16le'), /UTF-16, set --encoding/],
    [
      'has more than 5,000 columns',
      `${Array.from({ length: 5_001 }, (_, i) => i)}\n`,
      /at most 5000 columns; got 5001/,
    ],
    ['has a header that never ends', 'a,"b\n', /header line cannot be read/],
  ])('is refused when it %s', async (_what, content, message) => {
    await expect(read('csv', content)).rejects.toThrow(message)
  })

  test('allows several columns without a name, as spreadsheets write them', async () => {
    expect(await cellsOf('csv', 'sku,,\nA,,\n')).toEqual([{ sku: 'A', '': '' }])
  })

  test('gives any table back, wherever its bytes are cut', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '😀', '[', '\\'),
      maxLength: 6,
    })
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (rows, end, cuts) => {
          const quoted = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
          const entries = await read('csv', `a,b,c${end}${quoted.join(end)}`, cuts)
          const kept = rows.filter((cells) => cells.some((text) => text !== ''))
          expect(entries.map(({ cells }) => cells)).toEqual(kept.map(([a, b, c]) => ({ a, b, c })))
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('a CSV file is read as csv-parse reads it, wherever its bytes are cut', async () => {
  const syntax = fc.constantFrom('a', 'b', ',', ',', '"', '"', '""', '",', ',"', '\n', '\r', '\r\n', 'é', '😀', ' ')
  await fc.assert(
    fc.asyncProperty(fc.array(syntax, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 5 }), async (texts, cuts) => {
      const file = `\uFEFFc,d\n${texts.join('')}`
      const { records, isOpen } = parsedBy(file)
      const entries = await read('csv', file, cuts)
      if (isOpen) expect(entries.pop()?.reason).toMatch(/never ends/)
      expect(entries).toHaveLength(records.length)
      for (const [i, [a, b, ...more]] of records.entries()) {
        const entry = entries[i]
        if (more.some((cell) => cell !== ''))
          expect(entry?.reason).toMatch(/2 cells|closing quote|begin with its quote/)
        else if (entry?.reason === undefined) expect(entry?.cells).toEqual({ c: a, d: b ?? '' })
        else expect([a, b, ...more].some((cell) => cell?.includes('"'))).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

/** The records of a file after its header that are not blank, and whether a quote is never closed. */
function parsedBy(file: string) {
  const records: string[][] = []
  const on_record = (cells: string[]) => {
    records.push(cells)
    return null
  }
  const lenient = { bom: true, relax_column_count: true, relax_quotes: true }
  let isOpen = false
  try {
    parse(file, { ...lenient, record_delimiter: ['\r\n', '\n', '\r'], on_record })
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    isOpen = true
  }
  return { records: records.slice(1).filter((cells) => cells.some((cell) => cell !== '')), isOpen }
}

describe('JSON', () => {
  const inBoth = (...rows: string[]): [Format, string][] => [
    ['jsonl', rows.join('\n')],
    ['json', `[${rows.join()}]`],
  ]

  test('gives nested columns, texts of scalars, lists as lists, and nothing for null', async () => {
    const row = { sku: 'A', o: { x: { y: true }, z: null, none: {} }, n: -1.5, l: [1, { a: 'b' }], e: '' }
    const cells = { sku: 'A', 'o.x.y': 'true', 'o.z': '', n: '-1.5', l: [1, { a: 'b' }], e: '' }
    const asText = (entry: unknown) => JSON.parse(JSON.stringify(entry))
    for (const [format, file] of inBoth(JSON.stringify(row)))
      expect(asText(await cellsOf(format, file))).toEqual([cells])
  })

  test.each(['1.10', '12345678901234567890', '1e400', '-0', '0.1000000000000000055'])(
    'keeps the digits of %s, in lists too',
    async (number) => {
      const row = `{"sku":"A","n":${number},"l":[${number}]}`
      for (const [format, file] of inBoth(row)) {
        const [cells] = (await cellsOf(format, file)) as [Record<string, unknown>]
        expect(cells.n).toBe(number)
        expect(JSON.stringify(cells.l)).toBe(`[${number}]`)
      }
    },
  )

  test('keeps a column named __proto__', async () => {
    for (const [format, file] of inBoth('{"__proto__":{"__proto__":"x"}}')) {
      const { rows } = await readRows(chunksOf(Buffer.from(file), []), { file: 'file', format, style: 'flags' })
      for await (const row of rowsOf(rows)) {
        expect('cells' in row && [row.columns, row.cells]).toEqual([['__proto__.__proto__'], ['x']])
      }
    }
  })

  test('fails a row that is no object, or gives one column twice, alone', async () => {
    const rows = ['[1]', '"x"', '5', 'null', '{"a.b":1,"a":{"b":2}}', '{"sku":"A"}']
    const reasons = [
      'must be an object; got a list',
      'must be an object; got "x"',
      'must be an object; got 5',
      'must be an object; got null',
      'comes twice in the row',
      { sku: 'A' },
    ]
    for (const [format, file] of inBoth(...rows)) expect(await cellsOf(format, file)).toEqual(reasons)
  })

  test('fails a row with an object that has a key twice, alone', async () => {
    const rows = [
      '{"sku":"A","n":1,"n":1}',
      '{"sku":"B","m":[{"n":1,"\\u006e":2}]}',
      '{"sku":"C","m":{"n":{"n":1}},"n":2}',
    ]
    for (const [format, file] of inBoth(...rows)) {
      const twice = { field: 'n', reason: 'comes twice in an object' }
      expect(await read(format, file)).toMatchObject([twice, twice, { cells: { sku: 'C', 'm.n.n': '1', n: '2' } }])
    }
  })

  test('fails a row of more than 5,000 columns alone', async () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`c${i}`, i])))
    expect(await cellsOf('jsonl', `${wide}\n{"sku":"A"}`)).toEqual(['must have at most 5000 columns', { sku: 'A' }])
  })

  test('fails a row that is nested too deeply alone', async () => {
    const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`
    for (const [format, file] of inBoth(deep, '{"sku":"A"}')) {
      expect(await cellsOf(format, file)).toEqual([expect.stringMatching(/nested/), { sku: 'A' }])
    }
    const abyss = '['.repeat(200_000) + ']'.repeat(200_000)
    expect(await cellsOf('jsonl', `{"l":${abyss}}\n{"sku":"A"}`)).toEqual([expect.anything(), { sku: 'A' }])
  })

  test('fails a row of more than 1,000 levels alone, in both formats', async () => {
    const row = (levels: number) => `{"sku":"A","l":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    const tooDeep = 'must have at most 1000 levels of lists and objects'
    for (const [format, file] of inBoth(row(1_000), row(1_001), row(5_000), '{"sku":"B"}')) {
      const entries = await read(format, file)
      expect(entries.map(({ cells, reason }) => reason ?? cells?.sku)).toEqual(['A', tooDeep, tooDeep, 'B'])
    }
  })

  test('is read the same in both formats, wherever its bytes are cut', async () => {
    const row = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }))
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 6 }), async (rows, cuts) => {
        const lines = await read('jsonl', rows.map((value) => `${JSON.stringify(value)}\n`).join(''), cuts)
        const list = await read('json', JSON.stringify(rows, undefined, 1), cuts)
        expect(lines.map(({ line }) => line)).toEqual(rows.map((_row, i) => i + 1))
        const text = (entries: Entry[]) => JSON.stringify(entries.map(({ line: _line, ...rest }) => rest))
        expect(text(list)).toBe(text(lines))
      }),
      { numRuns: 100 },
    )
  })
})

test.each<[Format, string]>([
  ['jsonl', '{"sku":"A"},\n{"sku":"B"}\n'],
  ['jsonl', '{"sku":"A","n":"}\\""} and\n{"sku":"B"}\n'],
  ['jsonl', '{"products":[{"sku":"A"}]}'],
  ['json', '{"products":[{"sku":"A"},\n{"sku":"B"}]}'],
  ['json', '{"meta":{"n":1}\n,"products":[]}'],
  ['json', `{"n":"${'\\"'.repeat(20_000)}\n`],
])('a file without a name is %s by its first line, which begins an object (%#)', async (format, file) => {
  const options = { file: '', style: 'snake_case' } as const
  expect((await readRows(chunksOf(Buffer.from(file), []), options)).recognized.format).toBe(format)
})

describe('a JSON Lines file', () => {
  test('skips blank lines and reports the line of each row', async () => {
    expect(await read('jsonl', '\uFEFF{"sku":"A"}\r\n\r\n  \n{"sku":"B"}')).toEqual([
      { number: 1, line: 1, cells: { sku: 'A' } },
      { number: 2, line: 4, cells: { sku: 'B' } },
    ])
  })

  test('fails a line that is no JSON, no UTF-8, or too long alone', async () => {
    const latin1 = Buffer.concat([Buffer.from('{"é":"caf'), Buffer.from([0xe9]), Buffer.from('"}\n')])
    const long = Buffer.from(`{"sku":"${'x'.repeat(11 * 1024 * 1024)}"}\n`)
    const file = Buffer.concat([Buffer.from('{"sku":\n'), latin1, long, Buffer.from('{"sku":"A"}')])
    expect((await read('jsonl', file, [100, 5_000_000, 11_000_000])).map(({ line, reason }) => [line, reason])).toEqual(
      [
        [1, expect.stringMatching(/^must be JSON: /)],
        [2, 'must be UTF-8'],
        [3, 'must have at most 10485760 characters'],
        [4, undefined],
      ],
    )
  })
})

test.each(['[\n{"sku":"A"},\n{"sku":"B"}\n]', ' [{"sku":"A"},{"sku":"B"}]'])(
  'a file of JSON Lines that is a list is refused: %j',
  async (content) => {
    await expect(read('jsonl', content)).rejects.toThrow(/it begins with a list: --format json$/)
  },
)

describe('a JSON file', () => {
  test.each([
    ['{"products":[{"sku":"A"}]}', /it is an object with the list "products": --at products$/],
    ['{"n":1,"data":{"m":{},"products":[{"sku":"A"}]}}', /with the list "data.products": --at data.products$/],
    ['{"sku":"A"}\n{"sku":"B"}', /it is an object without a list, or JSON Lines: --format jsonl$/],
    ['"x"', /it is one value/],
    ['', /it ends before one begins/],
    ['5', /it ends before one begins/],
    ['{"products":', /it ends before one begins/],
  ])('without a list at its beginning is refused, with what it is: %s', async (content, message) => {
    await expect(read('json', content)).rejects.toThrow(message)
  })

  test('has its list where `at` says, whatever is around it', async () => {
    const file = '{"other":[1],"data":{"page":{"n":[2]},"products":[{"sku":"A","l":[3]},{"sku":"B"}],"x":[4]},"y":5}'
    const options = { file: 'file', format: 'json', style: 'flags', at: 'data.products' } as const
    const codes: unknown[] = []
    for await (const row of rowsOf((await readRows(chunksOf(Buffer.from(file), [20, 60]), options)).rows)) {
      codes.push('cells' in row ? row.cells[0] : row.fault)
    }
    expect(codes).toEqual(['A', 'B'])
  })

  test('is refused where `at` says a list within another list, of which there may be several', async () => {
    const file = '{"pages":[{"products":[{"sku":"A"}]},{"products":[{"sku":"B"}]}]}'
    const options = { file: 'file', format: 'json', style: 'flags', at: 'pages.products' } as const
    const { rows } = await readRows(chunksOf(Buffer.from(file), []), options)
    const message = 'must be JSON with a list at pages.products; it is within another list'
    await expect(allOf(rows)).rejects.toThrow(message)
    const page = JSON.stringify({ products: Array.from({ length: 10 }, () => ({ sku: 'x'.repeat(100_000) })) })
    const long = `{"pages":[${Array.from({ length: 12 }, () => page).join()}]}`
    const { rows: more } = await readRows(chunksOf(Buffer.from(long), [1_000_000, 5_000_000]), options)
    await expect(allOf(more)).rejects.toThrow(message)
  })

  test.each([
    [
      'has a second list at its path',
      '{"products":[{"sku":"A"}],"n":1,"products":[{"sku":"B"}]}',
      /one list at products/,
    ],
    ['goes on after its object', '{"products":[{"sku":"A"}]}\n{"products":[{"sku":"B"}]}', /must be JSON/],
  ])('that %s ends there, with the rows of its first list', async (_what, file, reason) => {
    const options = { file: 'file', format: 'json', style: 'flags', at: 'products' } as const
    for (const cuts of [[], [14, 25, 27, 40]]) {
      const { rows } = await readRows(chunksOf(Buffer.from(file), cuts), options)
      expect(await allOf(rows)).toMatchObject([
        { number: 1, cells: ['A'] },
        { number: 2, fault: { expected: expect.stringMatching(reason) }, ends: true },
      ])
    }
  })

  test('with a list at its beginning is refused where `at` says another, but for a report of failed rows', async () => {
    const options = { file: 'file', format: 'json', style: 'flags', at: 'products' } as const
    const sourcesOf = async (file: string) => {
      const { rows } = await readRows(chunksOf(Buffer.from(file), []), options)
      return (await allOf(rows)).map(({ source }) => source)
    }
    const refused = ['[{"sku":"X","products":[{"sku":"A"}]}]', '[{"sku":"X"}]', '[5,{"import_errors":[]}]']
    for (const file of refused) await expect(sourcesOf(file)).rejects.toThrow('must be JSON with a list at products')
    expect(await sourcesOf('[{"import_errors":[],"sku":"A"},{"sku":"B"}]')).toHaveLength(2)
  })

  test('is not kept after its list', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const mebibyte = 1024 * 1024
    const inUse = () => {
      collect()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return (heapUsed + arrayBuffers) / mebibyte
    }
    async function* chunks() {
      yield Buffer.from('{"products":[{"sku":"A"}],"log":["')
      for (let i = 0; i < 50; i++) yield Buffer.from(`${'a'.repeat(mebibyte)}","`)
      // The memory of buffers is given back some time after a collection.
      await expect.poll(() => inUse() - before).toBeLessThan(25)
      yield Buffer.from('"]}')
    }
    const before = inUse()
    const options = { file: 'file', format: 'json', style: 'flags', at: 'products' } as const
    expect(await allOf((await readRows(chunks(), options)).rows)).toHaveLength(1)
  })

  test('ends at a value of more than 10 MiB after its list, behind which another list may be', async () => {
    const file = `{"products":[{"sku":"A"}],"log":"${'a'.repeat(11 * 1024 * 1024)}","products":[{"sku":"B"}]}`
    const options = { file: 'file', format: 'json', style: 'flags', at: 'products' } as const
    const { rows } = await readRows(chunksOf(Buffer.from(file), [1_000_000, 5_000_000]), options)
    const expected = 'a value after the list has more than 10485760 characters'
    expect(await allOf(rows)).toMatchObject([{ cells: ['A'] }, { number: 2, fault: { expected }, ends: true }])
  })

  test.each([
    ['ends too early', '[{"sku":"A"},{"sku":"B"},{"sk', 2, /ends before/],
    [
      'has a line break in a text',
      '[{"sku":"A"},{"n":"x\ny"}]',
      1,
      /or has a text with a line break or tab that is not escaped$/,
    ],
    ['lacks a comma', '[{"sku":"A"},{"sku":"B"} {"sku":"C"}]', 2, /expected/],
    ['goes on after its list', '[{"sku":"A"}] x', 1, /unexpected/],
    [
      'has bytes that are no UTF-8',
      Buffer.concat([Buffer.from('[{"sku":"A"},{"é":"'), Buffer.from([0xe9, 0x22, 0x7d, 0x5d])]),
      1,
      /must be UTF-8/,
    ],
  ])('that %s ends there, with every row before it', async (_what, content, before, reason) => {
    const entries = await read('json', content)
    const last = entries.pop()
    expect(entries.map(({ cells }) => cells?.sku)).toEqual(['A', 'B'].slice(0, before))
    expect(last).toMatchObject({ number: before + 1, reason: expect.stringMatching(reason) })
  })
})

test('an XML file ends where it turns out to be in another encoding than it says', async () => {
  const start = `<?xml version="1.0" encoding="windows-1250"?><rss>${'<item><sku>A</sku></item>'.repeat(2)}`
  const file = Buffer.from(`${start}<item><sku>\xe9</sku></item></rss>`, 'latin1')
  expect(await read('xml', file, [start.length])).toMatchObject([
    { number: 1, cells: { sku: 'A' } },
    { number: 2, cells: { sku: 'A' } },
    { number: 3, reason: expect.stringContaining('says that it is windows-1250') },
  ])
})

test.each<Format>(['csv', 'jsonl', 'json'])(
  'any bytes at all are rows or say why they are none (%s)',
  async (format) => {
    const syntax = fc.constantFrom(...'"",,\n\n\r[]{}:\\ae1\0 '.split(''), 'é', '{"a":1}', '[{')
    const byte = fc.oneof(
      { weight: 8, arbitrary: syntax.map((text) => Buffer.from(text)) },
      fc.nat(255).map((code) => Buffer.of(code)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 5 }), async (bytes, cuts) => {
        const file = Buffer.concat(format === 'csv' ? [Buffer.from('a,b\n'), ...bytes] : bytes)
        const whole = await read(format, file).catch(refusal)
        const inPieces = await read(format, file, cuts).catch(refusal)
        expect(goodRows(inPieces)).toEqual(goodRows(whole))
        expect(inPieces.map(({ number }) => number)).toEqual(inPieces.map((_entry, i) => i + 1))
        if (format !== 'json') expect(inPieces).toEqual(whole)
      }),
      { numRuns: 200 },
    )
  },
)

function goodRows(entries: readonly Entry[]) {
  return entries.map(({ cells }) => cells).filter((cells) => cells !== undefined)
}

function refusal(error: unknown): Entry[] {
  if (error instanceof UsageError) return [{ number: 1, line: undefined, reason: error.message }]
  throw error
}
