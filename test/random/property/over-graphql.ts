import type { TestGateway } from '../../support/servers/gateway.ts'
import type { Failure } from './model-assets.ts'
import type { Patch, ProductQuery } from './model-products.ts'
import type { Operation } from './operations.ts'
import { text } from './ordered-json.ts'

type Of<K extends Operation['kind']> = Extract<Operation, { kind: K }>

/** Does an operation, store names resolved, at /graphql and answers in the model's words. */
export async function perform(gateway: TestGateway, operation: Operation): Promise<object> {
  if (operation.kind === 'queryProducts') return walkProducts(gateway, operation)
  const [document, variables] = graphqlRequest(operation)
  const { data, errors } = await gateway.graphql(document, variables)
  if (errors) return { error: errors[0]?.extensions.code }
  return graphqlAnswer(operation, Object.values(data ?? {})[0])
}

const failureFields = 'failed errorInfo { reason details index storeUuid channel parentCode assetId }'
const failedProducts = 'failedProducts { productCode failures { attribute reason } }'
const group = 'parentCode channel assetType storeUuid assets { assetId urlField url }'
const orderVariables = '$dryRun: Boolean, $store: ID!, $channel: String, $parentCode: String!, $assetFormat: String'
const orderArguments =
  'dryRun: $dryRun, storeUuid: $store, channel: $channel, parentCode: $parentCode, assetFormat: $assetFormat'
const documents = {
  createStore: `mutation ($dryRun: Boolean, $input: CreateStoreInput!, $linked: ID, $copyTaxonomy: Boolean) {
    createStore(dryRun: $dryRun, input: $input, linkedStoreId: $linked, copyTaxonomy: $copyTaxonomy) { storeUuid storeGroup } }`,
  defineAttributes: `mutation ($dryRun: Boolean, $store: ID!, $definitions: [AttributeDefinitionInput!]!) {
    defineAttributes(dryRun: $dryRun, storeUuid: $store, definitions: $definitions) { name type allowedValues maxLength pattern filterable searchable } }`,
  updateProducts: `mutation ($dryRun: Boolean, $store: ID!, $patches: [ProductPatch!]!) {
    updateProducts(dryRun: $dryRun, storeUuid: $store, products: $patches) { storeUuid updatedSkus unavailableSkus ${failedProducts} } }`,
  upsertProducts: `mutation ($dryRun: Boolean, $store: ID!, $patches: [ProductPatch!]!) {
    upsertProducts(dryRun: $dryRun, storeUuid: $store, products: $patches) { storeUuid createdSkus updatedSkus ${failedProducts} } }`,
  addAssets: `mutation ($dryRun: Boolean, $store: ID!, $assets: [NewAsset!]!) {
    addAssets(dryRun: $dryRun, storeUuid: $store, assets: $assets) { added linked assetIds ${failureFields} } }`,
  deleteAssets: `mutation ($dryRun: Boolean, $selectors: [AssetSelector!]!) {
    deleteAssets(dryRun: $dryRun, selectors: $selectors) { deletedCount ${failureFields} } }`,
  unlinkAssets: `mutation ($dryRun: Boolean, $selectors: [AssetUnlink!]!) { unlinkAssets(dryRun: $dryRun, links: $selectors) { unlinked ${failureFields} } }`,
  createProducts: `mutation ($dryRun: Boolean, $store: ID!, $channel: String, $patches: [ProductPatch!]!) {
    createProducts(dryRun: $dryRun, storeUuid: $store, channel: $channel, products: $patches) {
      storeUuid createdSkus existingSkus ${failedProducts} } }`,
  deleteProducts: `mutation ($dryRun: Boolean, $store: ID!, $codes: [String!]!) {
    deleteProducts(dryRun: $dryRun, storeUuid: $store, productCodes: $codes) { storeUuid deletedSkus unavailableSkus } }`,
  placeAssets: `mutation ($dryRun: Boolean, $store: ID!, $channel: String, $placements: [AssetPlacement!]!) {
    placeAssets(dryRun: $dryRun, storeUuid: $store, channel: $channel, groups: $placements) {
      created updated ${failureFields} } }`,
  reorderAssets: `mutation (${orderVariables}, $assetIds: [String!]!) {
    reorderAssets(${orderArguments}, assetIds: $assetIds) { ${group} } }`,
  moveAsset: `mutation (${orderVariables}, $assetId: String!, $position: Int!) {
    moveAsset(${orderArguments}, assetId: $assetId, position: $position) { ${group} } }`,
  pageProducts: `query ($store: ID!, $filter: ProductFilter, $offset: Int, $limit: Int) {
    productPage(storeUuid: $store, filter: $filter, offset: $offset, limit: $limit) {
      storeUuid totalProducts returnedProducts
      products { productCode status attributes assetGroups { channel assets { assetId urlField url } } } } }`,
  listAssets: `query ($store: ID!, $channel: String, $assetFormat: String, $offset: Int, $limit: Int) {
    assetGroups(storeUuid: $store, channel: $channel, assetFormat: $assetFormat, offset: $offset, limit: $limit) {
      totalGroups returnedGroups groups { ${group} } } }`,
}

function graphqlRequest(operation: Exclude<Operation, { kind: 'queryProducts' }>): [string, Record<string, unknown>] {
  const { api: _door, kind, ...variables } = operation
  switch (operation.kind) {
    case 'listAssets':
      return [documents.listAssets, { store: operation.store, ...operation.listing }]
    case 'pageProducts':
      return [documents.pageProducts, { ...variables, filter: filterOf(operation.query), ...operation.page }]
    case 'updateProducts':
    case 'upsertProducts':
    case 'createProducts':
      return [documents[operation.kind], { ...variables, patches: operation.patches.map(graphqlPatch) }]
    case 'placeAssets': {
      const placements = operation.placements.map((given) => ({ ...given, assets: Object.fromEntries(given.assets) }))
      return [documents.placeAssets, { ...variables, placements }]
    }
    case 'orderAssets': {
      const { order } = operation
      const document = order.position === undefined ? documents.reorderAssets : documents.moveAsset
      return [document, { ...variables, ...order, assetId: order.assetIds[0] }]
    }
    case 'defineAttributes': {
      const definitions = operation.definitions.map((given) => ({ ...given, type: given.type.toUpperCase() }))
      return [documents.defineAttributes, { ...variables, definitions }]
    }
    default:
      return [documents[kind as keyof typeof documents], variables]
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
