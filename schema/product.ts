import type { Product } from '../src/catalog/list-products.ts'
import type { FailedProduct } from '../src/catalog/product-patches.ts'
import { type UpdatedProducts, type UpsertedProducts, updateProducts, upsertProducts } from '../src/catalog/products.ts'
import { write } from '../src/database/write.ts'
import { builder } from './builder.ts'
import { keysetConnection } from './connection.ts'
import { ProductStatus } from './enumerations.ts'
import { StoreRef } from './store.ts'
import { dryRunArg, items, storable } from './validation.ts'

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

const ProductPatch = builder.inputType('ProductPatch', {
  description:
    "What to write of a product. `status` is a string so that a bad one is that product's failure, not the whole request's.",
  fields: (t) => ({
    productCode: t.string({ required: true, description: 'The SKU code: 1 to 255 characters; case matters.' }),
    status: t.string({
      description: 'As over REST: `active`, `new`, `problem`, `inactive`, `draft` or `under review`.',
    }),
    attributes: t.field({
      type: 'AttributeMap',
      description: 'Attributes to merge into the product: others stay. Values are strings of up to 65,535 characters.',
    }),
  }),
})

const AttributeFailureRef = builder.objectRef<FailedProduct['failures'][number]>('AttributeFailure').implement({
  description: 'Why an attribute of a product was refused.',
  fields: (t) => ({
    attribute: t.exposeString('attribute', { description: "The attribute's name." }),
    reason: t.exposeString('reason', { description: 'What was expected and what came.' }),
  }),
})

const FailedProductRef = builder.objectRef<FailedProduct>('FailedProduct').implement({
  description: 'A product that was not written at all, because of the attributes named.',
  fields: (t) => ({
    productCode: t.exposeString('productCode', { description: 'The SKU code.' }),
    failures: t.field({
      type: [AttributeFailureRef],
      description: 'Every attribute that was refused.',
      resolve: (product) => product.failures,
    }),
  }),
})

const UpdateProductsResult = builder.objectRef<UpdatedProducts>('UpdateProductsResult').implement({
  description:
    'What became of an update: each code of the request is in exactly one of the three lists, in the order of the request.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'The store updated.' }),
    updatedSkus: t.exposeStringList('updatedSkus', { description: 'Codes that were updated.' }),
    unavailableSkus: t.exposeStringList('unavailableSkus', { description: 'Codes that the store does not have.' }),
    failedProducts: t.field({
      type: [FailedProductRef],
      description: 'Products that were refused, with every bad attribute.',
      resolve: (result) => result.failedProducts,
    }),
  }),
})

const UpsertProductsResult = builder.objectRef<UpsertedProducts>('UpsertProductsResult').implement({
  description: 'What became of an upsert: each code of the request is in exactly one of the three lists.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'The store written to.' }),
    createdSkus: t.exposeStringList('createdSkus', { description: 'Codes of products that were created.' }),
    updatedSkus: t.exposeStringList('updatedSkus', { description: 'Codes of products that existed, changed or not.' }),
    failedProducts: t.field({
      type: [FailedProductRef],
      description: 'Products that were refused, with every bad attribute.',
      resolve: (result) => result.failedProducts,
    }),
  }),
})

const patchArgs = builder.args((t) => ({
  storeUuid: t.id({ required: true, description: 'The store.', validate: storable }),
  products: t.field({
    type: [ProductPatch],
    required: true,
    description:
      'At most 10,000. A code that comes twice is applied in order, or not at all if one of its entries is bad.',
    validate: items,
  }),
  dryRun: t.boolean(dryRunArg),
}))

builder.mutationFields((t) => ({
  updateProducts: t.field({
    type: UpdateProductsResult,
    description:
      'The PUT /products operation: existing products only, failures per product and attribute. Errors: `store_not_found`.',
    args: patchArgs,
    resolve: (_root, { storeUuid, products, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) => updateProducts(transaction, storeUuid, products)),
  }),
  upsertProducts: t.field({
    type: UpsertProductsResult,
    description:
      'Creates or merges products: how a catalogue gets in. New products are `NEW` unless a status is given. Errors: `store_not_found`.',
    args: patchArgs,
    resolve: (_root, { storeUuid, products, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) => upsertProducts(transaction, storeUuid, products)),
  }),
}))
