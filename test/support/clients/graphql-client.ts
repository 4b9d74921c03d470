import { expect } from 'vitest'
import type { GraphQLReply } from '../servers/gateway.ts'
import type { Caller } from './caller.ts'
import { type Client, type Entry, type Item, type Outcome, refused, withData } from './client.ts'
import { attempt } from './operations.ts'

export interface GraphQLClient extends Client {
  /** REST has no such operation. */
  addAssets(storeUuid: string, assets: readonly Item[]): Promise<Outcome>
}

/** A client of GraphQL: takes and answers the words of REST, turned into camelCase and back. */
export function graphqlClient(gateway: Caller): GraphQLClient {
  const failures = 'failed errorInfo { reason details index storeUuid channel parentCode assetId }'
  const products = 'storeUuid updatedSkus unavailableSkus failedProducts { productCode failures { attribute reason } }'
  const groups = 'groups { parentCode channel assetType storeUuid assets { assetId urlField url position } }'
  const run = (field: string, args: Item, selection: string) =>
    attempt(gateway, field, camel(args) as Item, `{ ${selection} }`)
  return {
    createStore: (input, query = {}) => run('createStore', { input, ...query }, 'storeUuid storeGroup'),
    listAssets: async (query) =>
      withData(await run('assetGroups', query, `totalGroups returnedGroups ${groups}`), groupsOf),
    updateProducts: async (storeUuid, body) => {
      const args = { storeUuid, products: (body as Item[]).map(patchOf) }
      return withData(await attempt(gateway, 'updateProducts', args, `{ ${products} }`), failedProductsOf)
    },
    addAssets: async (storeUuid, assets) =>
      withData(await run('addAssets', { storeUuid, assets }, `added linked assetIds ${failures}`), failuresOf),
    deleteAssets: async (selectors) =>
      withData(await run('deleteAssets', { selectors }, `deletedCount ${failures}`), failuresOf),
    unlinkAssets: async (links) => withData(await run('unlinkAssets', { links }, `unlinked ${failures}`), failuresOf),
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
