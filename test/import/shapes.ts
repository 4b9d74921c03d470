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
  const random = createRandom(20)
  return [magento(random), dummyJson(random), shopify(random)]
}

const vocabulary = 'amber basalt café cedar, "dune" ember flint grove harbour iris juniper kelp larch'.split(' ')

/** The same choices for the same seed (mulberry32). */
function createRandom(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  const words = (count: number) => Array.from({ length: count }, () => vocabulary[below(vocabulary.length)]).join(' ')
  const code = () =>
    `${below(2 ** 31)
      .toString(36)
      .toUpperCase()}-${vocabulary[below(5)]}`
  return { below, words, code, price: () => `${below(1_000)}.${10 + below(90)}` }
}

type Random = ReturnType<typeof createRandom>

/** Parents and variants in one sheet: HTML over several lines, attributes packed into a cell, and paths of images. */
function magento({ below, words, code, price }: Random): Shape {
  const codes = unique(120, code)
  const rows = codes.map((sku) => [
    sku,
    '',
    words(3),
    `<p>${words(40)}</p>\n<p>&bull; "${words(3)}", ${words(3)}.</p>`,
    `has_options=0,size=${['XS', 'S', 'M'][below(3)]}`,
    price(),
    `/m/h/${encodeURIComponent(sku)}.jpg`,
    ['/a/1.jpg', '/a/2.jpg', '/a/3.jpg'].slice(below(3)).join(','),
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
function dummyJson({ below, words, code, price }: Random): Shape {
  const codes = unique(80, code)
  const products = codes.map((sku, i) => ({
    id: i + 1,
    title: words(3),
    price: Number(price()),
    tags: words(3).split(' '),
    sku,
    dimensions: { width: Number(price()), height: 1 },
    reviews: [{ rating: 5, comment: words(9), date: new Date(below(2 ** 31) * 500).toISOString() }],
    brand: i % 7 === 0 ? null : words(2),
    images: Array.from(
      { length: 1 + (i % 6) },
      (_, n) => `https://assets.example.com/${encodeURIComponent(sku)}/${n + 1}.webp`,
    ),
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
function shopify({ below, words, code }: Random): Shape {
  const handles = unique(60, () => encodeURIComponent(code().toLowerCase()))
  const rows = handles.flatMap((handle) =>
    Array.from({ length: 1 + below(4) }, (_, i) => [
      handle,
      i === 0 ? words(3) : '',
      i === 0 ? `<p class="a">${words(9)}</p>` : '',
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
