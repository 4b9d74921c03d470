import { type Product, pageProducts } from '../src/catalogue/products/list-products.ts'
import { type ResultOf, storeArgs } from './builder/arguments.ts'
import { builder } from './builder/builder.ts'
import { connectionCost, keysetConnection } from './builder/connection.ts'
import { anyText } from './builder/validation.ts'
import { ProductStatus } from './enumerations.ts'
import { StoreRef } from './store.ts'

export const ProductRef = builder.objectRef<Product>('Product').implement({
  description: 'A product of a store (spec: Product).',
  fields: (t) => ({
    productCode: t.exposeString('productCode', { description: 'SKU code, unique in its store, case-sensitive.' }),
    status: t.expose('status', { type: ProductStatus, description: 'Status of the product.' }),
    attributes: t.expose('attributes', {
      type: 'AttributeMap',
      description: 'Attributes of the product: a map from name to value. All values are strings.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time of the last change of the status or of an attribute.',
    }),
  }),
})

const ProductFilterInput = builder.inputType('ProductFilter', {
  description: 'Filter for products. All given conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: [ProductStatus], description: 'Products with one of these statuses.' }),
    codePrefix: t.string({ description: 'Products whose code begins with this string, case-sensitive.' }),
    codes: t.stringList({ ...anyText, description: 'Products with one of these codes: at most 10,000.' }),
    search: t.string({ description: 'Products whose code contains this string, case-insensitive.' }),
  }),
})

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
    complexity: ({ limit }) => ({ field: 1, multiplier: Math.min(limit ?? largestPage, largestPage) }),
    description:
      'Lists a page of the products of one store by offset (REST extension: GET /products). For a large store `Store.products` is faster, because it pages by cursor. Errors: `store_not_found`.',
    args: {
      ...storeArgs,
      filter: t.arg({ type: ProductFilterInput, description: 'Filter. Default: all products.' }),
      offset: t.arg.int({
        defaultValue: 0,
        description: 'Number of products to skip: 0 or more. Past the end the page is empty.',
        validate: { min: 0 },
      }),
      limit: t.arg.int({
        defaultValue: largestPage,
        description: 'Page size in products: 1 or more; values above 100 are clamped to 100.',
        validate: { min: 1 },
      }),
    },
    resolve: (_root, { storeUuid, filter, offset, limit }, { catalogue }) =>
      pageProducts(catalogue, storeUuid, filter ?? {}, {
        offset: offset ?? 0,
        limit: Math.min(limit ?? largestPage, largestPage),
      }),
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

builder.objectFields(StoreRef, (t) => ({
  product: t.field({
    type: ProductRef,
    nullable: true,
    description: 'Product with this code; null when the store has none.',
    args: { productCode: t.arg.string({ required: true, ...anyText, description: 'SKU code, case-sensitive.' }) },
    resolve: async (store, { productCode }, { loaders }) =>
      loaders.product.load({ storeUuid: store.storeUuid, productCode }),
  }),
  products: t.connection(
    {
      type: ProductRef,
      complexity: connectionCost,
      description: 'Products of the store, ordered by code (by code point).',
      args: { filter: t.arg({ type: ProductFilterInput, description: 'Filter. Default: all products.' }) },
      resolve: async (store, { filter, ...args }, { loaders }) => ({
        ...(await keysetConnection(
          args,
          (product: Product) => product.productCode,
          async (page) => (await loaders.products([filter ?? {}, page]).load(store.storeUuid)) ?? [],
        )),
        totalCount: async () => (await loaders.productCount(filter ?? {}).load(store.storeUuid)) ?? 0,
      }),
    },
    {
      description: 'A page of products.',
      fields: (c) => ({
        totalCount: c.int({
          description: 'Number of products that match, on all pages. Counted only when selected.',
          resolve: (connection) => connection.totalCount(),
        }),
      }),
    },
    { description: 'A product and its cursor.' },
  ),
  productCounts: t.field({
    type: [ProductStatusCount],
    description: 'Number of products of the store by status. Statuses without a product are omitted.',
    resolve: async (store, _args, { loaders }) => (await loaders.productCounts.load(store.storeUuid)) ?? [],
  }),
}))
