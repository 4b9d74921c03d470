import { expect, test } from 'vitest'
import { unpacked } from '../../../src/import/presets/magento.ts'
import { namedAttributes } from '../../../src/import/presets/woocommerce.ts'
import type { Entry } from '../../../src/import/read/row.ts'
import { Notes } from '../../../src/import/report/notes.ts'
import { groupsOf, productsOf, useCatalog } from '../catalog.ts'

const catalog = useCatalog()

async function imported(name: string, rows: string[], args: string[]) {
  const store = await catalog.newStore()
  const file = await catalog.file(name, rows.join('\n'))
  const { code, stdout, stderr } = await catalog.run([file, '--store', store, ...args, '--json'])
  const products = Object.fromEntries(await productsOf(catalog, store))
  const images = async (product: string) => (await groupsOf(catalog, store, product)).image
  return { code, stderr, products, images, answer: JSON.parse(stdout) }
}

test('shopify: exports since 2025 name their columns in another way', async () => {
  const rows = [
    'Title,URL handle,Description,Status,SKU,Option1 name,Option1 value,Price,Product image URL,Image position',
    'Mug,mug,<p>A mug</p>,Active,M-1,Color,Red,5.00,https://a.example/2.jpg,2',
    ',mug,,,M-2,,Blue,6.00,https://a.example/1.jpg,1',
  ]
  const { products, images } = await imported('new.csv', rows, ['--preset', 'shopify'])
  expect(products.mug?.status).toBe('active')
  expect(JSON.parse(products.mug?.attributes.Variants ?? '')).toEqual([
    { SKU: 'M-1', 'Option1 value': 'Red', Price: '5.00' },
    { SKU: 'M-2', 'Option1 value': 'Blue', Price: '6.00' },
  ])
  expect(await images('mug')).toEqual(['https://a.example/1.jpg', 'https://a.example/2.jpg'])
})

test('shopify: rows of a handle that come later fail, and the first stay', async () => {
  const rows = [
    'Handle,Title,Option1 Value,Variant SKU,Variant Price,Image Src,Image Position,Status',
    'mug,Mug,Red,S-1,5.00,https://a.example/m1.jpg,1,active',
    'pot,Pot,Default,S-2,9.00,https://a.example/p1.jpg,1,active',
    'mug,,Blue,S-3,6.00,https://a.example/m2.jpg,2,',
  ]
  const { products, images, stderr, answer } = await imported('apart.csv', rows, ['--preset', 'shopify'])
  expect(answer).toMatchObject({ created: 2, failed: 1 })
  expect(stderr).toContain('rows of a handle must follow each other: sort the file by Handle')
  expect(products.mug?.attributes).toMatchObject({ 'Variant SKU': 'S-1', 'Variant Price': '5.00' })
  expect(await images('mug')).toEqual(['https://a.example/m1.jpg'])
})

test('shopify: other values of later rows are in the variants', async () => {
  const rows = [
    'Handle,Title,Tags,Variant SKU,Price / International,Custom,Image Src,Image Alt Text,Status',
    'mug,Mug,a,S-1,10,x,https://a.example/1.jpg,one,active',
    'mug,,a,S-2,20,y,https://a.example/2.jpg,two,',
  ]
  const { products, code } = await imported('differ.csv', rows, ['--preset', 'shopify'])
  expect(code).toBe(0)
  expect(products.mug?.attributes).toMatchObject({ Tags: 'a', 'Price / International': '10', Custom: 'x' })
  expect(JSON.parse(products.mug?.attributes.Variants ?? '')).toEqual([
    { 'Variant SKU': 'S-1', 'Price / International': '10', Custom: 'x' },
    { 'Variant SKU': 'S-2', 'Price / International': '20', Custom: 'y' },
  ])
})

test('shopify: prices of one variant alone in a market are in the variants', async () => {
  const rows = [
    'Handle,Title,Variant SKU,Price / International,Compare At Price / International',
    'mug,Mug,S-1,10,12',
    'mug,,S-2,10,',
  ]
  const { products } = await imported('market.csv', rows, ['--preset', 'shopify'])
  expect(JSON.parse(products.mug?.attributes.Variants ?? '')).toEqual([
    { 'Variant SKU': 'S-1', 'Price / International': '10', 'Compare At Price / International': '12' },
    { 'Variant SKU': 'S-2', 'Price / International': '10' },
  ])
})

test('shopify: texts of images are kept in the order of the images, and blanks after a handle are none', async () => {
  const rows = [
    'Handle,Title,Variant SKU,Image Src,Image Position,Image Alt Text,Status',
    'mug,Mug,S-1,https://a.example/2.jpg,2,two,active',
    'mug ,,S-2,https://a.example/1.jpg,1,,',
    'pot,Pot,S-3,https://a.example/3.jpg,1,three,active',
  ]
  const { products, code } = await imported('texts.csv', rows, ['--preset', 'shopify'])
  const Variants = JSON.stringify([{ 'Variant SKU': 'S-1' }, { 'Variant SKU': 'S-2' }])
  expect({ code, products }).toEqual({
    code: 0,
    products: {
      mug: {
        status: 'active',
        attributes: { Title: 'Mug', 'Variant SKU': 'S-1', Variants, 'Image Alt Text': '["","two"]' },
      },
      pot: { status: 'active', attributes: { Title: 'Pot', 'Variant SKU': 'S-3', 'Image Alt Text': 'three' } },
    },
  })
})

test('shopify: a text without an image has a note, unless it is the only one', async () => {
  const header = 'Handle,Title,Image Src,Image Alt Text'
  const lost = await imported(
    'alt.csv',
    [header, 'mug,Mug,https://a.example/1.jpg,front', 'mug,,,back'],
    ['--preset', 'shopify'],
  )
  expect(lost.products.mug?.attributes['Image Alt Text']).toBe('front')
  expect(lost.answer.notes).toEqual([{ code: 'repeated_images', column: null, rows: 1, example: 'row 2' }])
  const kept = await imported(
    'alt.csv',
    [header, 'mug,Mug,https://a.example/1.jpg,', 'mug,,,back'],
    ['--preset', 'shopify'],
  )
  expect(kept.products.mug?.attributes['Image Alt Text']).toBe('back')
  expect(kept.answer.notes).toEqual([])
})

test('shopify: positions may have decimals, and all images of a column that --assets names are read', async () => {
  const rows = [
    'Handle,Title,Variant Image,Image Src,Image Position',
    'mug,Mug,https://a.example/v.jpg,https://a.example/2.jpg,2.0',
    'mug,,https://a.example/w.jpg,https://a.example/1.jpg,1.0',
  ]
  const args = ['--preset', 'shopify', '--assets', 'Image Src', '--assets', 'Variant Image']
  const { images } = await imported('assets.csv', rows, args)
  expect(await images('mug')).toEqual(['1', '2', 'v', 'w'].map((name) => `https://a.example/${name}.jpg`))
})

test('shopify: rows in JSON have columns of their own', async () => {
  const rows = [
    { Handle: 'mug', Title: 'Mug', SKU: 'S-1' },
    { SKU: 'S-2', Handle: 'mug', Color: 'Red' },
  ]
  const lines = rows.map((row) => JSON.stringify(row))
  const { products } = await imported('own.jsonl', lines, ['--preset', 'shopify', '--code', 'Handle'])
  expect(products.mug?.attributes).toEqual({
    ...{ Title: 'Mug', SKU: 'S-1', Color: 'Red', Variants: JSON.stringify([{ SKU: 'S-1' }, { SKU: 'S-2' }]) },
  })
})

test('magento: no_selection is no image, and attributes may be enclosed or have HTML', async () => {
  const html = '<a title=""x"",class=""y"">b</a>'
  const rows = [
    'sku,store_view_code,name,product_online,base_image,additional_images,additional_attributes',
    'A,,Mug,1,no_selection,"/1.jpg,no_selection","color=""Blue"",note=""warm, size=big"",size=""A=B"",inch=""5"""""""',
    `B,,Pot,1,/2.jpg,,"size=XS,text=${html},color=Black"`,
  ]
  const args = ['--preset', 'magento', '--asset-base', 'https://a.example']
  const { products, images, code } = await imported('magento.csv', rows, args)
  expect(code).toBe(0)
  expect(products.A?.attributes).toEqual({
    name: 'Mug',
    color: 'Blue',
    note: 'warm, size=big',
    size: 'A=B',
    inch: '5"',
  })
  expect(products.B?.attributes).toMatchObject({ size: 'XS', text: html.replaceAll('""', '"'), color: 'Black' })
  expect([await images('A'), await images('B')]).toEqual([['https://a.example/1.jpg'], ['https://a.example/2.jpg']])
})

test('magento: rows of a store view are read as the others are', async () => {
  const rows = [
    'sku,store_view_code,name,product_online,base_image,additional_attributes',
    'A,,Mug,1,/1.jpg,color=Blue',
    'A,fr,Tasse,,no_selection,"color=Bleu,size=M"',
  ]
  const args = ['--preset', 'magento', '--asset-base', 'https://a.example']
  const { products, code } = await imported('views.csv', rows, args)
  const view = { 'name (fr)': 'Tasse', 'color (fr)': 'Bleu', 'size (fr)': 'M' }
  expect({ code, products }).toEqual({
    code: 0,
    products: { A: { status: 'active', attributes: { name: 'Mug', color: 'Blue', ...view } } },
  })
})

test('magento: a second row of a store view replaces the first with a note', async () => {
  const rows = ['sku,store_view_code,name', 'A,,Mug', 'A,fr,Tasse', 'A,de,Becher', 'A,fr,Coupe']
  const { products, answer } = await imported('views.csv', rows, ['--preset', 'magento'])
  expect(products.A?.attributes).toEqual({ name: 'Mug', 'name (fr)': 'Coupe', 'name (de)': 'Becher' })
  const example = 'row 4 replaces name (fr) of A of row 2'
  expect(answer).toMatchObject({ replaced: 1, notes: [{ code: 'replaced', example }] })
})

test('magento: a second row of a store view fails with --duplicates fail, one of another view does not', async () => {
  const rows = ['sku,store_view_code,name', 'A,,Mug', 'A,fr,Tasse', 'A,de,Becher', 'A,fr,Coupe', 'A,,Cup']
  const args = ['--preset', 'magento', '--duplicates', 'fail']
  const { products, answer, stderr } = await imported('views.csv', rows, args)
  expect({ products, answer }).toMatchObject({
    products: { A: { attributes: { name: 'Mug', 'name (fr)': 'Tasse', 'name (de)': 'Becher' } } },
    answer: { rows: 5, created: 1, failed: 2 },
  })
  expect(stderr).toContain('row 4 (line 5), "A": "sku" must come once in the file')
})

test('magento: an escaped comma before a name fails the row, unless fields are enclosed', async () => {
  const rows = ['sku,additional_attributes', String.raw`A,"text=one\,size=M"`, String.raw`B,"text=""one\,size=M"""`]
  const { products, stderr } = await imported('escaped.csv', rows, ['--preset', 'magento'])
  expect(Object.keys(products)).toEqual(['B'])
  expect(stderr).toContain('"additional_attributes" must have no backslash before a comma and a name; got "text=one')
})

test('magento: additional attributes with a million signs that begin no tag are read', async () => {
  const more = `size=M,note=${'<a '.repeat(1_000_000)}`
  async function* rows(): AsyncGenerator<Entry[]> {
    yield [{ number: 1, source: '', size: 0, columns: ['sku', 'additional_attributes'], cells: ['A', more] }]
  }
  for await (const [row] of unpacked(rows())) {
    expect(row).toMatchObject({
      columns: ['sku', 'additional_attributes', 'size', 'note'],
      cells: ['A', '', 'M', expect.stringMatching(/^<a/)],
    })
  }
})

test('magento: additional attributes fill empty columns, and two values of one attribute fail the row', async () => {
  const rows = [
    'sku,product_online,color,note,base_image,additional_attributes',
    'A,1,,no_selection,/1.jpg,"color=Blue,size=M,size=M"',
    'B,1,Red,,,"color=Blue,size=M"',
    'C,1,,,,"c=Red,c=Blue"',
  ]
  const args = ['--preset', 'magento', '--asset-base', 'https://a.example']
  const { products, stderr } = await imported('magento.csv', rows, args)
  expect(products).toEqual({ A: { status: 'active', attributes: { color: 'Blue', note: 'no_selection', size: 'M' } } })
  expect(stderr).toContain('"additional_attributes" must give "color" one value; got "Red" and "Blue"')
  expect(stderr).toContain('"additional_attributes" must give "c" one value; got "Red" and "Blue"')
})

test('woocommerce: attributes get their names, and variations the code of their parent', async () => {
  const rows = [
    'ID,Type,SKU,Name,Published,Images,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 1 visible,Attribute 1 default,Attribute 2 name,Attribute 2 value(s)',
    '7,variable,SHIRT,Shirt,1,"https://a.example/1.jpg, https://a.example/2.jpg",,Size,"S, M",1,M,Color,Red',
    '8,variation,SHIRT-S,Shirt S,1,,id:7,Size,S,,,,',
    '9,variation,SHIRT-M,Shirt M,-1,,SHIRT,Size,M,,,,',
  ]
  const { products, images, code } = await imported('woo.csv', rows, ['--preset', 'woocommerce'])
  expect(code).toBe(0)
  expect(products).toEqual({
    SHIRT: {
      status: 'active',
      attributes: { ID: '7', Type: 'variable', Name: 'Shirt', Size: 'S, M', 'Size (default)': 'M', Color: 'Red' },
    },
    'SHIRT-S': {
      status: 'active',
      attributes: { ID: '8', Type: 'variation', Name: 'Shirt S', Parent: 'SHIRT', Size: 'S' },
    },
    'SHIRT-M': {
      status: 'draft',
      attributes: { ID: '9', Type: 'variation', Name: 'Shirt M', Parent: 'SHIRT', Size: 'M' },
    },
  })
  expect(await images('SHIRT')).toEqual(['https://a.example/1.jpg', 'https://a.example/2.jpg'])
})

test.each([
  ['shopify', ['Handle,Title,Variant SKU,Status', 'mug,Mug,S1,sold', 'mug,,S2,'], 'active'],
  ['magento', ['sku,store_view_code,name,product_online', 'A,,Mug,sold', 'A,fr,Tasse,sold'], '1'],
])('%s: what failed of rows that belong together is imported without its faults', async (preset, rows, status) => {
  const [store, errors] = [await catalog.newStore(), catalog.path(`${preset}-failed.csv`)]
  const args = ['--store', store, '--preset', preset]
  const file = await catalog.file(`${preset}.csv`, rows.join('\n'))
  await catalog.answer([file, ...args, '--errors', errors], 1)
  const fixed = await catalog.fix(errors, (text) => text.replaceAll(/,sold$/gm, `,${status}`))
  await catalog.answer([fixed, ...args])
  expect(JSON.stringify([...(await productsOf(catalog, store))])).not.toContain('import_error')
})

test('a preset that finds no images in columns of another language notes what look like them', async () => {
  const rows = ['ID,Tipo,SKU,Publicado,Imágenes', '1,simple,A,1,"https://a.example/1.jpg, https://a.example/2.jpg"']
  const { answer } = await imported('spanish.csv', rows, ['--preset', 'woocommerce'])
  expect(answer.notes).toEqual([
    { code: 'other_language', column: null, rows: 0, example: null },
    { code: 'likely_images', column: 'Imágenes', rows: 0, example: null },
  ])
  const named = ['--preset', 'woocommerce', '--assets', 'Imágenes', '--status', 'Publicado']
  expect((await imported('spanish.csv', rows, named)).answer.notes).toEqual([])
})

test('images of a preset that --assets leaves out are noted', async () => {
  const rows = ['Handle,Title,Image Src,Variant Image', 'mug,Mug,https://a.example/1.jpg,https://a.example/2.jpg']
  const named = async (...columns: string[]) => {
    const args = ['--preset', 'shopify', ...columns.flatMap((column) => ['--assets', column])]
    return (await imported('named.csv', rows, args)).answer.notes
  }
  expect(await named('Variant Image')).toEqual([{ code: 'likely_images', column: 'Image Src', rows: 0, example: null }])
  expect(await named('Image Src')).toEqual([])
  expect(await named('Image Src', 'Variant Image')).toEqual([])
})

test('a preset without its column of the code lists those that the file has', async () => {
  const [store, file] = [await catalog.newStore(), await catalog.file('german.csv', 'ID,Artikelnummer\n1,A\n')]
  const { code, stderr } = await catalog.run([file, '--store', store, '--preset', 'woocommerce'])
  const had = 'use --code to name another; the file has the columns "ID", "Artikelnummer"\n'
  const sentence = `--preset woocommerce needs the column "SKU"; ${had}`
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) })
  // Its reader adds a column.
  expect((await catalog.run([file, '--store', store, '--preset', 'shopify'])).stderr).toContain(had)
})

test('woocommerce: columns of attributes are in no row, and columns without a name keep their places', async () => {
  const numbered = Array.from({ length: 100 }, (_, i) => [`Attribute ${i + 1} name`, `Attribute ${i + 1} value(s)`])
  const columns = ['SKU', ...numbered.flat(), '']
  const cells = columns.map((_column, at) => ['A', 'Color', 'Red'][at] ?? '')
  async function* blocks(): AsyncGenerator<Entry[]> {
    yield [{ number: 1, size: 0, source: '', columns, cells }]
  }
  const [row] = (await namedAttributes(blocks(), new Notes()).next()).value ?? []
  expect(row).toMatchObject({ columns: ['SKU', '', 'Color'], cells: ['A', '', 'Red'], places: [0, 201, 202] })
})

test('magento: --map renames attributes that are unpacked, and those of a store view', async () => {
  const rows = ['sku,store_view_code,name,additional_attributes', 'A,,Mug,"color=Red,status=Sale"', 'A,de,Becher,']
  const maps = ['color=Colour', 'status=Label', 'name (de)=Name DE', 'size=Size'].flatMap((map) => ['--map', map])
  const { code, products, answer } = await imported('unpacked.csv', rows, ['--preset', 'magento', ...maps])
  expect(code).toBe(0)
  expect(products.A?.attributes).toEqual({ name: 'Mug', Colour: 'Red', Label: 'Sale', 'Name DE': 'Becher' })
  expect(answer.notes).toEqual([{ code: 'unseen_column', column: 'size', rows: 0, example: null }])
})

test('woocommerce: commas in URLs of images are without the backslashes of the export', async () => {
  const rows = [
    'ID,Type,SKU,Published,Images,Note',
    '1,simple,A,1,"https://a.example/w_1\\,h_2/1.jpg, https://a.example/2.jpg","a\\, b"',
  ]
  const { products, images } = await imported('escaped-images.csv', rows, ['--preset', 'woocommerce'])
  expect(await images('A')).toEqual(['https://a.example/w_1,h_2/1.jpg', 'https://a.example/2.jpg'])
  expect(products.A?.attributes.Note).toBe('a\\, b')
})

test('woocommerce: a parent that comes later, or never, stays as it is, with a note', async () => {
  const rows = [
    'ID,Type,SKU,Published,Parent',
    '8,variation,S-S,1,id:7',
    '7,variable,S,1,',
    '9,variation,S-M,1,id:7',
    '5,variation,T,1,id:4',
  ]
  const { products, answer } = await imported('woo.csv', rows, ['--preset', 'woocommerce'])
  const parents = Object.entries(products).map(([product, { attributes }]) => [product, attributes.Parent])
  expect(Object.fromEntries(parents)).toEqual({ S: undefined, 'S-S': 'id:7', 'S-M': 'S', T: 'id:4' })
  expect(answer.notes).toEqual([{ code: 'unknown_parent', column: 'Parent', rows: 2, example: 'row 1: id:7' }])
})

test('woocommerce: an attribute without a name, or with that of a column, fails its row at its own column', async () => {
  const rows = [
    'ID,Type,SKU,Published,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)',
    '1,simple,A,1,Size,S,,Red',
    '2,simple,B,1,Size,S,Type,Red',
    '3,simple,C,1,Size,,,',
  ]
  const { products, stderr } = await imported('woo.csv', rows, ['--preset', 'woocommerce'])
  expect(Object.keys(products)).toEqual(['C'])
  expect(stderr).toContain('(line 2): "Attribute 2 name" must be there, as there is a value; got ""')
  expect(stderr).toContain('(line 3): "Attribute 2 name" must be no name of a column; got "Type"')
})

test.each([
  [
    'woocommerce',
    'ID,Attribute 1 name,SKU,,Attribute 1 value(s),,Name',
    ['1,Color,A,lost,red,,Mug', '2,,B,,,late,Pot'],
  ],
  ['magento', 'product_online,additional_attributes,sku,,a,,name', ['1,b=c,A,lost,x,,Mug', '1,,B,,,late,Pot']],
  ['shopify', 'Title,Status,Handle,,Vendor,,Tags', ['Mug,draft,A,lost,x,,', 'Pot,draft,B,,,late,']],
])('%s: a value in each of two columns without a name fails its row at its column', async (preset, header, rows) => {
  const { products, stderr } = await imported('nameless.csv', [header, ...rows], ['--preset', preset])
  expect(products).toEqual({})
  expect(stderr).toContain('row 1 (line 2), "A": column 4 must have a name, as it has a value')
  expect(stderr).toContain('row 2 (line 3), "B": column 6 must have a name, as it has a value')
})

test('magento: a value of a store view in a column without a name fails its row', async () => {
  const rows = ['sku,store_view_code,name,', 'A,,Mug,', 'A,fr,Tasse,lost']
  const { products, stderr } = await imported('view.csv', rows, ['--preset', 'magento'])
  expect(products.A?.attributes).toEqual({ name: 'Mug' })
  expect(stderr).toContain('column 4 must have a name')
})

test('woocommerce: a default without values is kept, and a header that ends in a comma is read', async () => {
  const rows = [
    'ID,Type,SKU,Published,Size (default),Attribute 1 name,Attribute 1 value(s),Attribute 1 default,',
    '1,simple,A,1,,Color,Red,,',
    '2,simple,B,1,,Color,,Blue,',
    '3,simple,C,1,,Size,"S, M",S,',
    '4,simple,D,1,,,,Blue,',
  ]
  const { products, stderr } = await imported('comma.csv', rows, ['--preset', 'woocommerce'])
  const attributes = { Type: 'simple' }
  expect(products).toEqual({
    A: { status: 'active', attributes: { ...attributes, ID: '1', Color: 'Red' } },
    B: { status: 'active', attributes: { ...attributes, ID: '2', 'Color (default)': 'Blue' } },
  })
  expect(stderr).toContain('"Attribute 1 name" must be no name with a column "Size (default)"; got "Size"')
  expect(stderr).toContain('"Attribute 1 name" must be there, as there is a value; got ""')
})

const feed = `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
  <item><g:id>A</g:id><g:title><![CDATA[Mug & saucer]]></g:title><g:image_link>https://a.example/1.jpg</g:image_link>
  <g:additional_image_link>https://a.example/2.jpg</g:additional_image_link>
  <g:additional_image_link>https://a.example/3.jpg?a=1&amp;b=2</g:additional_image_link>
  <g:shipping><g:country>DE</g:country><g:price>5 EUR</g:price></g:shipping></item>
  <item><g:id>B</g:id><g:title>Pot</g:title></item></channel></rss>`
const table = [
  'id\ttitle\timage link\tadditional image link\tshipping.country\tshipping.price',
  'A\tMug & saucer\thttps://a.example/1.jpg\thttps://a.example/2.jpg,https://a.example/3.jpg?a=1&b=2\tDE\t5 EUR',
  'B\tPot\t\t\t\t',
]

test.each([
  ['feed.xml', [feed]],
  ['feed.tsv', table],
])('google-merchant: %s', async (name, rows) => {
  const { products, images, code, answer } = await imported(name, rows, ['--preset', 'google-merchant'])
  expect({ code, answer }).toMatchObject({ code: 0, answer: { created: 2, assets_added: 3 } })
  expect(products.A?.attributes).toEqual({ title: 'Mug & saucer', 'shipping.country': 'DE', 'shipping.price': '5 EUR' })
  expect(await images('A')).toEqual([
    'https://a.example/1.jpg',
    'https://a.example/2.jpg',
    'https://a.example/3.jpg?a=1&b=2',
  ])
})

test('google-merchant: images in columns that only late items have are assets, too', async () => {
  const early = Array.from({ length: 5_000 }, (_, i) => `<item><id>${i}</id></item>`)
  const late = `<item><id>A</id><image_link>https://a.example/1</image_link>
    <additional_image_link>https://a.example/2</additional_image_link>
    <lifestyle_image_link>https://a.example/3</lifestyle_image_link></item>`
  const { images, answer } = await imported(
    'late.xml',
    ['<rss>', ...early, late, '</rss>'],
    ['--preset', 'google-merchant'],
  )
  expect(await images('A')).toEqual(['https://a.example/1', 'https://a.example/2', 'https://a.example/3'])
  expect(answer.notes).toEqual([])
})

test('a feed with a DTD, or that ends early, ends there', async () => {
  const declared = feed.replace('<rss', '<!DOCTYPE rss [<!ENTITY a "b">]><rss')
  for (const [content, sentence] of [
    [declared, /without a DTD/],
    [feed.slice(0, -30), /must be XML/],
  ] as const) {
    const { code, stderr } = await imported('bad.xml', [content], ['--preset', 'google-merchant'])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
  }
})

test('xml: attributes are columns, and equal values of names with and without a prefix are one', async () => {
  const item = `<item x="1"><g:id xmlns:g="g">A</g:id><title>Mug</title><g:title>Mug</g:title><link href="https://a.example/"/>
    <enclosure url="https://a.example/1.jpg" type="image/jpeg"/><media:content url="https://a.example/2.jpg"/>
    <media:content url="https://a.example/3.jpg"/><content>text</content><size unit="cm">5</size></item>`
  const args = ['--code', 'id', '--assets', 'enclosure.@url', '--assets', 'content.@url']
  const { products, images, code } = await imported('a.xml', [`<rss>${item}</rss>`], args)
  expect(code).toBe(0)
  expect(products.A?.attributes).toEqual({
    ...{ '@x': '1', title: 'Mug', 'link.@href': 'https://a.example/', 'enclosure.@type': 'image/jpeg' },
    ...{ content: 'text', size: '5', 'size.@unit': 'cm' },
  })
  expect(await images('A')).toEqual([1, 2, 3].map((n) => `https://a.example/${n}.jpg`))
})

test('xml: values of elements that come several times stay together, where some lack one', async () => {
  const shipping = [{ country: 'DE', price: '5' }, { country: 'AT', service: 'Express' }, { price: '7' }]
  const elements = shipping.map((parts) => {
    const inner = Object.entries(parts).map(([name, value]) => `<g:${name}>${value}</g:${name}>`)
    return `<g:shipping>${inner.join('')}</g:shipping>`
  })
  const item = `<item><g:id>A</g:id>${elements.join('')}<l><a>1</a><a>2</a></l></item>`
  const { products } = await imported('a.xml', [`<rss xmlns:g="g">${item}</rss>`], ['--code', 'id'])
  expect(products.A?.attributes).toEqual({
    ...{ 'shipping.country': '["DE","AT",""]', 'shipping.price': '["5","","7"]' },
    ...{ 'shipping.service': '["","Express",""]', 'l.a': '["1","2"]' },
  })
})

test.each([
  ['<d>Hello <b>world</b> foo</d>', '"d" must have no text beside elements; got "Hello  foo"'],
  ['<title>Mug</title><g:title>Pot</g:title>', '"title" must have one value; got different ones in title and g:title'],
])('xml: %s fails its row', async (content, sentence) => {
  const rows = [`<rss><item><id>A</id>${content}</item><item><id>B</id></item></rss>`]
  const { products, stderr } = await imported('a.xml', rows, ['--code', 'id'])
  expect(stderr).toContain(sentence)
  expect(Object.keys(products)).toEqual(['B'])
})

test('xml: the rows before bad XML are read, and a file that is no feed is none', async () => {
  const bad = await imported('a.xml', ['<rss><item><id>A</id></item></bad>'], ['--code', 'id'])
  expect(bad).toMatchObject({ code: 1, products: { A: {} } })
  const store = await catalog.newStore()
  const file = await catalog.file('a.xml', '<products><product><id>A</id></product></products>')
  const { code, stderr } = await catalog.run([file, '--store', store, '--code', 'id'])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('the root "products"') })
})
