import type { KeysetPage } from '../../src/catalogue/conditions.ts'
import type { ListedProduct, Product } from '../../src/catalogue/products/find-products.ts'
import type { ProductCount } from '../../src/catalogue/products/lists/count-products.ts'
import type { ProductList } from '../../src/catalogue/products/lists/list-products.ts'
import {
  countProductsOfStores,
  isKeyAmongStores,
  keyAmongStores,
  listProductsOfStores,
  requireOrderAmongStores,
} from '../../src/catalogue/products/lists/products-of-stores.ts'
import { cursorKey, isCursorKey, nameOfOrder, requireGoodOrder } from '../../src/catalogue/products/query/order.ts'
import { requireGoodFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { storesToRead } from '../../src/catalogue/stores/stores-to-read.ts'
import { lazy } from '../../src/lazy.ts'
import { costly } from '../../src/request/context.ts'
import { perStore, storeCount, storesArg } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, countedPage, keysetConnection, pageSizeOf, statementCost } from '../builder/connection.ts'
import { ProductStatus } from '../enumerations.ts'
import { StoreRef } from '../stores/store.ts'
import { ProductRef } from './product.ts'
import { ProductFilterInput, ProductOrderInput, productScanCost } from './product-filter.ts'

type ProductConnection = Awaited<ReturnType<typeof productConnection>>

const ProductConnectionRef = builder.connectionObject<typeof ProductRef, ProductConnection>(
  {
    type: ProductRef,
    name: 'StoreProductsConnection',
    description: 'A page of products.',
    fields: (t) => ({
      ...countedPage('products').fields(t),
      asOf: t.field({
        type: 'DateTime',
        description:
          'The list includes all changes until this time, and possibly later ones: a listed product may no longer match. Deleted products are left out, so a page may be shorter than `first`. The present time if the list is exact.',
        resolve: (connection) => connection.asOf(),
      }),
    }),
  },
  { name: 'StoreProductsConnectionEdge', description: 'A product and its cursor.' },
)

/** A connection over the products of lists, with the time of which they are. */
async function productConnection(
  args: Parameters<typeof keysetConnection>[0],
  {
    read,
    count,
    ...source
  }: Omit<Parameters<typeof keysetConnection<ListedProduct>>[1], 'read' | 'count'> & {
    read: (page: KeysetPage) => Promise<ProductList>
    count: () => Promise<ProductCount>
  },
) {
  let list: Promise<ProductList> | undefined
  const counted = lazy(count)
  const connection = await keysetConnection<ListedProduct>(args, {
    ...source,
    isShown,
    read: async (page) => {
      list = read(page)
      return (await list).rows
    },
    count: async () => (await counted()).count,
  })
  // `read` sets `list`, unless no rows are asked for. A number that is counted after the page is at least of its time.
  const asOf = async () => {
    const answers = await Promise.all([list, pageSizeOf(args) === 0 ? counted() : undefined])
    return new Date(Math.min(...answers.map((answer) => answer?.asOf.getTime() ?? Number.POSITIVE_INFINITY)))
  }
  return Object.assign(connection, { asOf })
}

const isShown = ({ isDeleted }: ListedProduct) => !isDeleted

const ProductStatusCount = builder
  .objectRef<{ status: Product['status']; count: number }>('ProductStatusCount')
  .implement({
    description: 'Number of products with one status.',
    fields: (t) => ({
      status: t.expose('status', { type: ProductStatus, description: 'Status.' }),
      count: t.exposeInt('count', { description: 'Number of products with this status: 1 or more.' }),
    }),
  })

const listArgs = builder.args((t) => ({
  filter: t.field({ type: ProductFilterInput, description: 'Filter. Default: all products.' }),
  orderBy: t.field({ type: ProductOrderInput, description: 'Order. Default: by code.' }),
}))

builder.objectFields(StoreRef, (t) => ({
  products: t.connection(
    {
      type: ProductRef,
      complexity: (args) => {
        const { field, multiplier } = perStore(connectionCost)(args)
        return { field: field + productScanCost(args), multiplier }
      },
      description:
        'Products of the store, by default ordered by code (by code point). Errors: `invalid_request` (one entry per fault of the filter or order).',
      args: listArgs,
      resolve: (store, { filter, orderBy, ...args }, { loaders, enumerations }) => {
        const [given, order] = [requireGoodFilter(filter, enumerations), requireGoodOrder(orderBy)]
        return productConnection(args, {
          name: `products ${nameOfOrder(order)}`,
          keyOf: ({ orderValue, productCode }) => cursorKey(order, orderValue, productCode),
          isKey: (key) => isCursorKey(order, key),
          read: (page) => loaders.products([given, page, order]).load(store.storeUuid),
          count: () => loaders.productCount(given).load(store.storeUuid),
        })
      },
    },
    ProductConnectionRef,
  ),
  productCounts: t.field({
    type: [ProductStatusCount],
    description: 'Number of products of the store by status. Statuses without a product are omitted.',
    resolve: ({ storeUuid }, _args, { loaders }) => loaders.productCounts.load(storeUuid),
  }),
}))

builder.queryField('products', (t) =>
  t.connection(
    {
      type: ProductRef,
      complexity: (args) => ({
        ...connectionCost(args),
        field: statementCost + (10 + productScanCost(args)) * storeCount(args),
      }),
      description: `Products of several stores, for instance one code in all stores, or the products that were changed last. The default order is by code, then by store. For one store use \`Store.products\`, which can also order by attributes. Errors: \`invalid_request\`, \`store_not_found\`.`,
      args: { ...listArgs, ...storesArg },
      resolve: async (_root, { filter, orderBy, storeUuids, ...args }, { catalogue, enumerations }) => {
        const [given, order] = [requireGoodFilter(filter, enumerations), requireOrderAmongStores(orderBy)]
        const stores = (await storesToRead(catalogue, storeUuids)).map(({ storeUuid }) => storeUuid)
        return productConnection(args, {
          name: `products of stores ${nameOfOrder(order)}`,
          keyOf: (product) => keyAmongStores(order, product),
          isKey: (key) => isKeyAmongStores(order, key),
          read: (page) => costly(() => listProductsOfStores(catalogue, stores, given, page, order)),
          count: () => costly(() => countProductsOfStores(catalogue, stores, given)),
        })
      },
    },
    ProductConnectionRef,
  ),
)
