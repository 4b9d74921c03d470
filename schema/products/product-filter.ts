import type { ProductOrder } from '../../src/catalogue/products/query/order.ts'
import type { AttributeFilter, ProductFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { builder } from '../builder/builder.ts'
import { catalogueText, lookupText, optionalChannel, optionalFormat, required } from '../builder/options.ts'
import { enumOf, ProductStatus } from '../enumerations.ts'

const DateTimeRange = builder.inputType('DateTimeRange', {
  description: 'Range of time. At least one bound is required.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'This time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Before this time.' }),
  }),
})

const AssetPresence = builder.inputType('AssetPresence', {
  ...catalogueText,
  description: 'Asset group of a product: whether it has an asset.',
  fields: (t) => ({
    channel: t.string(optionalChannel('Channel: one of `enumerations.channels`.')),
    assetFormat: t.string(optionalFormat('Format: one of `enumerations.assetFormats`.')),
  }),
})

const AttributeFilterInput = builder.inputRef<AttributeFilter>('AttributeFilter').implement({
  ...catalogueText,
  description:
    'Conditions on the value of one attribute; all given conditions must hold. A product without the attribute matches only `exists: false`, not `ne`. Values of an attribute declared `NUMBER` compare as numbers of double precision: `10` equals `10.0`. Values of it that are not numbers, or have more than 300 characters, match only `exists`, `ne`, `contains` and `startsWith`. Ranges of an undeclared attribute compare two numbers by size. Other values compare by code point. `contains`, `startsWith`, `ne` and ranges use the first 255 characters. An attribute declared `BOOLEAN` has no order.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'Name of the attribute, case-sensitive. An unknown name is not an error: no product has the attribute.',
    }),
    eq: t.string({ description: 'Equal to this value (case-sensitive).' }),
    ne: t.string({ description: 'Not equal to this value.' }),
    in: t.stringList({ description: 'Equal to one of these values: at most 1,000.' }),
    contains: t.string({ description: 'Contains this string (case-insensitive): at most 1,000 characters.' }),
    startsWith: t.string({ description: 'Starts with this string (case-sensitive): at most 1,000 characters.' }),
    gt: t.string({ description: 'Greater than this value.' }),
    gte: t.string({ description: 'Greater than or equal to this value.' }),
    lt: t.string({ description: 'Less than this value.' }),
    lte: t.string({ description: 'Less than or equal to this value.' }),
    exists: t.boolean({ description: 'Whether the product has the attribute.' }),
  }),
})

export const ProductFilterInput = builder.inputRef<ProductFilter>('ProductFilter')
builder.inputType(ProductFilterInput, {
  ...catalogueText,
  description:
    'Filter for products. All given conditions must hold. A filter has at most 50 conditions, including those of nested filters, and at most 5 levels. Conditions on attributes that are not declared `filterable` are refused in stores of more than 50,000 products.',
  fields: (t) => ({
    status: t.field({ type: [ProductStatus], description: 'Products with one of these statuses.' }),
    codePrefix: t.string({ description: 'Products whose code starts with this string (case-sensitive).' }),
    codes: t.stringList({ ...lookupText, description: 'Products with one of these codes: at most 10,000.' }),
    search: t.string({
      description:
        'Products whose code, or value of an attribute declared `searchable`, contains this string (case-insensitive): at most 1,000 characters.',
    }),
    attributes: t.field({ type: [AttributeFilterInput], description: 'Products whose attributes match all of these.' }),
    createdAt: t.field({ type: DateTimeRange, description: 'Products that were created in this range.' }),
    updatedAt: t.field({ type: DateTimeRange, description: 'Products that were last changed in this range.' }),
    hasAssets: t.field({
      type: AssetPresence,
      description: 'Products with an asset on the channel, such as an image.',
    }),
    missingAssets: t.field({ type: AssetPresence, description: 'Products without an asset on the channel.' }),
    blockedOn: t.string({
      description:
        'Products that do not meet all required requirements of this channel, as counted by `Store.readiness`.',
    }),
    readyOn: t.string({
      description:
        'Products that meet all required requirements of this channel, as counted by `Store.readiness`: none if it has no requirements.',
    }),
    and: t.field({ type: [ProductFilterInput], description: 'Products that match all of these filters.' }),
    or: t.field({ type: [ProductFilterInput], description: 'Products that match one of these filters or more.' }),
    not: t.field({ type: ProductFilterInput, description: 'Products that do not match this filter.' }),
  }),
})

const ProductOrderField = builder.enumType('ProductOrderField', {
  description: 'Sort key of a list of products. Ties are sorted by code.',
  values: {
    CODE: { value: 'code', description: 'Product code, by code point.' },
    CREATED_AT: { value: 'createdAt', description: 'Time of creation.' },
    UPDATED_AT: { value: 'updatedAt', description: 'Time of the last change of the status or of an attribute.' },
    STATUS: { value: 'status', description: 'Status, by its name.' },
    ATTRIBUTE: {
      value: 'attribute',
      description:
        'Value of `attribute`: values of an attribute declared `NUMBER` by size, others by their first 255 characters. In an undeclared attribute numbers come before other values. Products without such a value come last in both directions, ordered by code.',
    },
  } satisfies Record<string, { value: ProductOrder['field']; description: string }>,
})

const OrderDirection = enumOf('OrderDirection', 'Sort direction.', {
  asc: 'From lowest to highest, from oldest to newest.',
  desc: 'From highest to lowest, from newest to oldest.',
})

export const ProductOrderInput = builder.inputType('ProductOrder', {
  description: 'Order of a list of products. A cursor is valid only for the order of its list.',
  fields: (t) => ({
    field: t.field({ type: ProductOrderField, ...required('Sort key.') }),
    attribute: t.string({
      description: 'Name of the attribute, with the field `ATTRIBUTE` only; not of one that is declared `BOOLEAN`.',
    }),
    direction: t.field({ type: OrderDirection, defaultValue: 'asc', description: 'Direction.' }),
  }),
})
