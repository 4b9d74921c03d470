import { isBare } from '../../src/catalogue/conditions.ts'
import type { Product } from '../../src/catalogue/products/find-products.ts'
import { pageProducts } from '../../src/catalogue/products/lists/page-products.ts'
import {
  countProductsOfStores,
  isKeyAmongStores,
  keyAmongStores,
  listProductsOfStores,
  requireOrderAmongStores,
} from '../../src/catalogue/products/lists/products-of-stores.ts'
import { requireGoodFilter } from '../../src/catalogue/products/query/product-filter.ts'
import {
  cursorKey,
  isCursorKey,
  nameOfOrder,
  requireGoodOrder,
} from '../../src/catalogue/products/query/product-order.ts'
import { storesToRead } from '../../src/catalogue/rows/rows-of-stores.ts'
import { costly } from '../../src/request/context.ts'
import type { ProductColumns } from '../../src/request/csv/csv-options.ts'
import { offsetArgs, pageOf, perStore, type ResultOf, storeArgs, storeCount, storesArg } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, maxPageSize, statementCost } from '../builder/connection.ts'
import { ProductStatus } from '../enumerations.ts'
import { StoreRef } from '../stores/store.ts'
import { ProductRef } from './product.ts'
import { ProductConnectionRef, productConnection } from './product-connection.ts'
import { ProductFilterInput, ProductOrderInput, productScanCost } from './product-filter.ts'

/** To skip more products takes a core for long. */
const maxSkipped = 1_000

const GroupColumns = builder.objectRef<ProductColumns['groups'][number]>('GroupColumns').implement({
  description: 'URL fields of the asset groups of a store on one channel and of one format.',
  fields: (t) => ({
    channel: t.exposeString('channel', { description: 'Channel of the groups.' }),
    urlFields: t.exposeStringList('urlFields', {
      description: 'URL fields in order, such as `Image URL 1`: those that the largest group has, or had.',
    }),
  }),
})

const ProductColumnsRef = builder.objectRef<ProductColumns>('ProductColumns').implement({
  description: 'What a table of all products of a store has columns for.',
  fields: (t) => ({
    attributes: t.exposeStringList('attributes', {
      description:
        'Attributes that products of the store have, or had, and those that are defined, by code point: at most 2,001.',
    }),
    groups: t.expose('groups', {
      type: [GroupColumns],
      complexity: { field: 1, multiplier: 10 },
      description: 'URL fields by channel and format.',
    }),
  }),
})

const ProductPageRef = builder.objectRef<ResultOf<typeof pageProducts>>('ProductPage').implement({
  description: 'A page of products, ordered by code (by code point).',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
    totalProducts: t.exposeInt('totalProducts', { description: 'Exact number of products that match, on all pages.' }),
    returnedProducts: t.int({
      description: 'Number of products on this page.',
      resolve: (page) => page.products.length,
    }),
    products: t.expose('products', {
      type: [ProductRef],
      complexity: { field: 0, multiplier: 1 },
      description: 'Products of this page.',
    }),
    columns: t.field({
      type: ProductColumnsRef,
      complexity: statementCost,
      description: 'Columns for a table of all products of the store: the same for each page and filter.',
      resolve: ({ storeUuid }, _args, { loaders }) => loaders.productColumns.load(storeUuid),
    }),
  }),
})

builder.queryField('productPage', (t) =>
  t.field({
    type: ProductPageRef,
    complexity: ({ filter, limit }) => ({
      field: 1 + productScanCost({ filter }),
      multiplier: pageOf({ limit }, maxPageSize).limit,
    }),
    description:
      'Lists a page of the products of one store by offset (REST extension: GET /products). For a large store `Store.products` is faster, because it pages by cursor. Errors: `store_not_found`.',
    args: {
      ...storeArgs,
      filter: t.arg({ type: ProductFilterInput, description: 'Filter. Default: all products.' }),
      ...offsetArgs('products', maxPageSize),
    },
    resolve: (_root, { storeUuid, filter, ...page }, { catalogue, enumerations }) => {
      const given = requireGoodFilter(filter, enumerations)
      const { offset, limit } = pageOf(page, maxPageSize)
      const isCostly = !isBare(given) || offset > maxSkipped
      return costly(() => pageProducts(catalogue, storeUuid, given, { offset, limit }), isCostly)
    },
  }),
)

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
