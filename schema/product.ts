import { type Product, type ProductPage, pageProducts } from '../src/catalog/list-products.ts'
import { builder } from './builder.ts'
import { connectionCost, keysetConnection } from './connection.ts'
import { ProductStatus } from './enumerations.ts'
import { StoreRef } from './store.ts'
import { items, storable } from './validation.ts'

export const ProductRef = builder.objectRef<Product>('Product').implement({
  description: 'A product of a store (spec: Product).',
  fields: (t) => ({
    productCode: t.exposeString('productCode', { description: 'The SKU code, unique in its store; case matters.' }),
    status: t.expose('status', { type: ProductStatus, description: 'Where the product stands.' }),
    attributes: t.expose('attributes', {
      type: 'AttributeMap',
      description: 'The free attributes: name to value, all strings.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the product was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its status or an attribute last changed.',
    }),
  }),
})

const ProductFilterInput = builder.inputType('ProductFilter', {
  description: 'Which products: every condition given must hold.',
  fields: (t) => ({
    status: t.field({ type: [ProductStatus], description: 'Any of these statuses.' }),
    codePrefix: t.string({ description: 'Codes that begin with this; case matters.', validate: storable }),
    codes: t.stringList({ description: 'Any of these codes; at most 10,000.', validate: items }),
    search: t.string({ description: 'Part of the product code, in any case.', validate: storable }),
  }),
})

const largestPage = 100

const ProductPageRef = builder.objectRef<ProductPage>('ProductPage').implement({
  description: 'A page of products in the order of their codes, by code point.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'The store of the products.' }),
    totalProducts: t.exposeInt('totalProducts', { description: 'How many products match, exactly.' }),
    returnedProducts: t.int({
      description: 'How many products this page has.',
      resolve: (page) => page.products.length,
    }),
    products: t.field({
      type: [ProductRef],
      complexity: { field: 0, multiplier: 1 },
      description: 'The products.',
      resolve: (page) => page.products,
    }),
  }),
})

builder.queryField('productPage', (t) =>
  t.field({
    type: ProductPageRef,
    complexity: ({ limit }) => ({ field: 1, multiplier: Math.min(limit ?? largestPage, largestPage) }),
    description: 'The GET /products operation: a page of the products of one store. Errors: `store_not_found`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      filter: t.arg({ type: ProductFilterInput, description: 'Which products; all when left out.' }),
      offset: t.arg.int({
        defaultValue: 0,
        description: 'How many products to pass over: 0 or more.',
        validate: { min: 0 },
      }),
      limit: t.arg.int({
        defaultValue: largestPage,
        description: 'How many products to return: 1 or more; above 100 it counts as 100.',
        validate: { min: 1 },
      }),
    },
    resolve: (_root, { storeUuid, filter, offset, limit }, { db }) =>
      pageProducts(db, storeUuid, filter ?? {}, {
        offset: offset ?? 0,
        limit: Math.min(limit ?? largestPage, largestPage),
      }),
  }),
)

const ProductStatusCount = builder
  .objectRef<{ status: Product['status']; count: number }>('ProductStatusCount')
  .implement({
    description: 'How many products have a status.',
    fields: (t) => ({
      status: t.expose('status', { type: ProductStatus, description: 'The status.' }),
      count: t.exposeInt('count', { description: 'How many products have it: 1 or more.' }),
    }),
  })

builder.objectFields(StoreRef, (t) => ({
  product: t.field({
    type: ProductRef,
    nullable: true,
    description: 'The product of this code; null when the store has none.',
    args: { productCode: t.arg.string({ required: true, description: 'The SKU code.' }) },
    resolve: async (store, { productCode }, { loaders }) =>
      loaders.product.load({ storeUuid: store.storeUuid, productCode }),
  }),
  products: t.connection(
    {
      type: ProductRef,
      complexity: connectionCost,
      description: 'The products of the store in the order of their codes, by code point.',
      args: { filter: t.arg({ type: ProductFilterInput, description: 'Which products; all when left out.' }) },
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
          description: 'How many products match, on all pages. Counted when asked for.',
          resolve: (connection) => connection.totalCount(),
        }),
      }),
    },
    { description: 'A product and its cursor.' },
  ),
  productCounts: t.field({
    type: [ProductStatusCount],
    description: 'How many products of the store have each status; a status that none has is left out.',
    resolve: async (store, _args, { loaders }) => (await loaders.productCounts.load(store.storeUuid)) ?? [],
  }),
}))
