import { randomUUID } from 'node:crypto'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { createStore } from '../../src/catalogue/stores/stores.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import type { Caller } from './clients/caller.ts'
import type { Item } from './clients/client.ts'
import { ask } from './clients/operations.ts'
import { callRest } from './clients/rest-client.ts'

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

export async function newStore(gateway: Caller, overrides: Item = {}, query = ''): Promise<string> {
  const { data, text } = await callRest(gateway, `POST /stores${query}`, storeBody(overrides))
  if (data.store_uuid === undefined) throw new Error(`no store was made: ${text}`)
  return String(data.store_uuid)
}

/** How many stores have the text in their names. */
export async function countStores(gateway: Caller, search: unknown): Promise<unknown> {
  return (await ask(gateway, 'stores', { filter: { search } }, '{ totalCount }')).totalCount
}

/** Creates a store without the API and returns its UUID. */
export async function storeIn(catalogue: Catalogue, linkedStoreId?: string): Promise<string> {
  const input = { storeName: 'S', storeTaxonomy: 'catalog', region: [], channels: ['SMP'], defaultAutomation: [] }
  const link = { linkedStoreId, copyTaxonomy: false }
  return (await inTransaction(catalogue, (work) => createStore(work, fallbackEnumerations, input, link))).storeUuid
}

export function unknownStore(): string {
  return randomUUID()
}

/** A product to have in a store: its code, or the code with what else it has. */
export type NewProduct = string | { productCode: string; status?: string; attributes?: Item }

export async function storeWithProducts(gateway: Caller, products: readonly NewProduct[]): Promise<string> {
  const storeUuid = await newStore(gateway)
  await addProducts(gateway, storeUuid, products)
  return storeUuid
}

export async function addProducts(gateway: Caller, storeUuid: string, added: readonly NewProduct[]): Promise<void> {
  const products = added.map((product) => (typeof product === 'string' ? { productCode: product } : product))
  const result = await ask<{ failedProducts: unknown[] }>(gateway, 'upsertProducts', { storeUuid, products })
  if (result.failedProducts.length > 0) throw new Error(`not all products were made: ${JSON.stringify(result)}`)
}

/** An asset to link: its id and parent code, as one text or with what is not the default. */
export type NewLink =
  | `${string} ${string}`
  | [assetId: string, parentCode: string, rest?: { channel?: string; assetFormat?: string; url?: string }]

/** Creates a store with these assets, linked in this order, and returns its UUID. */
export async function storeWithAssets(gateway: Caller, links: readonly NewLink[]): Promise<string> {
  const storeUuid = await newStore(gateway)
  await addAssets(gateway, storeUuid, links)
  return storeUuid
}

export async function addAssets(gateway: Caller, storeUuid: string, links: readonly NewLink[]): Promise<void> {
  const assets = links.map((link) => {
    const [assetId = '', parentCode, rest] = typeof link === 'string' ? link.split(' ') : link
    return { assetId, parentCode, url: urlOf(assetId), ...(typeof rest === 'object' && rest) }
  })
  const result = await ask(gateway, 'addAssets', { storeUuid, assets })
  if (result.failed !== 0) throw new Error(`not all assets were made: ${JSON.stringify(result)}`)
}

/** The URL that the factories give an asset. */
export function urlOf(assetId: string): string {
  return `https://cdn.example/${encodeURIComponent(assetId.toWellFormed())}`
}

/** Defines attributes of a store; all of the definitions must be good. */
export async function define(gateway: Caller, storeUuid: string, definitions: readonly Item[]): Promise<void> {
  await ask(gateway, 'defineAttributes', { storeUuid, definitions }, '{ name }')
}

/** The product as GraphQL reads it, or null. */
export async function productOf(gateway: Caller, storeUuid: string, productCode: string) {
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
export async function query<Result>(gateway: Caller, document: string, variables: Item = {}) {
  return (await gateway.data(document, variables)) as unknown as { result: Result }
}
