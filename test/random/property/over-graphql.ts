import type { Item } from '../../support/clients/client.ts'
import { documentOf } from '../../support/clients/operations.ts'
import type { TestGateway } from '../../support/servers/gateway.ts'
import type { Failure } from './model-assets.ts'
import type { Patch, ProductQuery } from './model-products.ts'
import type { Operation } from './operations.ts'
import { text } from './ordered-json.ts'

type Of<K extends Operation['kind']> = Extract<Operation, { kind: K }>

/** Does an operation, store names resolved, at /graphql and answers in the model's words. */
export async function perform(gateway: TestGateway, operation: Operation): Promise<object> {
  if (operation.kind === 'queryProducts') return walkProducts(gateway, operation)
  const [field, args] = fieldOf(operation)
  const { data, errors } = await gateway.graphql(documentOf(field, args, `{ ${selections[field]} }`), args)
  if (errors) return { error: errors[0]?.extensions.code }
  return graphqlAnswer(operation, data?.result)
}

const failureFields = 'failed errorInfo { reason details index storeUuid channel parentCode assetId }'
const failedProducts = 'failedProducts { productCode failures { attribute reason } }'
const group = 'parentCode channel assetType storeUuid assets { assetId urlField url }'
const selections = {
  createStore: 'storeUuid storeGroup',
  defineAttributes: 'name type allowedValues maxLength pattern filterable searchable',
  updateProducts: `storeUuid updatedSkus unavailableSkus ${failedProducts}`,
  upsertProducts: `storeUuid createdSkus updatedSkus ${failedProducts}`,
  createProducts: `storeUuid createdSkus existingSkus ${failedProducts}`,
  deleteProducts: 'storeUuid deletedSkus unavailableSkus',
  addAssets: `added linked assetIds ${failureFields}`,
  deleteAssets: `deletedCount ${failureFields}`,
  unlinkAssets: `unlinked ${failureFields}`,
  placeAssets: `created updated ${failureFields}`,
  reorderAssets: group,
  moveAsset: group,
  productPage: `storeUuid totalProducts returnedProducts
    products { productCode status attributes assetGroups { channel assets { assetId urlField url } } }`,
  assetGroups: `totalGroups returnedGroups groups { ${group} }`,
}

/** The field of an operation, and its arguments. */
function fieldOf(operation: Exclude<Operation, { kind: 'queryProducts' }>): [keyof typeof selections, Item] {
  const { kind, dryRun } = operation
  const own = { dryRun, ...('store' in operation && { storeUuid: operation.store }) }
  switch (kind) {
    case 'createStore': {
      const { input, linked: linkedStoreId, copyTaxonomy } = operation
      return [kind, { dryRun, input, linkedStoreId, copyTaxonomy }]
    }
    case 'defineAttributes': {
      const definitions = operation.definitions.map((given) => ({ ...given, type: given.type.toUpperCase() }))
      return [kind, { ...own, definitions }]
    }
    case 'updateProducts':
    case 'upsertProducts':
      return [kind, { ...own, products: operation.patches.map(graphqlPatch) }]
    case 'createProducts':
      return [kind, { ...own, channel: operation.channel, products: operation.patches.map(graphqlPatch) }]
    case 'deleteProducts':
      return [kind, { ...own, productCodes: operation.codes }]
    case 'addAssets':
      return [kind, { ...own, assets: operation.assets }]
    case 'deleteAssets':
      return [kind, { dryRun, selectors: operation.selectors }]
    case 'unlinkAssets':
      return [kind, { dryRun, links: operation.selectors }]
    case 'placeAssets': {
      const groups = operation.placements.map((given) => ({ ...given, assets: Object.fromEntries(given.assets) }))
      return [kind, { ...own, channel: operation.channel, groups }]
    }
    case 'orderAssets': {
      const { assetIds, position, ...place } = operation.order
      if (position === undefined) return ['reorderAssets', { ...own, ...place, assetIds }]
      return ['moveAsset', { ...own, ...place, assetId: assetIds[0], position }]
    }
    case 'pageProducts': {
      const { offset, limit } = operation.page
      return ['productPage', { storeUuid: operation.store, filter: filterOf(operation.query), offset, limit }]
    }
    case 'listAssets':
      return ['assetGroups', { storeUuid: operation.store, ...operation.listing }]
  }
}

function filterOf(query: ProductQuery) {
  return { ...query, ...(query.status && { status: query.status.map(enumValue) }) }
}

function graphqlPatch({ productCode, status, attributes }: Patch) {
  return { productCode, status: status ?? null, attributes: Object.fromEntries(attributes) }
}

function graphqlAnswer(operation: Operation, answer: unknown): object {
  if (operation.kind === 'pageProducts') {
    const page = answer as { products: { status: string; assetGroups: { channel: string; assets: unknown[] }[] }[] }
    const products = page.products.map(({ assetGroups, ...product }) => {
      const byChannel = Map.groupBy(assetGroups, (given) => given.channel)
      const assets = Array.from(byChannel, ([channel, groups]) => ({
        channel,
        assets: groups.flatMap((given) => given.assets),
      }))
      return { ...product, status: product.status.toLowerCase().replace('_', ' '), assets }
    })
    return { ...page, products }
  }
  if (operation.kind === 'defineAttributes') {
    const definitions = answer as { type: string }[]
    return definitions.map((definition) => ({ ...definition, type: definition.type.toLowerCase() }))
  }
  const { errorInfo, failedProducts, ...rest } = answer as {
    errorInfo?: Record<string, unknown>[]
    failedProducts?: { productCode: string; failures: { attribute: string; reason: string }[] }[]
  }
  return {
    ...rest,
    ...(errorInfo && { failures: errorInfo.map(failureOf) }),
    ...(failedProducts && {
      failedProducts: failedProducts.map(({ productCode, failures }) => ({
        productCode,
        attributes: [...new Set(failures.map(({ attribute, reason }) => text(reason) && attribute))].sort(),
      })),
    }),
  }
}

export interface ProductNode {
  productCode: string
  status: string
  attributes: Record<string, string>
  createdAt: string
  updatedAt: string
  assetGroups: unknown[]
}

export interface ProductPage {
  nodes: ProductNode[]
  hasNextPage: boolean
  hasPreviousPage: boolean
}

const productsDocument = `query ($store: ID!, $filter: ProductFilter, $first: Int, $after: String, $last: Int, $before: String,
    $channel: String, $assetFormat: String) {
  store(storeUuid: $store) { products(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    edges { cursor node { productCode status attributes createdAt updatedAt
      assetGroups(channel: $channel, assetFormat: $assetFormat) { ${group} } } } } } }`

/** All pages of the query, one after the other, in the order in which they were read. */
async function walkProducts(gateway: TestGateway, { store, query, size, backwards, groups }: Of<'queryProducts'>) {
  const filter = filterOf(query)
  const pages: ProductPage[] = []
  let totalCount: number | undefined
  for (let cursor: string | null = null; pages.length <= 100; ) {
    const place = backwards ? { last: size, before: cursor } : { first: size, after: cursor }
    const data = await gateway.data(productsDocument, { store, filter, ...groups, ...place })
    const connection = (data.store as unknown as { products: Connection } | null)?.products
    if (!connection) return { totalCount: 0, pages: [] }
    const { edges, pageInfo } = connection
    const { startCursor, endCursor, ...more } = pageInfo
    if (startCursor !== (edges.at(0)?.cursor ?? null) || endCursor !== (edges.at(-1)?.cursor ?? null)) {
      throw new Error(`pageInfo has other cursors than the edges: ${JSON.stringify(connection)}`)
    }
    totalCount ??= connection.totalCount
    pages.push({ nodes: edges.map((edge) => edge.node), ...more })
    cursor = backwards ? startCursor : endCursor
    if (!(backwards ? more.hasPreviousPage : more.hasNextPage)) break
  }
  return { totalCount, pages }
}

interface Connection {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  edges: { cursor: string; node: ProductNode }[]
}

export function enumValue(word: string): string {
  return word.toUpperCase().replace(' ', '_')
}

/** A failure as the model has it: what is null or for people is left out. */
export function failureOf({ details, ...failure }: Record<string, unknown>): Partial<Failure> {
  if (typeof details !== 'string' || details === '') throw new Error('a failure has no details')
  return Object.fromEntries(Object.entries(failure).filter(([, given]) => given !== null))
}
