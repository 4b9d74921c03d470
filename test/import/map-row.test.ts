import fc from 'fast-check'
import { expect, test } from 'vitest'
import { urlFault } from '../../src/catalogue/assets/url-fields.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { urlOf } from '../../src/import/load/asset-urls.ts'
import { planLayout } from '../../src/import/load/layout.ts'
import { rowMapper } from '../../src/import/load/map-row.ts'
import { type ImportOptions, importRequest } from '../../src/import/options.ts'
import { type Cell, type RowFault, sentenceOf } from '../../src/import/read/row.ts'
import { Notes } from '../../src/import/report/notes.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

const store = '01890a5d-ac96-774b-bcce-b302099a8057'
const base = 'https://cdn.example/media/'

function mapped(row: Record<string, Cell>, options: Partial<ImportOptions> = {}, enumerations = fallbackEnumerations) {
  const request = importRequest('file.csv', { store, ...options })
  const layout = planLayout(request, enumerations, Object.keys(row), false)
  const [columns, cells] = [Object.keys(row), Object.values(row)]
  const reading = { options: request, recognized: { format: 'json' as const }, notes: new Notes() }
  const { code, product, assets, faults, assetFaults } = rowMapper(
    request,
    layout,
    reading,
  )({ number: 1, line: 2, size: 0, columns, cells, source: '' })
  const patch = product && {
    productCode: code,
    status: product.status,
    attributes: Object.fromEntries(product.names.map((name, i) => [name, product.values[i]])),
  }
  const urls = assets.map(({ assetFormat, url }) => `${assetFormat} ${url}`)
  const sentences = (found: readonly RowFault[]) =>
    found.map((fault) => ({ field: fault.field, reason: sentenceOf(fault) }))
  return { patch, urls, faults: sentences(faults), assetFaults: sentences(assetFaults), notes: reading.notes.list() }
}

function urlsOf(cell: Cell, options: Partial<ImportOptions> = {}) {
  const { urls, assetFaults } = mapped({ sku: 'A', pictures: cell }, { assets: ['pictures'], ...options })
  return assetFaults.length > 0 ? assetFaults.map(({ reason }) => reason) : urls.map((url) => url.replace('image ', ''))
}

test.each([
  ['product_code before sku', { sku: 'B', product_code: 'A' }],
  ['sku', { SKU: 'B', sku: 'A' }],
  ['a usual name in another case', { Sku: 'A', id: 'B' }],
])('the product code is found in %s', (_what, row) => {
  expect(mapped(row, { map: ['sku=other', 'SKU=other2'] }).patch?.productCode).toBe('A')
})

test.each(['#N/A', '#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NUM!', '#NULL!'])(
  'the error %s of a spreadsheet is no product code',
  (sku) => {
    const { patch, faults } = mapped({ sku })
    const reason = expect.stringContaining(`no error of a spreadsheet; got "${sku}"`)
    expect({ patch, faults }).toEqual({ patch: undefined, faults: [{ field: 'sku', reason }] })
    expect(mapped({ sku: `${sku} 1` }).patch?.productCode).toBe(`${sku} 1`)
  },
)

test('the status column and no other gives the status, and none when it is empty', () => {
  expect(mapped({ sku: 'A', status: 'draft', Status: 'x' }).patch).toEqual({
    productCode: 'A',
    status: 'draft',
    attributes: { Status: 'x' },
  })
  expect(mapped({ sku: 'A', status: '' }).patch?.status).toBe(null)
  expect(mapped({ sku: 'A', state: 'new' }, { status: 'state' }).patch).toEqual({
    productCode: 'A',
    status: 'new',
    attributes: {},
  })
})

test('every other column is an attribute, an empty cell none, and a list its JSON text', () => {
  const row = { sku: 'A', n: '1', e: '', l: ['x', 1], constructor: 'c' }
  expect(mapped(row).patch?.attributes).toEqual({ n: '1', l: '["x",1]', constructor: 'c' })
})

test('an attribute named __proto__ is one like any other', () => {
  const attributes = mapped(JSON.parse('{"sku":"A","__proto__":"x"}')).patch?.attributes
  expect(JSON.stringify(attributes)).toBe('{"__proto__":"x"}')
})

test('--map renames a column, or makes an attribute of one that is used otherwise', () => {
  const options = { map: ['title=name', 'sku=code'] }
  expect(mapped({ sku: 'A', title: 'T', n: '1' }, options).patch?.attributes).toEqual({ name: 'T', code: 'A', n: '1' })
})

test('--only-mapped leaves out every other attribute, and keeps status and assets', () => {
  const row = { sku: 'A', title: 'T', n: '1', status: 'new', 'Image URL 1': 'https://a.example/1' }
  const { patch, urls } = mapped(row, { map: ['title=name'], onlyMapped: true })
  expect(patch).toEqual({ productCode: 'A', status: 'new', attributes: { name: 'T' } })
  expect(urls).toEqual(['image https://a.example/1'])
})

test('a row in which two columns give one attribute has that fault', () => {
  const { patch, faults } = mapped({ sku: 'A', title: 'T', name: 'N' }, { map: ['title=name'] })
  expect(patch).toBeUndefined()
  expect(faults).toEqual([{ field: 'name', reason: 'name comes from two columns' }])
})

test.each<[Cell]>([[''], ['x'.repeat(256)], ['\0'], [['A']]])(
  'a row with the product code %j brings nothing',
  (sku) => {
    const { patch, urls, faults } = mapped({ sku, n: '1', 'Image URL 1': 'https://a.example/1' })
    expect({ patch, urls }).toEqual({ patch: undefined, urls: [] })
    expect(faults).toEqual([{ field: 'sku', reason: expect.stringContaining('must be a product code') }])
  },
)

test('URL columns become assets of their formats in the order of their numbers, before those of --assets', () => {
  const row = {
    sku: 'A',
    more: 'https://a.example/9',
    'Image URL 10': 'https://a.example/10',
    'Image URL 2': ' https://a.example/2 ',
    'PDF URL 1': 'https://a.example/p',
    '3D URL 1': '',
    'Audio URL 1': 'https://a.example/a',
    'Image URL 0': 'zero',
    'image url 1': 'lower',
  }
  const { urls, patch } = mapped(
    row,
    { assets: ['more'] },
    { ...fallbackEnumerations, assetFormats: ['image', 'pdf', '3D', 'audio'] },
  )
  expect(urls).toEqual([
    'pdf https://a.example/p',
    'audio https://a.example/a',
    'image https://a.example/2',
    'image https://a.example/10',
    'image https://a.example/9',
  ])
  expect(patch?.attributes).toEqual({ 'Image URL 0': 'zero', 'image url 1': 'lower' })
  expect(mapped(row).patch?.attributes).toHaveProperty('Audio URL 1')
})

test.each<[string, Cell, Partial<ImportOptions>, string[]]>([
  ['one URL', 'https://a.example/1', {}, ['https://a.example/1']],
  ['none', '', {}, []],
  ['several', 'https://a.example/1, https://a.example/2,', {}, ['https://a.example/1', 'https://a.example/2']],
  [
    'another separator',
    'https://a.example/1,2|https://a.example/3',
    { assetSeparator: '|' },
    ['https://a.example/1,2', 'https://a.example/3'],
  ],
  [
    'a doubtful comma and a separator',
    'https://a.example/1.jpg,2.jpg',
    { assetSeparator: '|' },
    ['https://a.example/1.jpg,2.jpg'],
  ],
  ['separators only', ','.repeat(1_000_000), {}, []],
  ['a JSON list as text', ' ["https://a.example/1,2", "", null]', {}, ['https://a.example/1,2']],
  ['a list', ['https://a.example/1', null, 'https://a.example/2'], {}, ['https://a.example/1', 'https://a.example/2']],
])('--assets takes a cell with %s', (_what, cell, options, urls) => {
  expect(urlsOf(cell, options)).toEqual(urls)
})

test.each([
  ['/m/h/1.jpg', 'https://cdn.example/media/m/h/1.jpg'],
  ['m/h/1.jpg', 'https://cdn.example/media/m/h/1.jpg'],
  ['https://a.example/1.jpg', 'https://a.example/1.jpg'],
  ['//a.example/1.jpg', 'https://a.example/1.jpg'],
  ['m/h 1', 'https://cdn.example/media/m/h 1'],
  ['https-badge.png', 'https://cdn.example/media/https-badge.png'],
  ['300x200/https://b.example/1', 'https://cdn.example/media/300x200/https://b.example/1'],
  ['i?v=&u=https://b.example/1', 'https://cdn.example/media/i?v=&u=https://b.example/1'],
  ['i?v=', 'https://cdn.example/media/i?v='],
])('--asset-base completes %s to %s', (path, url) => {
  expect(urlsOf(path, { assetBase: base })).toEqual([url])
  expect(urlsOf(path, { assetBase: base.slice(0, -1) })).toEqual([url])
})

test.each<[string, Cell, Partial<ImportOptions>, RegExp]>([
  ['a relative URL without a base', '/1.jpg', {}, /absolute URL.*--asset-base/],
  ['a URL without a host', 'mailto:a@b.example', { assetBase: base }, /absolute URL/],
  ['too long a URL', `https://a.example/${'x'.repeat(2048)}`, {}, /2048 characters/],
  ['an object in a list', [{ id: 1 }], {}, /objects with src, url, href; got an object/],
])('%s is a fault of the asset, and the product and its other assets go in', (_what, cell, options, reason) => {
  const row = { sku: 'A', n: '1', 'Image URL 1': 'https://a.example/1', pictures: cell }
  const { patch, urls, faults, assetFaults } = mapped(row, { assets: ['pictures'], ...options })
  expect(patch?.attributes).toEqual({ n: '1' })
  expect({ urls, faults }).toEqual({ urls: ['image https://a.example/1'], faults: [] })
  expect(assetFaults).toEqual([{ field: 'pictures', reason: expect.stringMatching(reason) }])
})

test.each(['.jpg', '|x'])('a URL with many %j takes time in proportion to its length', (piece) => {
  // The CPU time for as many pieces in all: the system counts it in steps of some ms.
  const timeOf = (pieces: number) => {
    const cell = `https://a.example/?${piece.repeat(pieces)}`
    return cpuMsOf(() => {
      for (let read = 0; read < 600_000; read += pieces) urlsOf(cell)
    })
  }
  expect(timeOf(15_000)).toBeLessThan(4 * timeOf(1_500))
})

const [one, two] = [
  'https://a.example/12_Long_Lane,_Leeds.jpg',
  'https://a.example/fetch/w_1,h_2/https://b.example/2.jpg',
]

test.each<[string, string[]]>([
  [`${one}|${two}`, [one, two]],
  [`${one} | ${two}`, [one, two]],
  [`${one};${two}`, [one, two]],
  [`${one}\n${two}`, [one, two]],
  [`${one} ${two}`, [one, two]],
  [`${one},${two},`, [one, two]],
  [one, [one]],
  [two, [two]],
  ['https://a.example/a b.jpg https://a.example/c d', ['https://a.example/a b.jpg', 'https://a.example/c d']],
  ['https://a.example/a b, https://a.example/c', ['https://a.example/a b', 'https://a.example/c']],
  ['https://a.example/1.jpg?crop=1,2&x=a|b', ['https://a.example/1.jpg?crop=1,2&x=a|b']],
  ...['1.jpg/https://b.example/2.jpg', 'i?u=https://b.example/2.jpg', '1.jpg@2x.jpg', '1.jpg_300x300.jpg'].map(
    (path): [string, string[]] => [`https://a.example/${path}`, [`https://a.example/${path}`]],
  ),
  [JSON.stringify([{ id: 1, src: one }, { url: two }, { href: one }]), [one, two, one]],
])('the URLs of %j are told apart by what is between them', (cell, urls) => {
  expect(urlsOf(cell)).toEqual(urls)
})

test.each<[Cell, Partial<ImportOptions>, RegExp]>([
  ['https://a.example/1.jpg,2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1.jpg|/2.jpg', { assetBase: base }, /--asset-separator names/],
  [
    'https://a.example/1.jpg,/2.jpg',
    { assetBase: base, assetSeparator: ',' },
    /no relative path after an absolute URL/,
  ],
  ['1.jpg 2.jpg', { assetBase: base }, /--asset-separator names/],
  ['first, second', { assetBase: base }, /--asset-separator names/],
  [
    'https://a.example/1.jpg;https://a.example/2.jpg',
    { assetSeparator: ',' },
    /must be one URL between two separators/,
  ],
  ['https://a.example/1.jpg,/2.jpg', { assetSeparator: ',' }, /got "\/2.jpg"$/],
  ['https://a.example/1.jpg and\n/2.jpg', {}, /--asset-separator names/],
  [`${','.repeat(1_000_000)}x${' '.repeat(1_000_000)}x`, {}, /--asset-base would complete it/],
  [`${','.repeat(1_000_000)}x${' '.repeat(1_000_000)}x`, { assetSeparator: '|' }, /--asset-base would complete it/],
  [`x.jpg${' '.repeat(1_000_000)}x,y`, {}, /--asset-separator names/],
  ['{"src":"https://a.example/1.jpg"}', {}, /got an object/],
  ['https://a.example/1.jpg::https://a.example/2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1.jpg::Front,https://a.example/2.jpg::Back', {}, /--asset-separator names/],
  ...['\u060c', '\u061b', '\uff0c', '\u3001', '\u2022'].map((mark): [Cell, Partial<ImportOptions>, RegExp] => [
    `https://a.example/1.jpg${mark} https://a.example/2.jpg`,
    {},
    /--asset-separator names/,
  ]),
  ['https://a.example/1.jpg#https://a.example/2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1.jpghttps://a.example/2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1.jpg\uff0chttps://a.example/2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1.jpg ! alt : x | https://a.example/2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1.jpg and https://a.example/2.jpg', {}, /--asset-separator names/],
  ['https://a.example/1 and https://a.example/2', {}, /--asset-separator names/],
  ['https://a.example/1 \u00b7 https://a.example/2', {}, /--asset-separator names/],
  ['https://a.example/1|b.example/2', {}, /--asset-separator names/],
  ...['#', '&', '~', '$$', '<br>', '\uff0c', '\u3001'].flatMap(
    (separator): [Cell, Partial<ImportOptions>, RegExp][] => [
      [`https://a.example/1${separator}https://a.example/2`, {}, /--asset-separator names/],
      [[`https://a.example/1${separator}https://a.example/2`], {}, /must have one URL in each item/],
    ],
  ),
  ...['&', '~', '::', '+', '\uff0c', '\u3001'].map((separator): [Cell, Partial<ImportOptions>, RegExp] => [
    `m/1.jpg${separator}m/2.jpg`,
    { assetBase: base },
    /--asset-separator names/,
  ]),
  ['/12_Long_Lane,_Leeds.jpg', { assetBase: base }, /--asset-separator names/],
  ['https://a.example/i?id=1|i?id=2', {}, /--asset-separator names/],
  ['https://a.example/1,https:/b.example/2', {}, /--asset-separator names/],
  ['https://a.example/1;www.b.example/2', {}, /--asset-separator names/],
  ...[
    '"https://a.example/1"',
    '<img src="1.jpg">',
    'www.a.example/1.jpg',
    'https//a.example/1.jpg',
    'img\\1.jpg',
    '1.jpg#2.jpg',
    '#N/A',
    '-',
    "'https://a.example/1.jpg'",
    '(https://a.example/1.jpg)',
    'front=https://a.example/1.jpg',
  ].map((cell): [Cell, Partial<ImportOptions>, RegExp] => [cell, { assetBase: base }, /absolute URL/]),
  ...['%2C', '%20', '%0D%0A', '%7c'].map((separator): [Cell, Partial<ImportOptions>, RegExp] => [
    `https://a.example/1.jpg${separator}https://a.example/2.jpg`,
    {},
    /--asset-separator names/,
  ]),
  ['https%3A%2F%2Fa.example%2F1.jpg', { assetBase: base }, /absolute URL/],
  ['data:image/jpeg;base64,/9j/4AAQSkZJRg==', {}, /absolute URL.*got "data:/],
  ['#N/A', {}, /absolute URL.*got "#N\/A"$/],
  ['[https://a.example/1.jpg]', {}, /must be a JSON list/],
])('%j with %o is no asset, but a fault', (cell, options, reason) => {
  expect(urlsOf(cell, options)).toEqual([expect.stringMatching(reason)])
})

test.each<[Cell]>([
  ['https://a.example/1.jpg|https://a.example/2.jpg'],
  ['["https://a.example/1.jpg"]'],
  [['https://a.example/1.jpg']],
])('a URL column with %j is a fault, as it holds one URL', (cell) => {
  const { urls, assetFaults } = mapped({ sku: 'A', 'Image URL 1': cell })
  expect({ urls, assetFaults }).toEqual({
    urls: [],
    assetFaults: [{ field: 'Image URL 1', reason: expect.stringMatching(/^must be one URL; got/) }],
  })
})

test.each([
  'https://a.example/i?u=1&https://b.example/2.jpg',
  'https://a.example/x:https://b.example/y',
  'https://a.example/1.jpghttps://a.example/2.jpg',
  'https://a.example/1.jpg,2.jpg',
  'https://a.example/1\u200b.jpg',
])('a URL column takes %j, as the API does', (url) => {
  expect(mapped({ sku: 'A', 'Image URL 1': url })).toMatchObject({ urls: [`image ${url}`], assetFaults: [] })
})

test('a URL column takes each URL that the API takes, and takes it unchanged', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['https://', 'http://', 'b.example', '/', ',', ';', '|', ' ', '\u00a0', '\ufeff', '\f', '\n', '['],
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => `https://a.example${pieces.join('')}`)
  fc.assert(
    fc.property(text, (url) => {
      const { urls, faults } = urlOf(url, { style: 'flags' })
      if (urlFault(url) === undefined) expect(urls).toEqual([url])
      else expect(urls.length + faults.length).toBe(1)
    }),
    { numRuns: 1_000 },
  )
})

test.each(['1.jpg,2.jpg', '/m/1.jpg|/m/2.jpg', 'm/1.jpg 2.jpg', '1.jpg;https://b.example/2.jpg'])(
  'a URL column with paths of several assets is a fault: %j',
  (cell) => {
    const { urls, assetFaults } = mapped({ sku: 'A', 'Image URL 1': cell }, { assetBase: base })
    expect({ urls, assetFaults }).toEqual({
      urls: [],
      assetFaults: [{ field: 'Image URL 1', reason: expect.stringMatching(/^must be one URL; got/) }],
    })
    expect(mapped({ sku: 'A', 'Image URL 1': 'm/1.jpg' }, { assetBase: base }).urls).toHaveLength(1)
  },
)

test.each([
  ['m/1.jpg,', 'm/1.jpg'],
  ['photos/Sofa, red.jpg', 'photos/Sofa, red.jpg'],
])('a URL column with the path %j is completed as one', (cell, path) => {
  const { urls, assetFaults } = mapped({ sku: 'A', 'Image URL 1': cell }, { assetBase: base })
  expect({ urls, assetFaults }).toEqual({ urls: [`image ${base}${path}`], assetFaults: [] })
})

test.each(['m/1.jpg, 2.jpg', 'photos/a, photos/b.jpg', 'first, second'])(
  'a URL column with a path that may be two is a fault: %j',
  (cell) => {
    const { urls, assetFaults } = mapped({ sku: 'A', 'Image URL 1': cell }, { assetBase: base })
    expect([urls, assetFaults]).toEqual([[], [expect.objectContaining({ reason: expect.stringMatching(/one URL/) })]])
  },
)

test.each(['Größe:', '1', 'Front'])('the label %j before a URL is no path of an image', (label) => {
  const { urls, assetFaults } = mapped(
    { sku: 'A', pictures: `${label} https://a.example/1.jpg` },
    { assets: ['pictures'], assetBase: base },
  )
  expect(urls).toEqual(['image https://a.example/1.jpg'])
  expect(assetFaults).toHaveLength(1)
})

test.each(['\u00ad', '\u200b', '\u200e', '\u200f', '\u202a', '\u202e', '\u2060'])(
  'a URL with %j, which nobody sees, is kept, with a note',
  (character) => {
    const url = `https://a.example/1${character}.jpg`
    const { urls, notes } = mapped({ sku: 'A', 'Image URL 1': url, pictures: url }, { assets: ['pictures'] })
    const example = expect.stringContaining('\\u')
    expect({ urls, notes }).toEqual({
      urls: [`image ${url}`, `image ${url}`],
      notes: ['Image URL 1', 'pictures'].map((column) => ({ code: 'invisible_characters', column, rows: 1, example })),
    })
  },
)
