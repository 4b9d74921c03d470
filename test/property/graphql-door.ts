import type { TestGateway } from '../support/gateway.ts'
import type { Failure } from './model-assets.ts'
import type { Patch } from './model-products.ts'
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
const documents: Record<Exclude<Operation['kind'], 'queryProducts'>, string> = {
  createStore: `mutation ($input: CreateStoreInput!, $linked: ID, $copyTaxonomy: Boolean) {
    createStore(input: $input, linkedStoreId: $linked, copyTaxonomy: $copyTaxonomy) { storeUuid storeGroup } }`,
  defineAttributes: `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!) {
    defineAttributes(storeUuid: $store, definitions: $definitions) { name type allowedValues maxLength pattern } }`,
  updateProducts: `mutation ($store: ID!, $patches: [ProductPatch!]!) {
    updateProducts(storeUuid: $store, products: $patches) { storeUuid updatedSkus unavailableSkus ${failedProducts} } }`,
  upsertProducts: `mutation ($store: ID!, $patches: [ProductPatch!]!) {
    upsertProducts(storeUuid: $store, products: $patches) { storeUuid createdSkus updatedSkus ${failedProducts} } }`,
  addAssets: `mutation ($store: ID!, $assets: [NewAsset!]!) {
    addAssets(storeUuid: $store, assets: $assets) { added linked assetIds ${failureFields} } }`,
  deleteAssets: `mutation ($selectors: [AssetSelector!]!) {
    deleteAssets(selectors: $selectors) { deletedCount ${failureFields} } }`,
  unlinkAssets: `mutation ($selectors: [AssetUnlink!]!) { unlinkAssets(links: $selectors) { unlinked ${failureFields} } }`,
  listAssets: `query ($store: ID!, $channel: String, $assetFormat: String, $offset: Int, $limit: Int) {
    assetGroups(storeUuid: $store, channel: $channel, assetFormat: $assetFormat, offset: $offset, limit: $limit) {
      totalGroups returnedGroups groups { ${group} } } }`,
}

function graphqlRequest(operation: Exclude<Operation, { kind: 'queryProducts' }>): [string, Record<string, unknown>] {
  const document = documents[operation.kind]
  const { door: _door, kind: _kind, ...variables } = operation
  if (operation.kind === 'listAssets') return [document, { store: operation.store, ...operation.listing }]
  if ('patches' in operation) return [document, { ...variables, patches: operation.patches.map(graphqlPatch) }]
  if ('definitions' in operation) {
    const definitions = operation.definitions.map((given) => ({ ...given, type: given.type.toUpperCase() }))
    return [document, { ...variables, definitions }]
  }
  return [document, variables]
}

function graphqlPatch({ productCode, status, attributes }: Patch) {
  return { productCode, status: status ?? null, attributes: Object.fromEntries(attributes) }
}

function graphqlAnswer(operation: Operation, answer: unknown): object {
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
  const filter = { ...query, ...(query.status && { status: query.status.map(enumValue) }) }
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
