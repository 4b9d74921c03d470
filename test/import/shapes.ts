import { faker } from '@faker-js/faker'

/** A file as a shop exports it, with the options that import it. */
export interface Shape {
  name: string
  content: string
  options: string[]
  /** How many rows and different product codes it has. */
  rows: number
  products: number
  /** How many assets its products have, each counted once in its product. */
  links: number
}

/** Files like those that shops export, made up from a fixed seed. */
export function shapes(): Shape[] {
  faker.seed(20)
  return [magento(), dummyJson(), shopify()]
}

/** Parents and variants in one sheet: HTML over several lines, attributes packed into a cell, and paths of images. */
function magento(): Shape {
  const codes = unique(120, () => `${faker.string.alpha({ length: 4, casing: 'upper' })}-${faker.color.human()}`)
  const rows = codes.map((sku) => [
    sku,
    '',
    faker.commerce.productName(),
    `<p>${faker.lorem.paragraph()}</p>\n<p>&bull; "${faker.lorem.words()}", ${faker.lorem.words()}.</p>`,
    `has_options=0,size=${faker.helpers.arrayElement(['XS', 'S', 'M'])}`,
    faker.commerce.price(),
    `/m/h/${faker.helpers.slugify(sku)}.jpg`,
    faker.helpers.arrayElements(['/a/1.jpg', '/a/2.jpg', '/a/3.jpg'], { min: 1, max: 3 }).join(','),
  ])
  const header = 'sku,store_view_code,name,description,additional_attributes,price,base_image,additional_images'
  return {
    name: 'magento.csv',
    content: [header, ...rows.map((row) => row.map(csvCell).join(','))].join('\n'),
    options: [
      ...['--assets', 'base_image', '--assets', 'additional_images'],
      ...['--asset-base', 'https://assets.example.com/media/catalog/product'],
    ],
    rows: codes.length,
    products: codes.length,
    links: rows.reduce((sum, row) => sum + 1 + (row.at(-1)?.split(',').length ?? 0), 0),
  }
}

/** Objects with objects and lists in them. */
function dummyJson(): Shape {
  const codes = unique(80, () => faker.string.alphanumeric(9).toUpperCase())
  const products = codes.map((sku, i) => ({
    id: i + 1,
    title: faker.commerce.productName(),
    price: faker.number.float({ max: 100, fractionDigits: 2 }),
    tags: faker.lorem.words().split(' '),
    sku,
    dimensions: { width: faker.number.float({ max: 30, fractionDigits: 2 }), height: 1 },
    reviews: [{ rating: 5, comment: faker.lorem.sentence(), date: faker.date.past().toISOString() }],
    brand: i % 7 === 0 ? null : faker.company.name(),
    images: Array.from({ length: 1 + (i % 6) }, (_, n) => `https://assets.example.com/${sku}/${n + 1}.webp`),
  }))
  return {
    name: 'dummyjson.json',
    content: JSON.stringify(products, undefined, 2),
    options: ['--assets', 'images'],
    rows: codes.length,
    products: codes.length,
    links: products.reduce((sum, { images }) => sum + images.length, 0),
  }
}

/** One product over several rows, of which only the first has its title. */
function shopify(): Shape {
  const handles = unique(60, () => faker.helpers.slugify(faker.commerce.productName()).toLowerCase())
  const rows = handles.flatMap((handle) =>
    Array.from({ length: faker.number.int({ min: 1, max: 4 }) }, (_, i) => [
      handle,
      i === 0 ? faker.commerce.productName() : '',
      i === 0 ? `<p class="a">${faker.lorem.sentence()}</p>` : '',
      `https://cdn.example.com/s/files/${handle}-${i}.jpg?v=1`,
    ]),
  )
  return {
    name: 'shopify.csv',
    content: ['Handle,Title,Body (HTML),Image Src', ...rows.map((row) => row.map(csvCell).join(','))].join('\r\n'),
    options: ['--code', 'Handle', '--assets', 'Image Src'],
    rows: rows.length,
    products: handles.length,
    links: rows.length,
  }
}

function unique(count: number, make: () => string): string[] {
  const made = new Set<string>()
  while (made.size < count) made.add(make())
  return [...made]
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
