import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { defineAttributes } from '../../../src/catalogue/attributes/attribute-definitions.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'
import { createRepeatedRows } from '../../../src/import/load/repeated-rows.ts'
import { unescapedFormula } from '../../../src/text.ts'
import { runCli } from '../../support/clients/cli.ts'
import { groupsOf, productsOf, useCatalog } from '../catalog.ts'
import { workbookOf } from './xlsx.ts'

const catalog = useCatalog()

async function imported(content: string | Uint8Array, args: string[] = [], name = 'file.csv') {
  const store = await catalog.newStore()
  const file = await catalog.file(name, content)
  const { code, stdout, stderr } = await catalog.run([file, '--store', store, ...args, '--json'])
  const products = Object.fromEntries(await productsOf(catalog, store))
  return { store, file, code, stderr, products, answer: stdout === '' ? {} : JSON.parse(stdout) }
}

const attributesOf = ({ products }: Awaited<ReturnType<typeof imported>>) =>
  Object.fromEntries(Object.entries(products).map(([code, { attributes }]) => [code, attributes]))

describe('images', () => {
  test('of one cell are told apart, and a bad one does not take the others', async () => {
    const rows = [
      'A,https://a.example/1.jpg|https://a.example/2.jpg',
      'B,"https://a.example/x,y.jpg, nonsense://"',
      'C,"https://a.example/3.jpg,4.jpg"',
    ]
    const result = await imported(`sku,Images\n${rows.join('\n')}\n`, ['--assets', 'Images'])
    expect(result).toMatchObject({ code: 1, answer: { created: 3, failed: 0, assets_failed: 2, assets_added: 3 } })
    expect(await groupsOf(catalog, result.store, 'A')).toEqual({
      image: ['https://a.example/1.jpg', 'https://a.example/2.jpg'],
    })
    expect(await groupsOf(catalog, result.store, 'B')).toEqual({ image: ['https://a.example/x,y.jpg'] })
    expect(result.stderr).toContain('--asset-separator names the separator')
  })

  test('of columns that begin with a channel are on that channel, one URL each', async () => {
    const rows = [
      'sku,Image URL 1,SMP: Image URL 2,channel_value_1: Image URL 2,channel_value_1: Image URL 1,x: Image URL 1',
      'A,https://a.example/1,https://a.example/2,https://a.example/4,https://a.example/3,attribute',
      'B,,,https://a.example/5,"https://a.example/5,https://a.example/6",',
    ]
    const result = await imported(rows.join('\n'))
    expect(result).toMatchObject({ code: 1, answer: { created: 2, links_added: 5, assets_added: 5, assets_failed: 1 } })
    expect(attributesOf(result)).toEqual({ A: { 'x: Image URL 1': 'attribute' }, B: {} })
    const onChannel = (code: string, channel: string) => groupsOf(catalog, result.store, code, channel)
    expect(await onChannel('A', 'SMP')).toEqual({ image: ['https://a.example/1', 'https://a.example/2'] })
    expect(await onChannel('A', 'channel_value_1')).toEqual({ image: ['https://a.example/3', 'https://a.example/4'] })
    const again = await catalog.answer([result.file, '--store', result.store], 1)
    expect(again).toMatchObject({ unchanged: 2, links_added: 0 })
    const more = await catalog.file('more.csv', rows.join('\n').replaceAll('/3', '/7').replaceAll('/1,', '/8,'))
    await catalog.answer([more, '--store', result.store], 1)
    expect(await onChannel('A', 'channel_value_1')).toEqual({ image: [3, 4, 7].map((n) => `https://a.example/${n}`) })
    expect((await onChannel('A', 'SMP')).image?.at(-1)).toBe('https://a.example/8')
    expect((await runCli(['check'], { DATABASE_URL: catalog.database.url })).code).toBe(0)
  })

  test('that failed are in the file of failed rows, which can be imported again', async () => {
    const errors = catalog.path('images-failed.csv')
    const { store, code } = await imported('sku,n,Image URL 1\nA,1,nonsense\nB,2,https://a.example/2\n', [
      '--errors',
      errors,
    ])
    expect(code).toBe(1)
    const fixed = await catalog.fix(errors, (text) => {
      expect(text.trimEnd().split('\n')).toHaveLength(2)
      return text.replace(/nonsense\n$/, 'https://a.example/1\n')
    })
    expect(await catalog.answer([fixed, '--store', store])).toMatchObject({ unchanged: 1, assets_added: 1 })
  })

  test('in lists of objects are their src, url or href, or the field of an answer', async () => {
    const images = [
      { id: 1, src: 'https://a.example/1' },
      { url: 'https://a.example/2' },
      { href: 'https://a.example/3' },
      { asset_id: '4', 'Image URL 4': 'https://a.example/4' },
    ]
    const content = JSON.stringify([{ sku: 'A', assets: { SMP: images } }])
    const { store, code } = await imported(content, ['--assets', 'assets.SMP'], 'file.json')
    expect(code).toBe(0)
    expect(await groupsOf(catalog, store, 'A')).toEqual({ image: [1, 2, 3, 4].map((n) => `https://a.example/${n}`) })
    expect((await imported(content, [], 'file.json')).answer.notes).toMatchObject([{ code: 'likely_images' }])
  })

  const columns = ['Image 2', 'cover_media_url', 'gallery', 'Bilder', 'media', 'image_2', 'productImage', 'cover']

  test.each(columns)('in a column %s are attributes, and a note says so', async (column) => {
    const url = 'https://a.example/2'
    const files: [name: string, content: string][] = [
      ['a.csv', `sku,Image URL 1,Image Alt Text,${column}\nA,https://a.example/1,text,${url}\n`],
      ['a.jsonl', JSON.stringify({ sku: 'A', [column]: url })],
      ['a.json', JSON.stringify([{ sku: 'A' }, { sku: 'B', [column]: [url] }])],
      ['a.xml', `<rss><item><sku>A</sku><${column.replace(' ', '')}>${url}</${column.replace(' ', '')}></item></rss>`],
    ]
    for (const [name, content] of files) {
      const { answer } = await imported(content, ['--dry-run'], name)
      const named = name === 'a.xml' ? column.replace(' ', '') : column
      expect(answer.notes).toEqual([{ code: 'likely_images', column: named, rows: 0, example: null }])
    }
    expect((await imported(files[0]?.[1] ?? '', ['--assets', column])).answer.notes).toEqual([])
  })

  test('in a feed are the URLs of its enclosures, not their types and lengths', async () => {
    const enclosure = '<enclosure url="https://a.example/1" type="image/jpeg" length="9"/>'
    for (const enclosures of [enclosure, enclosure.repeat(2)]) {
      const feed = `<rss><item><sku>A</sku>${enclosures}</item></rss>`
      expect((await imported(feed, ['--assets', 'enclosure.@url'], 'a.xml')).answer.notes).toEqual([])
    }
  })

  test.each([
    ['https://a.example/1.JPG?v=1', ['likely_images']],
    ['https://a.example/1.png|https://a.example/2.png', ['likely_images']],
    ['m/1.webp', ['likely_images']],
    ['https://a.example/1.html', []],
    ['in a text 1.jpg', []],
  ])('in a column of any name are attributes, and a note says so if they are pictures: %s', async (cell, codes) => {
    const { answer } = await imported(`sku,Links\nA,${cell}\n`, ['--dry-run'])
    expect(answer.notes.map(({ code }: { code: string }) => code)).toEqual(codes)
  })

  test.each([
    ...[
      'Zdjęcia',
      'Produktbild',
      'Görsel 1',
      'Εικόνα',
      '画像',
      'Imágenes',
      'PicURL',
      'Galería',
      'Billede',
      'swatch',
    ].map((column) => ['a.csv', `sku,${column}\nA,\nB,https://a.example/2\n`]),
    ['a.csv', 'sku,n\nA,\nB,\nC,1.jpg|2.jpg\n'],
    ['a.csv', 'sku,image\nA,no_selection\nB,none\nC,/m/u/mug.jpg\n'],
    ['a.json', JSON.stringify([{ sku: 'A', n: [{ src: 'https://a.example/1.jpg' }] }])],
    ['a.json', JSON.stringify([[], ['https://a.example/1.jpg']].map((n, i) => ({ sku: `${i}`, n })))],
    ['a.json', JSON.stringify([{ sku: 'A', n: [null, '', 'https://a.example/1.jpg'] }])],
    ['a.jsonl', '{"sku":"A","n":[null]}\n{"sku":"B","n":["https://a.example/1.jpg"]}'],
  ])('in other columns are seen at the first value, and in other languages: %s %j', async (name, content) => {
    const { answer } = await imported(content, ['--dry-run'], name)
    expect(answer.notes).toMatchObject([{ code: 'likely_images' }])
  })

  test.each([
    ['Bildschirm', '15.6 Zoll'],
    ['imagination', 'vivid'],
    ['Topic', '/a/b'],
    ['image_alt', 'Mug\nB,Seen from above.'],
  ])('are not seen in a column %s with %s', async (column, cell) => {
    expect((await imported(`sku,${column}\nA,${cell}\n`, ['--dry-run'])).answer.notes).toEqual([])
  })

  test.each(['a.jsonl', 'a.xml'])('in an object in the place of a list fail (%s)', async (name) => {
    const [object, good] = [{ sku: 'A', pictures: { src: 'https://a.example/1', alt: 'x' } }, 'https://a.example/2']
    const members = '<pictures><src>https://a.example/1</src><alt>x</alt></pictures>'
    const content =
      name === 'a.jsonl'
        ? `${JSON.stringify({ sku: 'B', pictures: [good] })}\n${JSON.stringify(object)}`
        : `<rss><item><sku>B</sku><pictures>${good}</pictures></item><item><sku>A</sku>${members}</item></rss>`
    const result = await imported(content, ['--assets', 'pictures'], name)
    expect(result).toMatchObject({ code: 1, answer: { created: 2, assets_added: 1, assets_failed: 1 } })
    expect(attributesOf(result)).toEqual({ A: {}, B: {} })
    expect(result.stderr).toContain('"pictures" must be a URL or a list; got an object: --assets pictures.src reads')
  })

  test('beyond the twentieth that is bad count, though twenty are reported', async () => {
    const images = Array.from({ length: 30 }, (_, i) => `/${i}.jpg`)
    const { answer } = await imported(JSON.stringify([{ sku: 'A', images }]), ['--assets', 'images'], 'file.json')
    expect(answer).toMatchObject({ created: 1, assets_failed: 30 })
  })
})

test('paths in one item of a list are separated, too', async () => {
  const content = '{"sku":"A","images":["a.jpg;b.jpg"]}\n'
  const args = ['--assets', 'images', '--asset-separator', ';', '--asset-base', 'https://a.example/']
  const { store } = await imported(content, args, 'file.jsonl')
  expect(await groupsOf(catalog, store, 'A')).toEqual({ image: ['https://a.example/a.jpg', 'https://a.example/b.jpg'] })
})

test('several URLs in one item of a list fail that image without a separator, and an empty member is passed over', async () => {
  const images = ['https://a.example/1.jpg,https://a.example/2.jpg', { src: '', url: 'https://a.example/3' }]
  const content = JSON.stringify([{ sku: 'A', images }])
  const { store, answer, stderr } = await imported(content, ['--assets', 'images'], 'file.json')
  expect(answer).toMatchObject({ created: 1, assets_added: 1, assets_failed: 1 })
  expect(stderr).toContain('must have one URL in each item of a list; --asset-separator names the separator')
  expect(await groupsOf(catalog, store, 'A')).toEqual({ image: ['https://a.example/3'] })
  const split = await imported(content, ['--assets', 'images', '--asset-separator', ','], 'file.json')
  expect((await groupsOf(catalog, split.store, 'A')).image).toEqual([
    ...(images[0] as string).split(','),
    'https://a.example/3',
  ])
})

describe('rows of one product', () => {
  const rows = 'sku,name,price,currency\nE,Kettle,49.99,USD\nF,Jug,9.99,USD\nE,,45.99,EUR\nF,Jug,9.99,USD\n'

  test.each([[[]], [['--dry-run']], [['--chunk-rows', '1']]])(
    'that replace values are counted, with an example (%j)',
    async (args) => {
      const { answer, stderr, code } = await imported(rows, args)
      expect({ code, answer }).toMatchObject({
        code: 0,
        answer: { rows: 4, created: 2, unchanged: args[1] ? 1 : 2, replaced: 1 },
      })
      expect(stderr).toContain('row 3 replaces price, currency of E of row 1')
    },
  )

  test('that only add values are no replacement', async () => {
    const { answer, stderr } = await imported('sku,a,b\nE,1,\nE,,2\nE,1,2\n')
    expect({ stderr, answer }).toMatchObject({ stderr: '', answer: { replaced: 0, notes: [] } })
  })

  test('replace nothing of a row whose status is none', async () => {
    const rows = 'sku,status,n\nE,sold,1\nE,draft,2\n'
    for (const args of [[], ['--duplicates', 'fail']]) {
      const { answer, products } = await imported(rows, args)
      expect(answer).toMatchObject({ created: 1, failed: 1, replaced: 0, notes: [] })
      expect(products.E).toEqual({ status: 'draft', attributes: { n: '2' } })
    }
  })

  test('are found by their codes: of 400,000 numbers none is taken for another', () => {
    const find = createRepeatedRows()
    const numbers = Array.from({ length: 400_000 }, (_, i) => `${4_006_381_000_000 + 13 * i}`)
    const product = { status: null, names: ['n'], values: ['x'] }
    expect(numbers.filter((code, row) => find(row + 1, code, product))).toEqual([])
    const changed = { ...product, values: ['y'] }
    expect(find(400_001, numbers[7] ?? '', changed)).toEqual({ row: 8, names: ['n'] })
    expect(find(400_002, numbers[399_998] ?? '', changed)).toEqual({ row: 399_999, names: ['n'] })
    expect(find(400_003, numbers[399_999] ?? '', product)).toEqual({ row: 400_000, names: [] })
  })

  test('take 4 bytes for each value of a few attributes, and are found with many', () => {
    const find = createRepeatedRows()
    const product = (values: string[]) => ({ status: 'new' as const, names: values.map((_, i) => `n${i}`), values })
    const before = process.memoryUsage().arrayBuffers
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`)
    for (let row = 1; row <= 60_000; row++) find(row, `P${row}`, product(texts))
    expect((process.memoryUsage().arrayBuffers - before) / 60_000).toBeLessThan(40 + 4 * 22 + 20)
    expect(find(60_001, 'P7', product(texts.with(3, 'x')))).toEqual({ row: 7, names: ['n3'] })
    const many = Array.from({ length: 5_000 }, (_, i) => `${i}`)
    find(60_002, 'many', product(many))
    expect(find(60_003, 'many', product(many.with(4_999, 'x')))).toEqual({ row: 60_002, names: ['n4999'] })
  })

  test('of which each has an attribute of its own keep what they had, in little memory', () => {
    const find = createRepeatedRows()
    const product = (name: string, value: string) => ({ status: null, names: [name], values: [value] })
    const before = process.memoryUsage().arrayBuffers
    for (let row = 1; row <= 30_000; row++) find(row, 'A', product(`n${row}`, 'x'))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
    expect(find(30_001, 'A', product('n1', 'x'))).toEqual({ row: 30_000, names: [] })
    expect(find(30_002, 'A', product('n1', 'y'))).toEqual({ row: 30_001, names: ['n1'] })
  })

  test('take little memory if each product has rows of its parts, and replace values of the same part', () => {
    const find = createRepeatedRows()
    const rowOf = (values: string[], view = '') => ({
      status: null,
      names: values.map((_, i) => `n${i}${view}`),
      values,
    })
    const product = rowOf(Array.from({ length: 50 }, (_, i) => `${i}`))
    const part = rowOf(['1', '2', '3'], ' (fr)')
    const before = process.memoryUsage().arrayBuffers
    for (let i = 1; i <= 20_000; i++) {
      expect(find(2 * i - 1, `P${i}`, product)).toBeUndefined()
      expect(find(2 * i, `P${i}`, part, 'fr')).toBeUndefined()
    }
    expect((process.memoryUsage().arrayBuffers - before) / 20_000).toBeLessThan(40 + 4 * 50 + 40 + 4 * 3 + 100)
    const changed = rowOf(['1', '2', 'x'], ' (fr)')
    expect(find(40_001, 'P7', changed, 'fr')).toEqual({ row: 14, names: ['n2 (fr)'] })
    expect(find(40_002, 'P7', changed, 'de')).toBeUndefined()
    expect(find(40_003, 'P7', rowOf(['0', 'x']))).toEqual({ row: 13, names: ['n1'] })
  })

  test('are found by 24 bits of hashes', () => {
    // The hashes of each pair have the same last 20 bits.
    for (const [value, other] of [
      ['v1958', 'v2471'],
      ['v2806', 'v3100'],
      ['v618', 'v3295'],
      ['v3239', 'v3545'],
    ] as const) {
      const find = createRepeatedRows()
      const product = (text: string) => ({ status: null, names: ['n'], values: [text] })
      find(1, 'A', product(value))
      expect(find(2, 'A', product(other))).toEqual({ row: 1, names: ['n'] })
    }
  })

  test.skipIf(!existsSync('/proc/self/status'))('take few addresses in many imports at once', () => {
    const kilobytes = () => Number(/VmSize:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
    const before = kilobytes()
    const finders = Array.from({ length: 8 }, createRepeatedRows)
    expect(kilobytes() - before, `${finders.length} finders`).toBeLessThan(8 * 1024 * 1024)
  })

  test('fail after the first with --duplicates fail', async () => {
    const result = await imported(rows, ['--duplicates', 'fail'])
    expect(result).toMatchObject({ code: 1, answer: { created: 2, failed: 2, replaced: 0 } })
    expect(result.stderr).toContain('must come once in the file, as --duplicates says; got "E" in row 1 too')
    expect(attributesOf(result).E).toMatchObject({ price: '49.99' })
  })
})

describe('statuses', () => {
  test('are those of their column in any case, with a note', async () => {
    const { products, stderr } = await imported('sku,status\nA,Active\nB,DRAFT\nC,new\n')
    expect(Object.values(products).map(({ status }) => status)).toEqual(['active', 'draft', 'new'])
    expect(stderr).toContain('note: "status": a status was read in lower case, such as "Active" (2 rows)')
  })

  test('can be named by --map-status', async () => {
    const args = ['--status', 'Zustand', '--map-status', 'Aktiv=active,In Arbeit=draft']
    const { products } = await imported('sku,Zustand\nA,Aktiv\nB,In Arbeit\nC,new\n', args)
    expect(Object.values(products).map(({ status }) => status)).toEqual(['active', 'draft', 'new'])
    const without = await imported('sku,Zustand\nA,Aktiv\n', ['--map-status', 'Aktiv=active'])
    expect(without).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--map-status needs the column of the status; name it by --status'),
    })
    const wrong = await imported('sku\nA\n', ['--map-status', 'Aktiv=on'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--map-status must be VALUE=STATUS') })
  })

  test('of another meaning are an attribute by --map, and a column status that is none names the option', async () => {
    const rows = 'sku,status,lifecycle\nA,true,active\nB,false,draft\n'
    const mapped = await imported(rows, ['--map', 'status=enabled'])
    expect(mapped.products).toEqual({
      A: { status: 'new', attributes: { enabled: 'true', lifecycle: 'active' } },
      B: { status: 'new', attributes: { enabled: 'false', lifecycle: 'draft' } },
    })
    const { code, stderr } = await imported(rows, ['--status', 'lifecycle'])
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`"status" status cannot be an attribute's name: --map renames the column`),
    })
  })

  test('are not looked for in numbers of lists', async () => {
    const { products } = await imported('{"sku":"A","sizes":[38,39]}\n', [], 'rows.jsonl')
    expect(products.A?.attributes).toEqual({ sizes: '[38,39]' })
  })

  test('that are none name the options that help', async () => {
    const { stderr, code } = await imported('sku,status\nA,In Stock\n')
    const advice = '; --map-status reads others, and --map makes the column an attribute; got "In Stock"'
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(advice) })
  })

  test.each(['Produktstatus', 'Estado', 'lifecycle'])('in a column %s are seen by its first value', async (column) => {
    const { answer } = await imported(`sku,${column}\nA,\nB,Draft\nC,x\n`)
    expect(answer.notes).toEqual([{ code: 'likely_status', column, rows: 0, example: null }])
    expect((await imported(`sku,${column}\nA,new\nB,active\n`)).answer.notes).toEqual([])
  })

  test('in a column Status are an attribute, and a note says so', async () => {
    for (const [name, content] of [
      ['a.csv', 'sku,Status\nA,active\n'],
      ['a.jsonl', '{"sku":"A","Status":"active"}'],
    ] as const) {
      const { answer, stderr } = await imported(content, [], name)
      expect(answer.notes).toEqual([{ code: 'likely_status', column: 'Status', rows: 0, example: null }])
      expect(stderr).toContain('note: "Status": the column seems to have the status')
    }
  })

  test.each([
    ['shopify', 'Handle,Title,Status\nA,a,Archived\nB,b,Active\nC,c,archived\n', 'archived=draft', 'inactive'],
    ['magento', 'sku,product_online\nA,0\nB,1\nC,2\n', '2=draft', 'inactive'],
    ['woocommerce', 'SKU,Published\nA,0\nB,1\nC,-1\n', '-1=draft', 'inactive'],
  ])('of the preset %s give way to --map-status', async (preset, content, mapped, first) => {
    const { products } = await imported(content, ['--preset', preset, '--map-status', mapped])
    expect(Object.values(products).map(({ status }) => status)).toEqual([first, 'active', 'draft'])
    const problem = await imported(content, ['--preset', preset, '--map-status', mapped.replace('draft', 'problem')])
    expect(problem.products.C?.status).toBe('problem')
  })
})

test('a column with a reserved name is named with the option that renames it', async () => {
  const { stderr } = await imported('sku,assets\nA,x\n')
  expect(stderr).toContain(`"assets" assets cannot be an attribute's name: --map renames the column`)
})

test('codes, names of columns and statuses lose blanks at their ends unless quoted, with a note', async () => {
  const result = await imported('sku , n\u00a0,status\n A\u00a0,1, draft\n" B ",2,new\n')
  expect(result.products).toEqual({
    A: { status: 'draft', attributes: { n: '1' } },
    ' B ': { status: 'new', attributes: { n: '2' } },
  })
  expect(result.answer.notes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ code: 'blanks_removed', column: 'sku' }),
      expect.objectContaining({ code: 'blanks_kept', column: 'sku', rows: 1, example: '" B "' }),
    ]),
  )
  const out = catalog.path('blanks.csv')
  await runCli(['export', '--store', result.store, '--out', out], { DATABASE_URL: catalog.database.url })
  expect(await readFile(out, 'utf8')).toContain('" B "')
  expect(await catalog.answer([out, '--store', result.store])).toMatchObject({ unchanged: 2 })
  const json = await imported('{"sku":" B "}', [], 'file.jsonl')
  expect([Object.keys(json.products), json.answer.notes]).toEqual([
    [' B '],
    [expect.objectContaining({ code: 'blanks_kept' })],
  ])
})

test('a row that is short has empty cells at its end, and empty cells beyond the header are none', async () => {
  const result = await imported('sku,name,color\nA,Mug\nB\nC,Pot,Red,,\n,,\nD,Cup,Blue,,x\n')
  expect(result).toMatchObject({ code: 1, answer: { rows: 4, created: 3, failed: 1 } })
  expect(attributesOf(result)).toEqual({ A: { name: 'Mug' }, B: {}, C: { name: 'Pot', color: 'Red' } })
  expect(result.answer.notes).toEqual([expect.objectContaining({ code: 'short_rows', rows: 2, example: 'row 1' })])
})

test.each([
  ['sku,n\nA, "x, y"\n', 'row 1 (line 2): "n" must begin with its quote; got blanks before it', 1],
  ['sku,n\nA, "x"\n', 'row 1 (line 2): "n" must begin with its quote; got blanks before it', 1],
  ['sku, "n"\nA,1\n', 'column 2 of the header line must begin with its quote; got blanks before it', 2],
  [
    'sku,,n,\nA,1,2,3\n',
    'row 1 (line 2), "A": column 2 must have a name, as it has a value: delete it, or use --only-mapped; got "1"',
    1,
  ],
  [
    'sku,,n,\nA,,2,3\n',
    'row 1 (line 2), "A": column 4 must have a name, as it has a value: delete it, or use --only-mapped; got "3"',
    1,
  ],
])('what is not read for certain fails: %j', async (content, sentence, code) => {
  expect(await imported(content)).toMatchObject({ code, products: {}, stderr: expect.stringContaining(sentence) })
})

test.each<[content: string, args: string[], note: object]>([
  ['sku,ean\nA,4.00638E+12\n', [], { code: 'damaged_values', column: 'ean', example: '4.00638E+12' }],
  ['sku;ean\n4,00638E+12;1\n', [], { code: 'damaged_values', column: 'sku', example: '4,00638E+12' }],
  ['sku,n\nA,#N/A\nB,########\n', [], { code: 'damaged_values', column: 'n', example: '#N/A', rows: 2 }],
  ...[
    '#N/D',
    '#YOK',
    '#DEĞER!',
    '#¿NOMBRE?',
    '#DZIEL/0!',
    '#ССЫЛКА!',
    '#Н/Д',
    '#N/D!',
    '#n/a',
    '#HIÁNYZIK',
    '#NENÍ_K_DISPOZICI',
    'Err:502',
    'Err:123',
    '#SALE!',
    '##',
    '#GETTING_DATA',
    ' #N/A ',
    '#DEĞER!'.normalize('NFD'),
  ].map((example): [string, string[], object] => {
    return [`sku;n\nA;${example}\n`, [], { code: 'damaged_values', column: 'n', example }]
  }),
  ['sku,n\nA,-4.0E+12\n', [], { code: 'damaged_values', column: 'n', example: '-4.0E+12' }],
  ['sku,n\nA,1.2e-05\n', [], { code: 'damaged_values', column: 'n', example: '1.2e-05' }],
  ['sku,n\nA\u200b,1\n', [], { code: 'invisible_characters', column: 'sku', example: String.raw`"A\u200b"` }],
  ['sku,n\n"A\u00a01",1\n', [], { code: 'invisible_characters', column: 'sku', example: String.raw`"A\u00a01"` }],
  ['sku,n\nA\u30001,1\n', [], { code: 'invisible_characters', column: 'sku', example: String.raw`"A\u30001"` }],
  ['sku,n\nA\u31641,1\n', [], { code: 'invisible_characters', column: 'sku', example: String.raw`"A\u31641"` }],
  ['sku,ean\nA,"=""0012"""\n', [], { code: 'escaped_formulas', column: 'ean', example: '="0012"' }],
  ['sku,ean\n="0012",1\n', [], { code: 'escaped_formulas', column: 'sku', example: '="0012"' }],
])('values that are kept, but may not be meant, have a note: %j', async (content, args, note) => {
  expect((await imported(content, args)).answer.notes).toEqual([expect.objectContaining(note)])
})

test.each<[name: string, content: string | Buffer, codes: string[]]>([
  ['a.jsonl', '{"sku":"1E+05","a":"#N/A","b":4.0E+12}', ['sku', 'a']],
  ['a.json', '[{"sku":"A","a":"4.00638E+12"}]', ['a']],
  ['a.xml', '<rss><item><sku>A</sku><a>#NV</a></item></rss>', ['a']],
  [
    'a.xlsx',
    workbookOf({
      S: [
        ['sku', 'a'],
        ['1E+05', '########'],
      ],
    }),
    ['sku', 'a'],
  ],
])('values that a spreadsheet has damaged have a note in %s, too', async (name, content, columns) => {
  const { answer } = await imported(content, [], name)
  expect(answer.notes).toMatchObject(columns.map((column) => ({ code: 'damaged_values', column, rows: 1 })))
})

test.each([
  ...['#N/A', '#NV', '#BEZUG!', '#¡REF!', '#¿NOMBRE?', '#DZIEL/0!', '#YOK', '#ССЫЛКА!', 'Err:502', '########'],
  ...['#GETTING_DATA', '#n/a', '#NENÍ_K_DISPOZICI', '#ÜBERLAUF!'.normalize('NFD')],
])('the error %s of a spreadsheet is no product code', async (error) => {
  const { code, products, stderr } = await imported(`sku;n\n${error};1\n#1;2\n#tag;3\n`)
  expect({ code, codes: Object.keys(products) }).toEqual({ code: 1, codes: ['#1', '#tag'] })
  expect(stderr).toContain(`and no error of a spreadsheet; got "${error}"`)
})

test('codes that only look like errors of a spreadsheet come back from an export, and have a note', async () => {
  const codes = ['##', '#A/B', '#NEW!', '#SALE!', 'Err:123']
  const { store, answer, products } = await imported(`sku;n\n${codes.map((code) => `${code};1\n`).join('')}`)
  expect({ codes: Object.keys(products).toSorted(), answer }).toMatchObject({
    codes,
    answer: { created: 5, notes: [{ code: 'damaged_values', column: 'sku', rows: 5 }] },
  })
  const exported = catalog.path('codes.csv')
  await runCli(['export', '--store', store, '--out', exported], { DATABASE_URL: catalog.database.url })
  expect(await catalog.answer([exported, '--store', store])).toMatchObject({ failed: 0, unchanged: 5 })
})

test.each(['#Sale!', '#wow!', '#Black Friday!', '#1!', '#tag', 'a #N/A'])(
  'a text such as %j is no error of a spreadsheet',
  async (text) => {
    expect((await imported(`sku,n\nA,${text}\n`)).answer.notes).toEqual([])
  },
)

test("notes of escaped cells beyond the header's have no column", async () => {
  const { answer } = await imported("sku,n\nA,1,'=x\n")
  expect(answer.notes).toEqual([{ code: 'escaped_formulas', column: null, rows: 1, example: "'=x" }])
})

test('a formula of a text may be as long as a row', () => {
  const text = 'x'.repeat(9_999_000)
  expect(unescapedFormula(`="${text}"`)).toBe(text)
  expect(unescapedFormula(`="${'""'.repeat(4_000_000)}"`)).toHaveLength(4_000_000)
})

test('formulas of a text are this text with --unescape-formulas', async () => {
  const content = '"=""sku""",n\n="0012","=""a """"b"""""""\nB,"=""a""&""b"""\n'
  const result = await imported(content, ['--unescape-formulas'])
  expect(attributesOf(result)).toEqual({ '0012': { n: 'a "b"' }, B: { n: '="a"&"b"' } })
  expect(result.answer.notes).toEqual([])
})

test.each([
  'null',
  'N/A',
  'no_selection',
  'undefined',
  'FALSE',
  '0',
  'No image',
  'no-photo',
  'kein Bild',
  'image coming soon',
])('--asset-base makes no image of %j', async (cell) => {
  const args = ['--assets', 'i', '--asset-base', 'https://a.example']
  expect((await imported(`sku,i\nA,${cell}\n`, args)).answer).toMatchObject({ assets_failed: 1, assets_added: 0 })
})

test('a header with escaped formulas has a note', async () => {
  const { answer } = await imported("sku,'=a\nA,1\n")
  expect(answer.notes).toEqual([{ code: 'escaped_formulas', column: "'=a", rows: 0, example: 'the header' }])
  expect(attributesOf(await imported("sku,'=a\nA,1\n", ['--unescape-formulas']))).toEqual({ A: { '=a': '1' } })
})

test('blanks after a closing quote are named as that', async () => {
  expect((await imported('sku,n\nA,"x" \n')).stderr).toContain('got blanks after the closing quote')
})

test.each(['sku,"n" \nA,1\n', 'sku,"n"x\nA,1\n'])(
  'text or blanks after a closing quote are refused in a header: %j',
  async (content) => {
    const { code, stderr } = await imported(content)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('after the closing quote') })
  },
)

test.each([
  ['sku,n\nA,line 1\\\nline 2\nB,2\n', 2],
  ['sku,n,m\nA,line 1\\\nline 2\\\nline 3,x\nB,2,\n', 3],
])(
  'a line break after a backslash, as Python writes it without quotes, is no end of a row: %j',
  async (content, rows) => {
    const result = await imported(content)
    expect(result).toMatchObject({ code: 1, answer: { created: 1, failed: rows } })
    expect(attributesOf(result)).toEqual({ B: { n: '2' } })
    expect(result.stderr).toContain('must quote a cell with a line break; got a backslash before one')
    expect(attributesOf(await imported('sku,n\nA,C:\\dir\\\nB,"x\\"\nC\n'))).toEqual({
      ...{ A: { n: 'C:\\dir\\' }, B: { n: 'x\\' }, C: {} },
    })
  },
)

test.each<[name: string, content: string | Buffer]>([
  ['a.csv', 'sku,Far\u00adbe,n\nA,x,1\nB,y,2\n'],
  ['a.jsonl', '{"sku":"A","Far\u00adbe":"x"}\n{"sku":"B","Far\u00adbe":"y","n":"2"}\n'],
  [
    'a.xlsx',
    workbookOf({
      S: [
        ['sku', 'Far\u00adbe'],
        ['A', 'x'],
      ],
    }),
  ],
])('characters that nobody sees in the name of an attribute have a note: %s', async (name, content) => {
  const { answer, products } = await imported(content, [], name)
  const example = String.raw`"Far\u00adbe"`
  expect(answer.notes).toEqual([{ code: 'invisible_characters', column: 'Far\u00adbe', rows: 0, example }])
  expect(products.A?.attributes).toMatchObject({ 'Far\u00adbe': 'x' })
})

test.each([
  ['Far\u00adbe=Farbe', []],
  ['n=Far\u00adbe', [{ code: 'invisible_characters', column: 'n', rows: 0, example: String.raw`"Far\u00adbe"` }]],
])('a column that --map renames has the note for the name of its attribute: %s', async (map, notes) => {
  const content = `sku,${map.startsWith('n') ? 'n' : 'Far\u00adbe'}\nA,x\n`
  expect((await imported(content, ['--map', map])).answer.notes).toEqual(notes)
})

test('control characters in the name of a column are such characters', async () => {
  const { answer } = await imported('sku,"a\u0085b"\nA,x\n')
  expect(answer.notes).toMatchObject([{ code: 'invisible_characters', example: String.raw`"a\u0085b"` }])
})

test('characters that nobody sees are shown in a header', async () => {
  expect((await imported('\u200bname\nA\n')).stderr).toContain(String.raw`"\u200bname"`)
})

describe('numbers', () => {
  async function importNumbers(content: string | Buffer, args: string[] = [], name = 'n.csv') {
    const store = await catalog.newStore()
    const price = { name: 'Price', type: 'number' } as const
    await inTransaction(catalog.database.catalogue, (transaction) => defineAttributes(transaction, store, [price]))
    const { code, stderr } = await catalog.run([await catalog.file(name, content), '--store', store, ...args])
    const products = Object.fromEntries(await productsOf(catalog, store))
    return { code, stderr, prices: Object.values(products).map(({ attributes }) => attributes.Price) }
  }

  test('of a text of XLSX that are doubtful are so in the report of failed rows, too', async () => {
    const errors = catalog.path('doubtful-failed.csv')
    const [price, sentence] = ['1.234', /--decimal says whether its comma or its point is decimal; got "1\.234"/]
    const first = await importNumbers(
      workbookOf({
        S: [
          ['sku', 'Price'],
          ['A', price],
        ],
      }),
      ['--errors', errors],
      'n.xlsx',
    )
    const again = await importNumbers(await readFile(errors))
    for (const { code, stderr } of [first, again])
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
  })

  test('with a decimal comma are read with --decimal comma', async () => {
    const { prices, stderr } = await importNumbers('sku;Price\nA;12,50\nB;7\nC;1.234\nD;1.234,50\n', [
      '--decimal',
      'comma',
    ])
    expect(prices).toEqual(['12.50', '7'])
    expect(stderr).toContain('must be a number with a decimal comma, as --decimal says')
  })

  test.each([
    ['sku;Price\nA;12.5\nB;1.234\nC;7\n', ['12.5', '7']],
    ['sku,Price\nA,"12,50"\nB,1.234\nC,12.5\n', ['12.5']],
    ['sku,Price\nA,1.234\nB,12.5\n', ['1.234', '12.5']],
    ['sku,Price\nA,"1,234.50"\nB,12.5\n', ['12.5']],
    ['sku,Price\nA,1.234.567\nB,12.5\n', ['12.5']],
    ["sku,Price\nA,1'234.50\nB,12.5\nC,1 234\n", ['12.5']],
    ['sku;Price\nA;0.125\nB;-0.500\nC;1.234\n', ['0.125', '-0.500']],
    [`sku,Price\nA,1.234\n${'Z,7\n'.repeat(9)}B,"12,50"\n`, ['7']],
    [`sku|Price\nA|1.234\n${'Z|7\n'.repeat(9)}B|12,50\n`, ['7']],
  ])('that may mean two values fail their rows: %j', async (content, expected) => {
    const { prices, code, stderr } = await importNumbers(content, ['--chunk-rows', '2'])
    expect(prices).toEqual(expected)
    if (code === 1) expect(stderr).toContain('--decimal says whether its comma or its point is decimal')
  })

  const json = [12.5, 1.234, '7', '1.234', '12,50'].map((Price, i) => ({ sku: `P${i}`, Price }))
  const lines = json.map((row) => JSON.stringify(row)).join('\n')
  const cells = json.map(({ sku, Price }) => [
    sku,
    typeof Price === 'string' ? Price : { xml: `<c><v>${Price}</v></c>` },
  ])
  const sheet = workbookOf({ First: [['sku', 'Price'], ...cells] })
  const items = json.slice(2).map(({ sku, Price }) => `<item><sku>${sku}</sku><Price>${Price}</Price></item>`)

  test.each<[name: string, content: string | Buffer, numbers: string[]]>([
    ['n.json', JSON.stringify(json), ['12.5', '1.234']],
    ['n.jsonl', lines, ['12.5', '1.234']],
    ['n.xlsx', sheet, ['12.5', '1.234']],
    ['n.xml', `<rss>${items.join('')}</rss>`, []],
  ])('that are texts in %s have such doubts, and its numbers have none', async (name, content, numbers) => {
    const { prices, stderr } = await importNumbers(content, ['--chunk-rows', '1'], name)
    expect(prices).toEqual([...numbers, '7'])
    expect(stderr).toContain('--decimal says whether its comma or its point is decimal')
    const withCommas = await importNumbers(content, ['--decimal', 'comma'], name)
    expect(withCommas.prices).toEqual([...numbers, '7', '12.50'])
    expect(withCommas.stderr).toContain('must be a number with a decimal comma, as --decimal says')
    expect((await importNumbers(content, ['--decimal', 'point'], name)).prices).toEqual([...numbers, '7', '1.234'])
  })

  test('of which half would only be some with the other decimal mark have a note', async () => {
    const content = 'sku;Price\nA;12,50\nB;7\nC;8,25\nD;9\n'
    expect((await importNumbers(content)).stderr).toContain('note: "Price": at least half of the values')
    expect((await importNumbers(content.replaceAll(',', '.'), ['--decimal', 'comma'])).stderr).toContain(
      'such as 12.50',
    )
    expect((await importNumbers(content, ['--decimal', 'comma'])).stderr).toBe('')
  })

  const manyRows = (rowOf: (i: number) => string) => Array.from({ length: 5_001 }, (_, i) => rowOf(i)).join('\n')
  const sentence =
    'all values are numbers: filters and sorting by them are fast with a definition as NUMBER, filterable'

  test('that are the only values of a column without a definition have a note in a large file', async () => {
    const rows = manyRows((i) => [i, i / 4, i, i + 4e12, i === 4_999 ? 'x' : i].join())
    const content = `sku,Weight,Price,EAN,Size\n${rows}\n`
    const { stderr } = await importNumbers(content, ['--chunk-rows', '1000', '--dry-run'])
    expect(stderr).toBe(`note: "Weight": ${sentence}\n`)
    expect((await importNumbers(content.replace(/.*\n$/, ''))).stderr).toBe('')
  })

  test.each([
    ['with the mark of the option', '12,50', ['--decimal', 'comma'], true],
    ['with the other mark', '12.50', ['--decimal', 'comma'], false],
    ['that may have thousands', '1.234', [], false],
    ['with commas', '12,50', [], false],
  ])('%s have that note only if a definition would read them so', async (_name, value, options, isNoted) => {
    const content = `sku;Weight\n${manyRows((i) => `${i};${value}`)}\n`
    const { stderr } = await importNumbers(content, [...options, '--dry-run'])
    expect(stderr.includes(sentence)).toBe(isNoted)
  })

  test('are what they are with --decimal point', async () => {
    expect((await importNumbers('sku;Price\nA;1.234\n', ['--decimal', 'point'])).prices).toEqual(['1.234'])
  })
})

test.each([
  ['sku,n', 'file.csv'],
  ['[]', 'file.json'],
])('a file without rows has a note: %j', async (content, name) => {
  const { code, answer } = await imported(content, [], name)
  expect({ code, answer }).toMatchObject({ code: 0, answer: { rows: 0, notes: [{ code: 'no_rows', rows: 0 }] } })
})

test.each<[name: string, content: string | Uint8Array, unused: string]>([
  ['file.csv', 'sku\nA\n', '--at products, --sheet Other'],
  ['file.jsonl', '{"sku":"A"}\n', '--delimiter ;, --unescape-formulas, --at products'],
  ['file.json', '[{"sku":"A"}]', '--delimiter ;, --sheet Other'],
  ['file.xml', '<rss><item><sku>A</sku></item><item><sku>B</sku></item></rss>', '--at products'],
  ['file.xlsx', workbookOf({ One: [['sku'], ['A']] }), '--delimiter ;, --encoding UTF-8'],
])('%s is imported without options for other formats, with a note', async (name, content, unused) => {
  const options = unused.split(', ')
  const { code, answer, stderr } = await imported(
    content,
    options.flatMap((option) => option.split(' ')),
    name,
  )
  const example = options.map((option) => option.replace(/ .*/, '')).join(', ')
  expect({ code, notes: answer.notes }).toEqual({
    code: 0,
    notes: [{ code: 'option_unused', column: null, rows: 0, example }],
  })
  expect(stderr).toContain(`options for other formats were ignored, such as ${example}\n`)
})

test('an object in one line without a product code is read by the options that its error names', async () => {
  const content = '{"count":1,"products":[{"sku":"A"}]}'
  const { code, stderr } = await imported(content, [], 'file.jsonl')
  const sentence = 'for its list "products" use --format json, --at products'
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) })
  const args = ['--format', 'json', '--at', 'products']
  expect(await imported(content, args, 'file.jsonl')).toMatchObject({ code: 0, answer: { created: 1 } })
})

test.each([
  ['[{"count":1,"products":[{"sku":"A"}]}]', 'file.json'],
  ['{"name":"a","images":[{"src":"/a.jpg"}],"artikel":"A"}', 'file.jsonl'],
  ['{"a":"1","products":[{"sku":"A"}]}\n{"a":"2","products":[{"sku":"B"}]}', 'file.jsonl'],
])('products without a code are not sought in lists that no option reads as products: %j', async (content, name) => {
  const { code, stderr } = await imported(content, [], name)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--code must name the column') })
  expect(stderr).not.toContain('--at')
})

test('a JSON file without a list at its beginning is wrong usage, and --at finds the list', async () => {
  const content = '{"products":[{"sku":"A"}]}'
  const { code, stderr } = await imported(content, [], 'file.json')
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/list "products": --at products\n/) })
  expect(await imported(content, ['--at', 'products'], 'file.json')).toMatchObject({ code: 0, answer: { created: 1 } })
})
