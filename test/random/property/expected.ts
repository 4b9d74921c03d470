import { type Catalogue, type ModelProduct, type ModelStore, storeOf } from './model.ts'
import { addAssets, deleteAssets, listAssets, unlinkAssets } from './model-assets.ts'
import { createProducts, deleteProducts, pageProducts, type Stored } from './model-beyond.ts'
import { orderAssets, placeAssets } from './model-order.ts'
import {
  createStore,
  defineAttributes,
  productNode,
  queryProducts,
  updateProducts,
  upsertProducts,
} from './model-products.ts'
import type { GroupFilter, Operation } from './operations.ts'
import type { ProductNode, ProductPage } from './over-graphql.ts'
import { enumValue } from './over-graphql.ts'

/**
 * Does the operation to the model and says what the gateway must answer. `answer` and `stored`, the gateway's assets
 * afterwards, lend what only the gateway can know. A preview leaves no trace.
 */
export function expected(world: Catalogue, operation: Operation, answer: object, stored: Stored): object {
  const catalogue = operation.dryRun ? structuredClone(world) : world
  switch (operation.kind) {
    case 'createStore':
      return createStore(catalogue, operation.input, operation, answer)
    case 'defineAttributes':
      return defineAttributes(catalogue, operation.store, operation.definitions)
    case 'updateProducts':
      return updateProducts(catalogue, operation.store, operation.patches)
    case 'upsertProducts':
      return upsertProducts(catalogue, operation.store, operation.patches)
    case 'addAssets':
      return addAssets(catalogue, operation.store, operation.assets, (answer as { assetIds?: string[] }).assetIds ?? [])
    case 'deleteAssets':
      return deleteAssets(catalogue, operation.selectors)
    case 'unlinkAssets':
      return unlinkAssets(catalogue, operation.selectors)
    case 'listAssets':
      return listAssets(catalogue, operation.store, {
        channel: 'SMP',
        assetFormat: 'image',
        offset: 0,
        limit: 50,
        ...operation.listing,
      })
    case 'createProducts':
      return createProducts(catalogue, operation, stored)
    case 'deleteProducts':
      return deleteProducts(catalogue, operation.store, operation.codes)
    case 'pageProducts':
      return pageProducts(catalogue, operation.store, operation.query, { offset: 0, limit: 100, ...operation.page })
    case 'placeAssets':
      return placeAssets(catalogue, operation, stored)
    case 'orderAssets':
      return orderAssets(catalogue, operation.store, operation.order)
    case 'queryProducts':
      return expectedPages(catalogue, operation, answer as { pages: ProductPage[] })
  }
}

/** An operation in which names of stores (`#0`, `#1^`) are replaced by their UUIDs. */
export function resolved(catalogue: Catalogue, operation: Operation): Operation {
  const uuidOf = (name: string) => {
    const [, n, upper] = /^#(\d)(\^?)$/.exec(name) ?? []
    const storeUuid = catalogue[Number(n) % catalogue.length]?.storeUuid ?? name
    return upper ? storeUuid.toUpperCase() : storeUuid
  }
  const withStore = (item: { storeUuid: string }) => ({ ...item, storeUuid: uuidOf(item.storeUuid) })
  if (operation.kind === 'createStore') {
    return operation.linked === undefined ? operation : { ...operation, linked: uuidOf(operation.linked) }
  }
  if ('selectors' in operation) return { ...operation, selectors: operation.selectors.map(withStore) }
  return { ...operation, store: uuidOf(operation.store) }
}

type ProductQuery = Extract<Operation, { kind: 'queryProducts' }>

function expectedPages(catalogue: Catalogue, operation: ProductQuery, answer: { pages: ProductPage[] }) {
  const { store: storeText, query, size, backwards, groups } = operation
  const store = storeOf(catalogue, storeText)
  if (!store) return { totalCount: 0, pages: [] }
  const found = queryProducts(store, query)
  const seen = new Map(answer.pages.flatMap((page) => page.nodes.map((node) => [node.productCode, node])))
  const nodes = found.map(([productCode]) => expectedNode(store, productCode, groups, seen.get(productCode)))
  const count = Math.max(1, Math.ceil(nodes.length / size))
  const pages = Array.from({ length: count }, (_, i) => {
    const end = nodes.length - i * size
    return {
      nodes: backwards ? nodes.slice(Math.max(0, end - size), end) : nodes.slice(i * size, (i + 1) * size),
      hasNextPage: backwards ? i > 0 : i < count - 1,
      hasPreviousPage: backwards ? i < count - 1 : i > 0,
    }
  })
  return { totalCount: nodes.length, pages }
}

/** `updatedAt` is the gateway's to say, but stays what it was while nothing changes; so does `createdAt`. */
function expectedNode(store: ModelStore, productCode: string, groups: GroupFilter, seen: ProductNode | undefined) {
  const { channel, assetFormat: assetType } = groups
  const node = productNode(store, productCode, {
    ...(channel !== undefined && { channel }),
    ...(assetType !== undefined && { assetType }),
  })
  const product: Partial<ModelProduct> = store.products.get(productCode) ?? {}
  product.createdAt ??= seen?.createdAt
  product.updatedAt ??= seen?.updatedAt
  return { ...node, status: enumValue(node.status), createdAt: product.createdAt, updatedAt: product.updatedAt }
}
