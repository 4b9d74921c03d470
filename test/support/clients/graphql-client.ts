import { expect } from 'vitest'
import type { GraphQLReply, TestGateway } from '../servers/gateway.ts'
import { type Client, type Entry, type Item, type Outcome, refused, withData } from './client.ts'

/** A client of GraphQL: takes and answers the words of REST, turned into camelCase and back. */
export function graphqlClient(gateway: TestGateway): Client {
  const run = async (document: string, variables: Item) => graphqlOutcome(await gateway.graphql(document, variables))
  return {
    createStore: (input, { copy_taxonomy: copyTaxonomy, linked_store_id: linkedStoreId } = {}) =>
      run(documents.createStore, { input: camel(input), copyTaxonomy, linkedStoreId }),
    listAssets: async (query) => withData(await run(documents.listAssets, camel(query) as Item), groupsOf),
    updateProducts: async (storeUuid, body) => {
      const products = (body as Item[]).map(patchOf)
      return withData(await run(documents.updateProducts, { storeUuid, products }), failedProductsOf)
    },
    deleteAssets: async (selectors) =>
      withData(await run(documents.deleteAssets, { selectors: camel(selectors) }), failuresOf),
    unlinkAssets: async (links) => withData(await run(documents.unlinkAssets, { links: camel(links) }), failuresOf),
  }
}

/** Reads an answer whose one field is called `result`: its data, or the reason and faults of its errors. */
export function graphqlOutcome({ data, errors }: GraphQLReply): Outcome {
  if (!errors) return { data: snake((data as unknown as { result: unknown }).result) }
  const entries = errors.flatMap(
    ({ message, extensions }) => extensions.errorInfo ?? [{ reason: extensions.code, details: message }],
  )
  const outcome = refused(entries.map((entry) => inWordsOfRest(entry as unknown as Entry)))
  for (const { extensions } of errors) expect(extensions.code).toBe(outcome.reason)
  return outcome
}

function inWordsOfRest(entry: Entry): Entry {
  return entry.field === undefined ? entry : { ...entry, field: snakeCase(entry.field) }
}

const errorInfo = 'errorInfo { reason details index storeUuid channel parentCode assetId }'

const documents = {
  createStore: `mutation ($input: CreateStoreInput!, $copyTaxonomy: Boolean, $linkedStoreId: ID) {
    result: createStore(input: $input, copyTaxonomy: $copyTaxonomy, linkedStoreId: $linkedStoreId) { storeUuid storeGroup }
  }`,
  listAssets: `query ($storeUuid: ID!, $channel: String, $assetFormat: String, $offset: Int, $limit: Int) {
    result: assetGroups(storeUuid: $storeUuid, channel: $channel, assetFormat: $assetFormat, offset: $offset, limit: $limit) {
      totalGroups returnedGroups
      groups { parentCode channel assetType storeUuid assets { assetId urlField url position } }
    }
  }`,
  updateProducts: `mutation ($storeUuid: ID!, $products: [ProductPatch!]!) {
    result: updateProducts(storeUuid: $storeUuid, products: $products) {
      storeUuid updatedSkus unavailableSkus failedProducts { productCode failures { attribute reason } }
    }
  }`,
  deleteAssets: `mutation ($selectors: [AssetSelector!]!) {
    result: deleteAssets(selectors: $selectors) { deletedCount failed ${errorInfo} }
  }`,
  unlinkAssets: `mutation ($links: [AssetUnlink!]!) {
    result: unlinkAssets(links: $links) { unlinked failed ${errorInfo} }
  }`,
}

function patchOf({ product_code: productCode, status, ...attributes }: Item): Item {
  return typeof status === 'string'
    ? { productCode, status, attributes }
    : { productCode, attributes: { ...attributes, ...(status !== undefined && { status }) } }
}

interface GroupAnswer extends Item {
  assets: { asset_id: string; url_field: string; url: string; position: number }[]
}

/** Groups as REST has them; that positions count from 1 without gaps is checked on the way. */
function groupsOf({ groups, ...counts }: { groups: GroupAnswer[] }) {
  for (const { assets } of groups) expect(assets.map(({ position }) => position)).toEqual(assets.map((_, i) => i + 1))
  return {
    ...counts,
    groups: groups.map((group) => ({
      ...group,
      assets: group.assets.map(({ asset_id, url_field, url }) => ({ asset_id, [url_field]: url })),
    })),
  }
}

interface FailedProduct {
  product_code: string
  failures: { attribute: string; reason: string }[]
}

function failedProductsOf(data: { failed_products: FailedProduct[] }) {
  const failed = data.failed_products.map(({ product_code, failures }) => [
    product_code,
    failures.map(({ attribute, reason }) => [attribute, reason]),
  ])
  return { ...data, failed_products: failed }
}

/** The failures without what is null: REST leaves it out. */
function failuresOf(data: { failed: number; error_info: Item[] }) {
  expect(data.error_info).toHaveLength(data.failed)
  const given = (failure: Item) => Object.fromEntries(Object.entries(failure).filter(([, value]) => value !== null))
  return { ...data, error_info: data.error_info.map(given) }
}

const camel = (value: unknown) => renamed(value, (key) => key.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()))

const snake = (value: unknown) => renamed(value, snakeCase)

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function renamed(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), renamed(item, rename)]))
}
