import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { productsOf, useCatalog } from './catalog.ts'
import { shapes } from './shapes.ts'

const catalog = useCatalog()

/** Real exports, tried as well where they lie next to this checkout. They are not ours to keep in it. */
const realFiles = [
  {
    name: 'magento-products.csv',
    options: ['--assets', 'base_image', '--assets', 'additional_images', '--asset-base', 'https://a.example/media'],
    rows: 1994,
    products: 1994,
    links: 3364,
  },
  { name: 'dummyjson-products.json', options: ['--assets', 'images'], rows: 194, products: 194, links: 474 },
  {
    name: 'shopify-jewelery.csv',
    options: ['--code', 'Handle', '--assets', 'Image Src'],
    rows: 41,
    products: 20,
    links: 41,
  },
].map((file) => ({ ...file, path: join(import.meta.dirname, '../../../shared/data', file.name), content: undefined }))

const files = [
  ...shapes().map((shape) => ({ ...shape, path: undefined })),
  ...realFiles.filter(({ path }) => existsSync(path)),
]

test.each(files)('$name goes in whole, and a second time changes nothing', async ({ name, options, ...file }) => {
  const path = file.path ?? (await catalog.file(name, file.content))
  const store = await catalog.newStore()
  const first = await catalog.answer([path, '--store', store, ...options])
  const products = await productsOf(catalog, store)
  const counts = { rows: file.rows, created: file.products, failed: 0, links_added: file.links }
  expect(first).toMatchObject(counts)
  expect(first.assets_added).toBeGreaterThan(0)
  expect(products.size).toBe(file.products)

  const second = await catalog.answer([path, '--store', store, ...options])
  const nothing = { created: 0, updated: 0, failed: 0, assets_added: 0, links_added: 0 }
  expect(second).toEqual({ ...nothing, rows: file.rows, unchanged: file.rows })
  expect(await productsOf(catalog, store)).toEqual(products)
})

test('nested JSON and packed cells keep their texts', async () => {
  const [sheet, list] = shapes()
  const store = await catalog.newStore()
  for (const shape of [sheet, list]) {
    if (!shape) throw new Error('a shape is missing')
    await catalog.answer([await catalog.file(shape.name, shape.content), '--store', store, ...shape.options])
  }
  const products = await productsOf(catalog, store)
  const [source] = JSON.parse(list?.content ?? '') as [{ sku: string; price: number; tags: string[]; reviews: unknown }]
  expect(products.get(source.sku)?.attributes).toMatchObject({
    id: '1',
    price: String(source.price),
    tags: JSON.stringify(source.tags),
    'dimensions.height': '1',
    reviews: JSON.stringify(source.reviews),
  })
  const hoodie = [...products.values()].find(({ attributes }) => attributes.additional_attributes)
  expect(hoodie?.attributes.additional_attributes).toMatch(/^has_options=0,size=/)
  expect(hoodie?.attributes.description).toMatch(/<\/p>\n<p>&bull; "/)
})
