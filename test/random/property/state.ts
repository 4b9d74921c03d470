import { sql } from 'kysely'
import type { TestGateway } from '../../support/servers/gateway.ts'
import {
  byCodePoint,
  type Catalogue,
  definitionsOf,
  groupsOf,
  linkedStoresOf,
  type ModelStore,
  productsOf,
} from './model.ts'
import { enumValue } from './over-graphql.ts'

const channels = ['SMP', 'channel_value_1', 'channel_value_37']
const formats = ['image', 'pdf', '3D']
/** Every place of a group that the generators can fill. */
const places = channels.flatMap((channel, c) => formats.map((format, f) => ({ alias: `at${c}${f}`, channel, format })))

/** No run makes so many stores as these; for more of them the document would cost too much. */
const document = `{ stores(first: 30) { totalCount edges { node {
  storeUuid storeGroup storeName storeTaxonomy region channels defaultAutomation storeWebsite
  linkedStores { storeUuid }
  attributeDefinitions { name type allowedValues maxLength pattern filterable searchable }
  productCounts { status count }
  products(first: 100) { totalCount edges { node {
    productCode status attributes assetGroups { parentCode channel assetType storeUuid assets { assetId url urlField } }
  } } }
  ${places
    .map(
      ({ alias, channel, format }) => `${alias}: assetGroups(channel: "${channel}", assetFormat: "${format}") {
        totalGroups groups { parentCode product { productCode } assets { assetId url position } } }`,
    )
    .join('\n')}
} } } }`

interface Node {
  storeUuid: string
  productCounts: { status: string; count: number }[]
  products: { totalCount: number; edges: { node: { productCode: string } }[] }
}

/** Everything that a caller can see, and the assets that no link shows. */
export async function visibleState(gateway: TestGateway) {
  const { stores } = (await gateway.data(document)) as unknown as {
    stores: { totalCount: number; edges: { node: Node }[] }
  }
  const assets = await storedAssets(gateway)
  return {
    totalCount: stores.totalCount,
    stores: stores.edges.map(({ node }) => ({
      ...node,
      productCounts: Object.fromEntries(node.productCounts.map(({ status, count }) => [status, count])),
      products: { ...node.products, edges: node.products.edges.map((edge) => edge.node) },
      assets: assets
        .filter((asset) => asset.storeUuid === node.storeUuid)
        .map(({ assetId, assetFormat, url }) => ({ assetId, assetFormat, url })),
    })),
  }
}

export async function storedAssets({ database }: TestGateway) {
  const { rows } = await sql<Record<'storeUuid' | 'assetId' | 'assetFormat' | 'url', string>>`
    select store_uuid as "storeUuid", asset_id as "assetId", asset_format as "assetFormat", url
    from asset order by store_uuid, asset_id`.execute(database.db)
  return rows
}

export function modelState(catalogue: Catalogue) {
  return { totalCount: catalogue.length, stores: catalogue.map((store) => storeState(catalogue, store)) }
}

function storeState(catalogue: Catalogue, store: ModelStore) {
  const { definitions: _definitions, links: _links, ...plain } = store
  const groups = groupsOf(store)
  const products = productsOf(store).map(([productCode, product]) => ({
    productCode,
    status: enumValue(product.status),
    attributes: Object.fromEntries(product.attributes),
    assetGroups: groups.filter((group) => group.parentCode === productCode),
  }))
  const count = (status: string) => products.filter((product) => product.status === status).length
  return {
    ...plain,
    linkedStores: linkedStoresOf(catalogue, store).map(({ storeUuid }) => ({ storeUuid })),
    attributeDefinitions: definitionsOf(store).map((given) => ({ ...given, type: enumValue(given.type) })),
    productCounts: Object.fromEntries(products.map(({ status }) => [status, count(status)])),
    products: { totalCount: products.length, edges: products },
    ...Object.fromEntries(places.map(({ alias, channel, format }) => [alias, pageState(store, channel, format)])),
    assets: [...store.assets]
      .map(([assetId, { assetFormat, url }]) => ({ assetId, assetFormat, url }))
      .sort((a, b) => byCodePoint(a.assetId, b.assetId)),
  }
}

function pageState(store: ModelStore, channel: string, format: string) {
  const groups = groupsOf(store).filter((group) => group.channel === channel && group.assetType === format)
  return {
    totalGroups: groups.length,
    groups: groups.map(({ parentCode, assets }) => ({
      parentCode,
      product: store.products.has(parentCode) ? { productCode: parentCode } : null,
      assets: assets.map(({ assetId, url }, i) => ({ assetId, url, position: i + 1 })),
    })),
  }
}
