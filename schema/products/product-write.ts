import { defaultChannel } from '../../src/catalogue/enumerations.ts'
import { deleteProducts } from '../../src/catalogue/products/delete-products.ts'
import type { FailedProduct } from '../../src/catalogue/products/product-patches.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { createProducts, upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { partOfResult } from '../../src/graphql/access.ts'
import { type ResultOf, resolveStatement, resolveWrite, writeArgs } from '../builder/arguments.ts'
import { builder, type Fields } from '../builder/builder.ts'
import { catalogueText, optionalChannel, required, requiredLookup } from '../builder/options.ts'
import { failureFields } from '../error-info.ts'

const ProductPatch = builder.inputType('ProductPatch', {
  ...catalogueText,
  description:
    'Changes to one product. `status` is a string, not a `ProductStatus`, so that an invalid value is a failure of this product only.',
  fields: (t) => ({
    productCode: t.string(required('SKU code: 1 to 255 characters, case-sensitive.')),
    status: t.string({
      description:
        'Status: `active`, `new`, `problem`, `inactive`, `draft` or `under review`, or the name of a `ProductStatus`, in any case. Default: unchanged; `new` for a new product.',
    }),
    attributes: t.field({
      type: 'AttributeMap',
      description:
        'Attributes to set; other attributes of the product keep their values. Values are strings of at most 65,535 characters; all attributes of a product take at most 4 MiB of JSON.',
    }),
    removeAttributes: t.stringList({
      description:
        'Names of attributes to remove. Names that the product does not have are ignored. An attribute that is also set is a failure.',
    }),
  }),
})

const AttributeFailureRef = builder.objectRef<FailedProduct['failures'][number]>('AttributeFailure').implement({
  extensions: partOfResult,
  description: 'One invalid attribute of a product.',
  fields: (t) => ({
    attribute: t.exposeString('attribute', { description: 'Name of the attribute; `status`; or `productCode`.' }),
    reason: t.exposeString('reason', {
      description: 'Explanation: the expected value and the received one, at most 200 characters.',
    }),
  }),
})

const FailedProductRef = builder.objectRef<FailedProduct>('FailedProduct').implement({
  extensions: partOfResult,
  description: 'A product that was not written because at least one of its attributes is invalid.',
  fields: (t) => ({
    productCode: t.exposeString('productCode', { description: 'SKU code of the product.' }),
    failures: t.expose('failures', {
      type: [AttributeFailureRef],
      description: 'Every invalid attribute of the product.',
    }),
  }),
})

const commonFields = (t: Fields<{ storeUuid: string; failedProducts: FailedProduct[]; more: number }>) => ({
  storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
  failedProducts: t.expose('failedProducts', {
    type: [FailedProductRef],
    description:
      'Products that were not written, each with every invalid attribute: at most 10,000 failures and 4 MiB, the first one of each product before others.',
  }),
  more: t.exposeInt('more', { description: 'Number of failures that `failedProducts` leaves out.' }),
})

const UpdateProductsResult = builder.objectRef<ResultOf<typeof updateProducts>>('UpdateProductsResult').implement({
  description:
    'Result of `updateProducts`. Each code of the request is in exactly one of the three lists, in the order of the request.',
  fields: (t) => ({
    ...commonFields(t),
    updatedSkus: t.exposeStringList('updatedSkus', {
      description: 'Codes of products that were updated, changed or not, in the order of the request.',
    }),
    unavailableSkus: t.exposeStringList('unavailableSkus', { description: 'Codes without a product in the store.' }),
  }),
})

const UpsertProductsResult = builder.objectRef<ResultOf<typeof upsertProducts>>('UpsertProductsResult').implement({
  description: 'Result of `upsertProducts`. Each code of the request is in exactly one of the three lists.',
  fields: (t) => ({
    ...commonFields(t),
    createdSkus: t.exposeStringList('createdSkus', {
      description: 'Codes of products that were created, in the order of the request.',
    }),
    updatedSkus: t.exposeStringList('updatedSkus', {
      description: 'Codes of products that existed before, changed or not.',
    }),
  }),
})

const productsArg = builder.args((t) => ({
  products: t.field({
    type: [ProductPatch],
    required: true,
    description:
      'At most 10,000 products. Entries with the same code are applied in order, or not at all if one of them is invalid.',
  }),
}))

const channelArg = builder.args((t) => ({
  channel: t.string(optionalChannel('Channel to link the assets on: one of `enumerations.channels`.')),
}))

const urlFields =
  'Attributes named like URL fields (`Image URL 1`, `SMP: Image URL 1`), with one URL each, become assets at the end of the groups of the product, in the order of their numbers.'

const CreateProductsResult = builder.objectRef<ResultOf<typeof createProducts>>('CreateProductsResult').implement({
  description: 'Result of `createProducts`. Each code of the request is in exactly one of the three lists.',
  fields: (t) => ({
    ...commonFields(t),
    createdSkus: t.exposeStringList('createdSkus', {
      description: 'Codes of products that were created, in the order of the request.',
    }),
    existingSkus: t.exposeStringList('existingSkus', {
      description: 'Codes of products that existed before; they are not changed.',
    }),
  }),
})

const DeleteProductsResult = builder.objectRef<ResultOf<typeof deleteProducts>>('DeleteProductsResult').implement({
  description: 'Result of `deleteProducts`. Each code of the request is in exactly one of the two lists.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
    deletedSkus: t.exposeStringList('deletedSkus', { description: 'Codes of products that were deleted.' }),
    unavailableSkus: t.exposeStringList('unavailableSkus', { description: 'Codes without a product in the store.' }),
    deletedCount: t.int({
      description: 'Number of products that were deleted.',
      resolve: ({ deletedSkus }) => deletedSkus.length,
    }),
    ...failureFields(t),
    fingerprint: t.exposeString('fingerprint', {
      description:
        'Fingerprint of the deleted products. Pass that of a dry run to `deleteProducts`, which then fails if one of them has changed.',
    }),
  }),
})

builder.mutationFields((t) => ({
  deleteProducts: t.field({
    type: DeleteProductsResult,
    description:
      'Deletes products (REST extension: DELETE /products). Their asset groups are kept, because a parent code need not be the code of a product; delete those with `deleteAssets`. Errors: `store_not_found`, `plan_outdated`.',
    args: {
      ...writeArgs,
      fingerprint: t.arg.string({
        description: 'Fingerprint from a dry run: fails with `plan_outdated` if one of the products has changed since.',
      }),
      productCodes: t.arg.stringList(requiredLookup('Product codes: at most 10,000.')),
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, productCodes, fingerprint }) =>
        deleteProducts(catalogue, storeUuid, productCodes, fingerprint),
      ({ deletedSkus }) => deletedSkus.length,
    ),
  }),
  createProducts: t.field({
    type: CreateProductsResult,
    description: `Creates products and does not change existing ones (REST extension: POST /products). Of several entries with the same code the first one counts. ${urlFields} To create or update use \`upsertProducts\`. Errors: \`invalid_request\`, \`store_not_found\`.`,
    args: {
      ...writeArgs,
      ...productsArg,
      ...channelArg,
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, channel, products }, { enumerations }) =>
        createProducts(catalogue, storeUuid, products, { enumerations, channel: channel ?? defaultChannel }),
      ({ createdSkus }) => createdSkus.length,
    ),
  }),
  updateProducts: t.field({
    type: UpdateProductsResult,
    description:
      'Merges attributes and statuses into existing products and creates none (spec: PUT /products): codes that do not exist are listed as unavailable. To create missing products use `upsertProducts`. Each product is updated whole or not at all; failures are reported per product and attribute. A URL field (`Image URL 1`) is a failure: use `placeAssets`. Errors: `store_not_found`.',
    args: { ...writeArgs, ...productsArg },
    resolve: resolveStatement(
      (catalogue, { storeUuid, products }, { enumerations }) =>
        updateProducts(catalogue, storeUuid, products, enumerations),
      ({ updatedSkus }) => updatedSkus.length,
    ),
  }),
  upsertProducts: t.field({
    type: UpsertProductsResult,
    description: `Creates products that do not exist, and merges attributes and statuses into those that do (REST extension: POST /products with \`upsert\`). ${urlFields} To leave existing products unchanged use \`createProducts\`; to create none, \`updateProducts\`; for files, \`startImport\`. The default status of a new product is \`NEW\`. Errors: \`invalid_request\`, \`store_not_found\`.`,
    args: { ...writeArgs, ...productsArg, ...channelArg },
    resolve: resolveWrite(
      (catalogue, { storeUuid, channel, products }, { enumerations }) =>
        upsertProducts(catalogue, storeUuid, products, { enumerations, channel: channel ?? defaultChannel }),
      ({ createdSkus, updatedSkus }) => createdSkus.length + updatedSkus.length,
    ),
  }),
}))
