import {
  byCodePoint,
  type Catalogue,
  channels,
  invalidRequest,
  isStorable,
  isUuid,
  type ModelStore,
  storeNotFound,
  storeOf,
  urlWords,
} from './model.ts'
import { isUrl } from './model-assets.ts'
import { failedProducts, type Patch, type ProductQuery, productNode, queryProducts } from './model-products.ts'

/* What goes beyond the specification: products that come with their assets, and the order within a group. */

/** Assets as the gateway has stored them: they lend the ids that only it can know. */
export type Stored = { storeUuid: string; assetId: string; assetFormat: string; url: string }[]

export function createProducts(
  catalogue: Catalogue,
  { store: storeText, channel, patches }: { store: string; channel: string; patches: readonly Patch[] },
  stored: Stored,
) {
  if (!isStorable([storeText, channel]) || !channels.includes(channel)) return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const isBadUrl = (name: string, value: unknown) => (parsed(name) ? !isUrl(value) : undefined)
  const failed = failedProducts(store, patches, codes, isBadUrl)
  const good = codes.filter((code) => !failed.some(({ productCode }) => productCode === code))
  const existing = good.filter((code) => store.products.has(code))
  const assets = [...store.assets]
  for (const code of good.filter((code) => !existing.includes(code))) {
    const first = patches.find((patch) => patch.productCode === code)
    const given = (first?.attributes ?? []).map(([name, value]) => ({
      name,
      value: String(value),
      field: parsed(name),
    }))
    store.products.set(code, {
      status: first?.status ?? 'new',
      attributes: new Map(given.filter(({ field }) => !field).map(({ name, value }) => [name, value])),
    })
    const urls = given.flatMap(({ field, value }) => (field ? [{ ...field, url: value }] : []))
    for (const { assetFormat, url } of urls.sort((a, b) => a.position - b.position)) {
      const assetId = idOf(store, assets, { assetFormat, url }, stored)
      const link = { parentCode: code, channel, assetId }
      if (!store.links.some((other) => JSON.stringify(other) === JSON.stringify(link))) store.links.push(link)
    }
  }
  return {
    storeUuid: store.storeUuid,
    createdSkus: good.filter((code) => !existing.includes(code)),
    existingSkus: existing,
    failedProducts: failed,
  }
}

export function deleteProducts(catalogue: Catalogue, storeText: string, codes: readonly string[]) {
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const unique = [...new Set(codes)]
  const deletedSkus = unique.filter((code) => store.products.has(code))
  for (const code of deletedSkus) store.products.delete(code)
  return {
    storeUuid: store.storeUuid,
    deletedSkus,
    unavailableSkus: unique.filter((code) => !deletedSkus.includes(code)),
  }
}

export function pageProducts(
  catalogue: Catalogue,
  storeText: string,
  query: ProductQuery,
  { offset, limit }: { offset: number; limit: number },
) {
  if (offset < 0 || limit < 1) return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const found = queryProducts(store, query)
  const products = found.slice(offset, offset + Math.min(limit, 100)).map(([code]) => productNode(store, code))
  return {
    storeUuid: store.storeUuid,
    totalProducts: found.length,
    returnedProducts: products.length,
    products: products.map(({ assetGroups, ...product }) => ({
      ...product,
      assets: Array.from(
        Map.groupBy(assetGroups, (group) => group.channel),
        ([channel, groups]) => ({ channel, assets: groups.flatMap((group) => group.assets) }),
      ),
    })),
  }
}

type UrlOfFormat = { assetFormat: string; url: string }

/** The store's asset of the URL and format: the first before the request, else the request's own, else a new one. */
export function idOf(store: ModelStore, before: [string, UrlOfFormat][], asset: UrlOfFormat, stored: Stored): string {
  const is = (other: UrlOfFormat) => other.url === asset.url && other.assetFormat === asset.assetFormat
  const sorted = [...before].sort(([a], [b]) => byCodePoint(a, b))
  const known = [...sorted, ...store.assets].find(([, other]) => is(other))
  if (known) return known[0]
  const made = stored.find(
    (other) => other.storeUuid === store.storeUuid && is(other) && !store.assets.has(other.assetId),
  )
  const assetId = made && isUuid(made.assetId) ? made.assetId : `a new ${asset.assetFormat} of ${asset.url}`
  store.assets.set(assetId, asset)
  return assetId
}

export function parsed(field: string): { assetFormat: string; position: number } | undefined {
  const [, word = '', number = ''] = /^(.+) URL ([1-9][0-9]*)$/.exec(field) ?? []
  const assetFormat = [...urlWords].find(([, name]) => name === `${word} URL`)?.[0]
  return assetFormat === undefined ? undefined : { assetFormat, position: Number(number) }
}
