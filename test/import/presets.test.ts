import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refusal } from '../support/clients/cli.ts'
import { groupsOf, productsOf, useCatalog } from './catalog.ts'

const catalog = useCatalog()

const shopifyHeader =
  'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Image Position,Image Alt Text,Status'

test('several rows of a handle become one product, its images one group in the order of their positions', async () => {
  const store = await catalog.newStore()
  const rows = [
    shopifyHeader,
    'mug,Mug,Color,Red,M-R,5.00,https://a.example/3,3,third,archived',
    'mug,,,Blue,M-B,6.00,https://a.example/1,1,,',
    'mug,,,,,,https://a.example/2,2,,',
    'pot,Pot,Title,Default Title,P,9.00,https://a.example/p,1,,active',
    'cup,Cup,Title,Default Title,C,1.00,,,,draft',
  ]
  const file = await catalog.file('shopify.csv', rows.join('\r\n'))
  const answer = await catalog.answer([file, '--store', store, '--preset', 'shopify'])
  expect(answer).toMatchObject({ rows: 5, created: 3, unchanged: 2, failed: 0, assets_added: 4, links_added: 4 })
  const products = await productsOf(catalog, store)
  expect(products.get('mug')).toEqual({
    status: 'inactive',
    attributes: {
      Title: 'Mug',
      'Option1 Name': 'Color',
      'Option1 Value': 'Red',
      'Variant SKU': 'M-R',
      'Variant Price': '5.00',
      'Image Alt Text': '["","","third"]',
      Variants: JSON.stringify([
        { 'Option1 Value': 'Red', 'Variant SKU': 'M-R', 'Variant Price': '5.00' },
        { 'Option1 Value': 'Blue', 'Variant SKU': 'M-B', 'Variant Price': '6.00' },
      ]),
    },
  })
  expect(products.get('pot')?.attributes).not.toHaveProperty('Variants')
  expect(await groupsOf(catalog, store, 'mug')).toEqual({
    image: ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'],
  })
  const again = await catalog.answer([file, '--store', store, '--preset', 'shopify'])
  expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 5, assets_added: 0, links_added: 0 })
})

test('a status that is mapped is no sign of another language', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('visible.csv', 'SKU,Name,Published\nmug,Mug,1\n')
  const args = [file, '--store', store, '--preset', 'woocommerce', '--map', 'Published=Visible']
  expect((await catalog.details(args)).notes).toEqual([])
})

test('a status of another meaning is an attribute by --map', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('state.csv', 'Handle,Title,Status,Image Src\nmug,Mug,sold,https://a.example/1\n')
  const args = [file, '--store', store, '--preset', 'shopify', '--map', 'Status=State']
  expect(await catalog.answer(args)).toMatchObject({ created: 1, failed: 0 })
  expect((await productsOf(catalog, store)).get('mug')?.attributes.State).toBe('sold')
})

test('the texts of images are those of the group also where an image comes twice', async () => {
  const store = await catalog.newStore()
  const rows = [
    shopifyHeader,
    'mug,Mug,Color,Red,M-R,5.00,https://a.example/1,1,,active',
    'mug,,,Blue,M-B,6.00,https://a.example/1,2,first,',
    'mug,,,Pink,M-P,6.00,https://a.example/2,3,second,',
    'pot,Pot,Color,Red,P-R,5.00,https://a.example/3,1,third,active',
    'pot,,,Blue,P-B,6.00,https://a.example/3,2,other,',
  ]
  const file = await catalog.file('repeated.csv', rows.join('\n'))
  const { notes } = await catalog.details([file, '--store', store, '--preset', 'shopify'])
  const products = await productsOf(catalog, store)
  expect(products.get('mug')?.attributes['Image Alt Text']).toBe('["first","second"]')
  expect(products.get('pot')?.attributes['Image Alt Text']).toBe('third')
  expect(await groupsOf(catalog, store, 'mug')).toEqual({ image: ['https://a.example/1', 'https://a.example/2'] })
  expect(notes).toEqual([{ code: 'repeated_images', column: null, rows: 1, example: 'https://a.example/3' }])
})

test('a text of a row without an image is that of the product only where no image has one', async () => {
  const store = await catalog.newStore()
  const rows = ['mug,,,,,,https://a.example/1,1,front,', 'mug,,,,,,https://a.example/2,2,back,', 'mug,,,,,,,,front,']
  const without = ['pot,,,,,,https://a.example/3,1,,', 'pot,,,,,,https://a.example/4,2,,', 'pot,,,,,,,,both,']
  const file = await catalog.file('texts.csv', [shopifyHeader, ...rows, ...without].join('\n'))
  const { notes } = await catalog.details([file, '--store', store, '--preset', 'shopify'])
  const products = await productsOf(catalog, store)
  expect(products.get('mug')?.attributes['Image Alt Text']).toBe('["front","back"]')
  expect(products.get('pot')?.attributes['Image Alt Text']).toBe('both')
  expect(notes).toEqual([])
})

test('a row that is wrong keeps back the others of its handle, and the report has all of them, to be sent again', async () => {
  const store = await catalog.newStore()
  const good = ['mug,Mug,Color,Red,M-R,5.00,https://a.example/1,1,,', 'mug,,,Blue,M-B,6.00,https://a.example/2,2,,']
  const bad = good.map((row, i) => (i === 1 ? row.replace(',2,', ',second,') : row))
  const errors = catalog.path('failed.csv')
  const file = await catalog.file('bad.csv', [shopifyHeader, 'pot,Pot,,,,,,,,', ...bad].join('\n'))
  const args = ['--store', store, '--preset', 'shopify']
  const answer = await catalog.answer([file, ...args, '--errors', errors], 1)
  expect(answer).toMatchObject({ rows: 3, created: 1, failed: 2 })
  expect((await productsOf(catalog, store)).has('mug')).toBe(false)
  const fixed = await catalog.fix(errors, (text) => text.replace(',second,', ',2,'))
  expect(await catalog.answer([fixed, ...args])).toMatchObject({ rows: 2, created: 1, unchanged: 1, links_added: 2 })
  expect(await groupsOf(catalog, store, 'mug')).toEqual({ image: ['https://a.example/1', 'https://a.example/2'] })
})

test('a row that cannot be read keeps back its handle too, and each error is reported at its own row', async () => {
  const store = await catalog.newStore()
  const rows = [
    'Handle,Title,Status,Image Src,Image Position,Option1 Value',
    'mug,Mug,active,https://a.example/3,3,R',
    'mug,,,https://a.example/1,1,one,too many',
    'mug,,,https://a.example/2,2,G',
    'pot,Pot,active,https://a.example/p,1,X',
    'pot,,,https://a.example/q,second,Y',
    'cup,Cup,constructor,https://a.example/c,1,',
    'cup,,,not a url,2,',
    'tea,Tea,active,,,,more',
    'tea,,,https://a.example/t,1,',
    'jar,Jar,archived,https://a.example/j,1,',
    'urn,Urn,active,https://a.example/u2,2,',
    'urn,"open,,https://a.example/u1,1,',
  ]
  const errors = catalog.path('parts-failed.csv')
  const file = await catalog.file('parts.csv', rows.join('\n'))
  const args = ['--store', store, '--preset', 'shopify']
  const answer = await catalog.answer([file, ...args, '--errors', errors], 1)
  expect(answer).toMatchObject({ rows: 12, created: 1, failed: 11 })
  const report = await readFile(errors, 'utf8')
  const together = '"is imported together with row'
  for (const start of [
    `1,,${together} 2, which failed"`,
    '2,,"must have 6 cells, as the header has",7',
    `3,,${together} 2, which failed"`,
    `4,,${together} 5, which failed"`,
    '5,Image Position,must be a whole number,"""second"""',
    '6,Status,"must be one of active, new, problem, inactive, draft, under review; --map-status reads others, and --map makes the column an attribute","""constructor"""',
    '7,Image Src,"must be an absolute URL',
    '8,,"must have 6 cells, as the header has",7',
    `9,,${together} 8, which failed"`,
    '11,,must be complete,a file that is unreadable after this row',
  ]) {
    expect(report).toContain(`\n${start}`)
  }
  const changes: [string, string][] = [
    [',one,too many', ',one too many'],
    [',second,', ',2,'],
    ['cup,Cup,constructor', 'cup,Cup,draft'],
    ['cup,,,not a url', 'cup,,,https://a.example/c2'],
    ['tea,Tea,active,,,,more', 'tea,Tea,active,,,'],
  ]
  const fixed = await catalog.fix(errors, (text) => changes.reduce((all, [from, to]) => all.replace(from, to), text))
  expect(await catalog.answer([fixed, ...args])).toMatchObject({ rows: 10, created: 5, failed: 0 })
  const three = [1, 2, 3].map((n) => `https://a.example/${n}`)
  expect(await groupsOf(catalog, store, 'mug')).toEqual({ image: three })
})

test('the magento preset unpacks attributes, keeps store views apart, and finds images and statuses', async () => {
  const store = await catalog.newStore()
  const rows = [
    'sku,store_view_code,name,product_online,additional_attributes,base_image,additional_images',
    'A,,Hoodie,1,"size=XS,note=warm, soft,color=Black",/m/1.jpg,"/m/1.jpg,/m/2.jpg"',
    'A,fr,Sweat,,,,',
    'B,,Shirt,2,no pairs,,',
  ]
  const file = await catalog.file('magento.csv', rows.join('\n'))
  const args = ['--store', store, '--preset', 'magento', '--asset-base', 'https://a.example/media']
  expect(await catalog.answer([file, ...args])).toMatchObject({ rows: 3, created: 2, failed: 0, links_added: 2 })
  const attributes = { name: 'Hoodie', size: 'XS', note: 'warm, soft', color: 'Black' }
  expect(Object.fromEntries(await productsOf(catalog, store))).toEqual({
    A: { status: 'active', attributes: { ...attributes, 'name (fr)': 'Sweat' } },
    B: { status: 'inactive', attributes: { name: 'Shirt', additional_attributes: 'no pairs' } },
  })
  expect(await groupsOf(catalog, store, 'A')).toEqual({
    image: ['https://a.example/media/m/1.jpg', 'https://a.example/media/m/2.jpg'],
  })
})

test('an option goes before what the preset knows, and a file of another kind is refused', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file(
    'own.csv',
    'Handle,code,Image Src,pics\nh,A,https://a.example/1,https://a.example/2\n',
  )
  const options = ['--preset', 'shopify', '--code', 'code', '--assets', 'pics']
  await catalog.answer([file, '--store', store, ...options])
  expect(await groupsOf(catalog, store, 'A')).toEqual({ image: ['https://a.example/2'] })
  expect(await catalog.run([file, '--store', store, '--preset', 'magento'])).toMatchObject(
    refusal(/--preset magento needs the column "sku"/),
  )
})

const shared = join(import.meta.dirname, '../../../shared/data')
const base = ['--asset-base', 'https://a.example/media']
/** Real exports, where they lie next to this checkout; counts are those of the files. */
const exported = [
  { name: 'shopify-apparel.csv', preset: ['shopify'], products: 20, images: 20 },
  { name: 'shopify-jewelery.csv', preset: ['shopify'], products: 20, images: 41 },
  { name: 'shopify-home-and-garden.csv', preset: ['shopify'], products: 20, images: 21 },
  { name: 'magento-products.csv', preset: ['magento', ...base], products: 1994, images: 3364 },
].filter(({ name }) => existsSync(join(shared, name)))

test.skipIf(exported.length === 0)('real exports go in whole', async () => {
  for (const { name, preset, products, images } of exported) {
    const store = await catalog.newStore()
    const answer = await catalog.answer([join(shared, name), '--store', store, '--preset', ...preset])
    expect({ name, ...answer }).toMatchObject({ name, created: products, failed: 0, links_added: images })
    expect((await productsOf(catalog, store)).size).toBe(products)
  }
})
