import { type CreatedProducts, createProducts } from '../src/catalog/create-products.ts'
import { type DeletedProducts, deleteProducts } from '../src/catalog/delete-products.ts'
import type { FailedProduct } from '../src/catalog/product-patches.ts'
import { type UpdatedProducts, type UpsertedProducts, updateProducts, upsertProducts } from '../src/catalog/products.ts'
import { write, writeAtOnce } from '../src/catalog/write.ts'
import { builder } from './builder.ts'
import { dryRunArg, items, storable } from './validation.ts'

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

const CreateProductsResult = builder.objectRef<CreatedProducts>('CreateProductsResult').implement({
  description: 'What became of the products to create: each code of the request is in exactly one of the three lists.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'The store written to.' }),
    createdSkus: t.exposeStringList('createdSkus', { description: 'Codes of products that were created.' }),
    existingSkus: t.exposeStringList('existingSkus', {
      description: 'Codes of products that were there; they are left as they were.',
    }),
    failedProducts: t.field({
      type: [FailedProductRef],
      description: 'Products that were refused, with every bad attribute.',
      resolve: (result) => result.failedProducts,
    }),
  }),
})

const DeleteProductsResult = builder.objectRef<DeletedProducts>('DeleteProductsResult').implement({
  description: 'What became of the products to delete: each code of the request is in one of the two lists.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'The store.' }),
    deletedSkus: t.exposeStringList('deletedSkus', { description: 'Codes of products that were deleted.' }),
    unavailableSkus: t.exposeStringList('unavailableSkus', { description: 'Codes that the store does not have.' }),
  }),
})

builder.mutationFields((t) => ({
  deleteProducts: t.field({
    type: DeleteProductsResult,
    description:
      'Deletes products. The asset groups of their codes stay: a parent code need not be a product. Errors: `store_not_found`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      productCodes: t.arg.stringList({ required: true, description: 'The codes; at most 10,000.', validate: items }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { storeUuid, productCodes, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) => deleteProducts(transaction, storeUuid, productCodes)),
  }),
  createProducts: t.field({
    type: CreateProductsResult,
    description:
      'The POST /products operation: creates products; one that exists is left as it is, and of a code that comes twice the first entry counts. Attributes named like URL fields (`Image URL 1`) become assets of the product, in the order of their numbers. Errors: `invalid_request`, `store_not_found`.',
    args: {
      ...patchArgs,
      channel: t.arg.string({
        defaultValue: 'SMP',
        description: 'The channel to link the assets on.',
        validate: storable,
      }),
    },
    resolve: (_root, { storeUuid, channel, products, dryRun }, { db, enumerations }) =>
      write(db, dryRun ?? false, (transaction) =>
        createProducts(transaction, enumerations, { storeUuid, channel: channel ?? 'SMP' }, products),
      ),
  }),
  updateProducts: t.field({
    type: UpdateProductsResult,
    description:
      'The PUT /products operation: existing products only, failures per product and attribute. Errors: `store_not_found`.',
    args: patchArgs,
    resolve: (_root, { storeUuid, products, dryRun }, { db }) =>
      writeAtOnce(db, dryRun ?? false, (view) => updateProducts(view, storeUuid, products)),
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
