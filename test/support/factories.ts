import { randomUUID } from 'node:crypto'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { createStore } from '../../src/catalogue/stores/stores.ts'
import { write } from '../../src/catalogue/transaction.ts'
import type { Item } from './clients/client.ts'
import type { TestGateway } from './servers/gateway.ts'

/** The body of POST /v1/stores for a store of a name of its own. */
export function storeBody(overrides: Item = {}): Item {
  return {
    store_name: `a store ${randomUUID()}`,
    store_taxonomy: 'catalog',
    region: ['Europe'],
    channels: ['SMP'],
    default_automation: [],
    ...overrides,
  }
}

export async function newStore(gateway: TestGateway, overrides: Item = {}, query = ''): Promise<string> {
  const { status, text, json } = await gateway.call(`/v1/stores${query}`, {
    method: 'POST',
    body: storeBody(overrides),
  })
  if (status !== 200) throw new Error(`no store was made: ${text}`)
  return (json as { data: { store_uuid: string } }).data.store_uuid
}

/** Creates a store without the API and returns its UUID. */
export async function storeIn(catalogue: Catalogue, linkedStoreId?: string): Promise<string> {
  const input = { storeName: 'S', storeTaxonomy: 'catalog', region: [], channels: ['SMP'], defaultAutomation: [] }
  const link = { linkedStoreId, copyTaxonomy: false }
  return (await write(catalogue, false, (work) => createStore(work, fallbackEnumerations, input, link))).storeUuid
}

export function unknownStore(): string {
  return randomUUID()
}

/** A product to have in a store: its code, or the code with what else it has. */
export type NewProduct = string | { productCode: string; status?: string; attributes?: Item }

export async function storeWithProducts(gateway: TestGateway, products: readonly NewProduct[]): Promise<string> {
  const storeUuid = await newStore(gateway)
  await addProducts(gateway, storeUuid, products)
  return storeUuid
}

export async function addProducts(
  gateway: TestGateway,
  storeUuid: string,
  products: readonly NewProduct[],
): Promise<void> {
  const document = `mutation ($storeUuid: ID!, $products: [ProductPatch!]!) {
    result: upsertProducts(storeUuid: $storeUuid, products: $products) { failedProducts { productCode } }
  }`
  const patches = products.map((product) => (typeof product === 'string' ? { productCode: product } : product))
  const { result } = await query<{ failedProducts: unknown[] }>(gateway, document, { storeUuid, products: patches })
  if (result.failedProducts.length > 0) throw new Error(`not all products were made: ${JSON.stringify(result)}`)
}

/** An asset to link: `[assetId, parentCode]`, and what is not the default. */
export type NewLink = [
  assetId: string,
  parentCode: string,
  rest?: { channel?: string; assetFormat?: string; url?: string },
]

/** Creates a store with these assets, linked in this order, and returns its UUID. */
export async function storeWithAssets(gateway: TestGateway, links: readonly NewLink[]): Promise<string> {
  const storeUuid = await newStore(gateway)
  await addAssets(gateway, storeUuid, links)
  return storeUuid
}

export async function addAssets(gateway: TestGateway, storeUuid: string, links: readonly NewLink[]): Promise<void> {
  const document = `mutation ($storeUuid: ID!, $assets: [NewAsset!]!) {
    result: addAssets(storeUuid: $storeUuid, assets: $assets) { failed errorInfo { reason details index } }
  }`
  const assets = links.map(([assetId, parentCode, rest]) => ({ assetId, parentCode, url: urlOf(assetId), ...rest }))
  const { result } = await query<{ failed: number }>(gateway, document, { storeUuid, assets })
  if (result.failed > 0) throw new Error(`not all assets were made: ${JSON.stringify(result)}`)
}

/** The URL that the factories give an asset. */
export function urlOf(assetId: string): string {
  return `https://cdn.example/${encodeURIComponent(assetId.toWellFormed())}`
}

/** Defines attributes of a store; all of the definitions must be good. */
export async function define(gateway: TestGateway, storeUuid: string, definitions: readonly Item[]): Promise<void> {
  const document = `mutation ($storeUuid: ID!, $definitions: [AttributeDefinitionInput!]!) {
    result: defineAttributes(storeUuid: $storeUuid, definitions: $definitions) { name }
  }`
  await query(gateway, document, { storeUuid, definitions })
}

/** The product as GraphQL reads it, or null. */
export async function productOf(gateway: TestGateway, storeUuid: string, productCode: string) {
  const document = `query ($storeUuid: ID!, $productCode: String!) {
    result: store(storeUuid: $storeUuid) { product(productCode: $productCode) { status attributes updatedAt } }
  }`
  const { result } = await query<{ product: StoredProduct | null }>(gateway, document, { storeUuid, productCode })
  return result.product
}

export interface StoredProduct {
  status: string
  attributes: Record<string, string>
  updatedAt: string
}

/** Runs a document that must succeed, whose one field is called `result`. */
export async function query<Result>(gateway: TestGateway, document: string, variables: Item = {}) {
  return (await gateway.data(document, variables)) as unknown as { result: Result }
}
