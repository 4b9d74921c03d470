import type { TestGateway } from '../support/gateway.ts'

/** A small catalogue that fuzzed requests are about. */
export interface World {
  stores: readonly string[]
  codes: readonly string[]
  assetIds: readonly string[]
}

const codes = [...Array.from({ length: 12 }, (_, i) => `SKU-${i}`), '__proto__', 'constructor', '1002', '9', 'ÄÖ 😀']

/** Two linked stores with products, definitions of every type, and assets. */
export async function fill(gateway: TestGateway): Promise<World> {
  const first = await createStore(gateway, undefined)
  await gateway.data(
    `mutation ($s: ID!, $d: [AttributeDefinitionInput!]!) { defineAttributes(storeUuid: $s, definitions: $d) { name } }`,
    { s: first, d: definitions },
  )
  const second = await createStore(gateway, first)
  const assetIds: string[] = []
  for (const storeUuid of [first, second]) {
    await gateway.data(
      `mutation ($s: ID!, $p: [ProductPatch!]!) { upsertProducts(storeUuid: $s, products: $p) { createdSkus } }`,
      { s: storeUuid, p: codes.map((productCode) => ({ productCode, attributes: { Color: 'Red' } })) },
    )
    const assets = codes.flatMap((parentCode, i) => [
      { assetId: `asset-${i}`, parentCode, url: `https://example.com/${i}.jpg` },
      { assetId: `shared-${i % 3}`, parentCode, url: `https://example.com/shared-${i % 3}.jpg` },
    ])
    const { addAssets } = (await gateway.data(
      `mutation ($s: ID!, $a: [NewAsset!]!) { addAssets(storeUuid: $s, assets: $a) { assetIds } }`,
      { s: storeUuid, a: assets },
    )) as unknown as { addAssets: { assetIds: string[] } }
    assetIds.push(...addAssets.assetIds)
  }
  return { stores: [first, second], codes, assetIds: [...new Set(assetIds)] }
}

const definitions = [
  { name: 'Size', type: 'NUMBER' },
  { name: 'Sold', type: 'BOOLEAN' },
  { name: 'Since', type: 'DATE' },
  { name: 'Page', type: 'URL' },
  { name: 'Fit', type: 'ENUM', allowedValues: ['slim', 'wide'] },
  { name: 'Code', type: 'TEXT', maxLength: 5, pattern: '[a-z]+' },
]

async function createStore(gateway: TestGateway, linkedStoreId: string | undefined): Promise<string> {
  const { createStore } = (await gateway.data(
    `mutation ($linked: ID) { createStore(linkedStoreId: $linked, copyTaxonomy: ${linkedStoreId !== undefined}, input: {
      storeName: "Fuzzed", storeTaxonomy: "catalog", region: [], channels: ["SMP"], defaultAutomation: [] }) { storeUuid } }`,
    { linked: linkedStoreId },
  )) as unknown as { createStore: { storeUuid: string } }
  return createStore.storeUuid
}
