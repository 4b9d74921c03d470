import { pageProducts } from '../../src/catalogue/products/lists/page-products.ts'
import {
  countProductsOfStores,
  isKeyAmongStores,
  keyAmongStores,
  listProductsOfStores,
  requireOrderAmongStores,
} from '../../src/catalogue/products/lists/products-of-stores.ts'
import { nameOfOrder } from '../../src/catalogue/products/query/order.ts'
import { requireGoodFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { isCostlyToCount } from '../../src/catalogue/products/query/source.ts'
import { storesToRead } from '../../src/catalogue/stores/list-stores.ts'
import { withCore } from '../../src/request/context.ts'
import type { ProductColumns } from '../../src/request/csv/csv-options.ts'
import { offsetArgs, pageOf, type ResultOf, storeArgs, storeCount, storesArg } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, maxPageSize, statementCost } from '../builder/lists.ts'
import { ProductRef } from './product.ts'
import { ProductFilterInput } from './product-filter.ts'
import { listArgs, ProductConnectionRef, productConnection, productScanCost } from './product-lists.ts'

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
    numbers: t.exposeStringList('numbers', {
      description: 'Attributes that are defined as NUMBER, by code point.',
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
      const read = () => pageProducts(catalogue, storeUuid, given, { offset, limit })
      return withCore(read, isCostlyToCount(given) || offset > maxSkipped)
    },
  }),
)

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
          read: (page) => withCore(() => listProductsOfStores(catalogue, stores, given, page, order)),
          count: () => withCore(() => countProductsOfStores(catalogue, stores, given)),
        })
      },
    },
    ProductConnectionRef,
  ),
)
