import { faker } from '@faker-js/faker/locale/en'
import type { NewAsset } from '../catalog/add-assets.ts'
import { productStatuses } from '../catalog/enumerations.ts'
import type { ProductPatch } from '../catalog/product-patches.ts'
import { colors, departments, sizes } from './definitions.ts'

export interface DemoProduct {
  patch: ProductPatch
  assets: NewAsset[]
}

/** How often a status occurs, in the order of the enumeration: most of a catalogue is active. */
const statusWeights = [60, 15, 5, 8, 8, 4]

/** Makes up products by the prefix of their codes: the same ones for the same arguments. */
export function makeProducts(
  stores: readonly { prefix: string; products: number }[],
  channels: readonly string[],
  assetFormats: readonly string[],
): Map<string, DemoProduct[]> {
  faker.seed(1912)
  return new Map(
    stores.map(({ prefix, products }) => [
      prefix,
      Array.from({ length: products }, (_, i) => {
        const code = `${prefix}-${String(1001 + i)}`
        return { patch: makePatch(code), assets: makeAssets(code, channels, assetFormats) }
      }),
    ]),
  )
}

function makePatch(productCode: string): ProductPatch {
  const department = faker.helpers.arrayElement(departments)
  const material = faker.commerce.productMaterial()
  const name = `${faker.commerce.productAdjective()} ${material} ${faker.commerce.product()}`
  const status = faker.helpers.weightedArrayElement(
    productStatuses.map((value, i) => ({ value, weight: statusWeights[i] ?? 1 })),
  )
  const attributes = {
    'Product Name': name,
    Brand: faker.helpers.arrayElement(['Fernwood', 'Larch & Co', 'Nordlys', 'Tidewater']),
    Department: department,
    Color: faker.helpers.arrayElement(colors),
    ...(department === 'Clothing' && { Size: faker.helpers.arrayElement(sizes) }),
    Material: material,
    Price: faker.commerce.price({ min: 5, max: 400 }),
    Currency: 'EUR',
    GTIN: faker.string.numeric({ length: 13, allowLeadingZeros: false }),
    Released: faker.date.between({ from: '2023-01-01', to: '2026-06-30' }).toISOString().slice(0, 10),
    Recycled: String(faker.datatype.boolean(0.3)),
    Care: `https://care.example.com/${faker.helpers.slugify(material).toLowerCase()}`,
    'Short Description': faker.commerce.productDescription().slice(0, 160),
  }
  return { productCode, status, attributes }
}

/** A group of 1 to 6 images on two or three channels, and now and then a video or a PDF on the first. */
function makeAssets(parentCode: string, channels: readonly string[], assetFormats: readonly string[]): NewAsset[] {
  const images = faker.number.int({ min: 1, max: 6 })
  const shown = channels.slice(0, faker.number.int({ min: 2, max: 3 }))
  const hasVideo = faker.datatype.boolean(0.2)
  const hasPdf = faker.datatype.boolean(0.15)
  const first = channels.slice(0, 1)
  const wanted = [
    ...shown.flatMap((channel) => Array.from({ length: images }, (_, i) => ['image', 'jpg', channel, i + 1] as const)),
    ...(hasVideo ? first.map((channel) => ['video', 'mp4', channel, 1] as const) : []),
    ...(hasPdf ? first.map((channel) => ['pdf', 'pdf', channel, 1] as const) : []),
  ]
  return wanted
    .filter(([assetFormat]) => assetFormats.includes(assetFormat))
    .map(([assetFormat, ending, channel, n]) => ({
      assetId: `${parentCode}-${assetFormat}-${n}`,
      channel,
      parentCode,
      assetFormat,
      url: `https://assets.example.com/${assetFormat}/${parentCode.toLowerCase()}-${n}.${ending}`,
    }))
}
