import { addAssets, addProducts, define, newStore } from '../../support/factories.ts'
import type { TestGateway } from '../../support/servers/gateway.ts'

export interface Fixture {
  stores: readonly string[]
  codes: readonly string[]
  assetIds: readonly string[]
}

const codes = [...Array.from({ length: 12 }, (_, i) => `SKU-${i}`), '__proto__', 'constructor', '1002', '9', 'ÄÖ 😀']

/** Two linked stores with products, definitions of every type, and assets. */
export async function fill(gateway: TestGateway): Promise<Fixture> {
  const first = await newStore(gateway)
  await define(gateway, first, definitions)
  const second = await newStore(gateway, {}, `?linked_store_id=${first}&copy_taxonomy=true`)
  const products = codes.map((productCode) => ({ productCode, attributes: { Color: 'Red' } }))
  const links = codes.flatMap((parentCode, i): [string, string][] => [
    [`asset-${i}`, parentCode],
    [`shared-${i % 3}`, parentCode],
  ])
  for (const storeUuid of [first, second]) {
    await addProducts(gateway, storeUuid, products)
    await addAssets(gateway, storeUuid, links)
  }
  return { stores: [first, second], codes, assetIds: [...new Set(links.map(([assetId]) => assetId))] }
}

/** Examples of the OpenAPI document with the store, the products and the assets of the fixture in them. */
export function ofFixture<Examples>(examples: Examples, { stores, assetIds, codes }: Fixture): Examples {
  const text = JSON.stringify(examples)
    .replaceAll('019aa000-0000-7000-8000-000000000001', stores[0] ?? '')
    .replaceAll(/019aa000-[\w-]+/g, assetIds[1] ?? '')
    .replaceAll('1003', codes[0] ?? '')
  return JSON.parse(text) as Examples
}

const definitions = [
  { name: 'Size', type: 'NUMBER' },
  { name: 'Sold', type: 'BOOLEAN' },
  { name: 'Since', type: 'DATE' },
  { name: 'Page', type: 'URL' },
  { name: 'Fit', type: 'ENUM', allowedValues: ['slim', 'wide'] },
  { name: 'Code', type: 'TEXT', maxLength: 5, pattern: '[a-z]+' },
]
