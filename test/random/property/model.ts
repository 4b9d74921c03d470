import type { Definition } from './model-attributes.ts'

/*
 * The catalogue as decisions.md describes it, in memory, plain and slow: what the gateway must answer. It shares no
 * code with the gateway. Every operation answers with `{ error: reason }` or with data, without the texts for people.
 */

/** The stores in the order of their creation. */
export type Catalogue = ModelStore[]

export interface ModelStore {
  storeUuid: string
  storeGroup: string
  storeName: string
  storeTaxonomy: string
  region: string[]
  channels: string[]
  defaultAutomation: string[]
  storeWebsite: string | null
  definitions: Map<string, Definition>
  products: Map<string, ModelProduct>
  assets: Map<string, { assetFormat: string; url: string }>
  /** In the order in which they were made. */
  links: { parentCode: string; channel: string; assetId: string }[]
}

export interface ModelProduct {
  status: string
  attributes: Map<string, string>
  createdAt?: string | undefined
  /** What it was when it was last seen, if nothing has changed since. */
  updatedAt?: string | undefined
}

export interface ModelGroup {
  parentCode: string
  channel: string
  assetType: string
  storeUuid: string
  assets: { assetId: string; urlField: string; url: string }[]
}

export const formats = ['image', 'video', 'pdf', '3D', 'text']
export const channels = ['SMP', ...Array.from({ length: 37 }, (_, i) => `channel_value_${i + 1}`)]
export const statuses = ['active', 'new', 'problem', 'inactive', 'draft', 'under review']
export const urlWords = new Map([
  ['image', 'Image URL'],
  ['video', 'Video URL'],
  ['pdf', 'PDF URL'],
  ['3D', '3D URL'],
  ['text', 'Text URL'],
])

export const storeNotFound = { error: 'store_not_found' }
export const invalidRequest = { error: 'invalid_request' }

/** The store that a text names in whatever case. */
export function storeOf(catalogue: Catalogue, storeText: string): ModelStore | undefined {
  return catalogue.find((store) => store.storeUuid === storeText.toLowerCase())
}

/** The groups of a store in the order of parent code, channel and format. */
export function groupsOf(store: ModelStore): ModelGroup[] {
  const groups = new Map<string, ModelGroup>()
  for (const { parentCode, channel, assetId } of store.links) {
    const asset = store.assets.get(assetId)
    if (!asset) continue
    const name = JSON.stringify([parentCode, channel, asset.assetFormat])
    const empty = { parentCode, channel, assetType: asset.assetFormat, storeUuid: store.storeUuid, assets: [] }
    const group = groups.get(name) ?? empty
    groups.set(name, group)
    const urlField = `${urlWords.get(asset.assetFormat)} ${group.assets.length + 1}`
    group.assets.push({ assetId, urlField, url: asset.url })
  }
  return [...groups.values()].sort(
    (a, b) =>
      byCodePoint(a.parentCode, b.parentCode) ||
      byCodePoint(a.channel, b.channel) ||
      byCodePoint(a.assetType, b.assetType),
  )
}

export function linkedStoresOf(catalogue: Catalogue, store: ModelStore): ModelStore[] {
  return catalogue.filter((other) => other.storeGroup === store.storeGroup && other !== store)
}

export function productsOf(store: ModelStore): [code: string, product: ModelProduct][] {
  return [...store.products].sort(([a], [b]) => byCodePoint(a, b))
}

export function definitionsOf(store: ModelStore): Definition[] {
  return [...store.definitions.values()].sort((a, b) => byCodePoint(a.name, b.name))
}

export function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)]
  const at = left.findIndex((character, i) => character !== right[i])
  if (at < 0) return left.length - right.length
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1)
}

/** Whether a text has so many characters, counted as code points. */
export function hasLength(text: string, min: number, max: number): boolean {
  const length = Array.from(text).length
  return length >= min && length <= max
}

/** Whether PostgreSQL can hold every text in the value unchanged. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isStorable)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isUuid(text: string): boolean {
  return uuid.test(text)
}
