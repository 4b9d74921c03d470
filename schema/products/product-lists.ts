import { type ListedProduct, type Product, pageProducts } from '../../src/catalogue/products/list/list-products.ts'
import { requireGoodFilter } from '../../src/catalogue/products/list/product-filter.ts'
import { cursorKey, isCursorKey, requireGoodOrder } from '../../src/catalogue/products/list/product-order.ts'
import { offsetArgs, pageOf, perStore, type ResultOf, storeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, keysetConnection, totalCount } from '../builder/connection.ts'
import { ProductStatus } from '../enumerations.ts'
import { ProductRef } from '../product.ts'
import { StoreRef } from '../store.ts'
import { ProductFilterInput, ProductOrderInput, selectionCost } from './product-filter.ts'

const largestPage = 100

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
  }),
})

builder.queryField('productPage', (t) =>
  t.field({
    type: ProductPageRef,
    complexity: ({ filter, limit }) => ({
      field: 1 + selectionCost({ filter }),
      multiplier: Math.min(limit ?? largestPage, largestPage),
    }),
    description:
      'Lists a page of the products of one store by offset (REST extension: GET /products). For a large store `Store.products` is faster, because it pages by cursor. Errors: `store_not_found`.',
    args: {
      ...storeArgs,
      filter: t.arg({ type: ProductFilterInput, description: 'Filter. Default: all products.' }),
      ...offsetArgs('products', largestPage),
    },
    resolve: (_root, { storeUuid, filter, ...page }, { catalogue, enumerations }) => {
      const given = requireGoodFilter(filter, enumerations)
      return pageProducts(catalogue, storeUuid, given, pageOf(page, largestPage))
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

export const ProductConnection = builder.connectionObject(
  {
    type: ProductRef,
    name: 'StoreProductsConnection',
    description: 'A page of products.',
    fields: (c) => ({
      totalCount: c.int({
        ...totalCount('products'),
        resolve: (connection) => (connection as unknown as { totalCount(): Promise<number> }).totalCount(),
      }),
    }),
  },
  { name: 'StoreProductsConnectionEdge', description: 'A product and its cursor.' },
)

export const listArgs = builder.args((t) => ({
  filter: t.field({ type: ProductFilterInput, description: 'Filter. Default: all products.' }),
  orderBy: t.field({ type: ProductOrderInput, description: 'Order. Default: by code.' }),
}))

builder.objectFields(StoreRef, (t) => ({
  products: t.connection(
    {
      type: ProductRef,
      complexity: (args) => {
        const { field, multiplier } = perStore(connectionCost)(args)
        return { field: field + selectionCost(args), multiplier }
      },
      description:
        'Products of the store, by default ordered by code (by code point). Errors: `invalid_request` (one entry per fault of the filter or order).',
      args: listArgs,
      resolve: async (store, { filter, orderBy, ...args }, { loaders, enumerations }) => {
        const [given, order] = [requireGoodFilter(filter, enumerations), requireGoodOrder(orderBy)]
        return {
          ...(await keysetConnection(
            args,
            ({ orderValue, productCode }: ListedProduct) => cursorKey(order, orderValue, productCode),
            async (page) => (await loaders.products([given, page, order]).load(store.storeUuid)) ?? [],
            (key) => isCursorKey(order, key),
          )),
          totalCount: async () => (await loaders.productCount(given).load(store.storeUuid)) ?? 0,
        }
      },
    },
    ProductConnection,
  ),
  productCounts: t.field({
    type: [ProductStatusCount],
    description: 'Number of products of the store by status. Statuses without a product are omitted.',
    resolve: async (store, _args, { loaders }) => (await loaders.productCounts.load(store.storeUuid)) ?? [],
  }),
}))
