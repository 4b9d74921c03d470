import type { Product } from '../../src/catalogue/products/find-products.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { builder } from '../builder/builder.ts'
import { statementCost } from '../builder/lists.ts'
import { keyInStore, loadByKeys } from '../builder/node-ids.ts'
import { required, requiredLookup } from '../builder/options.ts'
import { ProductStatus } from '../enumerations.ts'
import { StoreRef, storeField } from '../stores/store.ts'

export const ProductRef = builder.objectRef<Product>('Product')

builder.node(ProductRef, {
  id: { resolve: ({ storeUuid, productCode }) => keyInStore(storeUuid, productCode) },
  loadManyWithoutCache: (keys, { loaders }) =>
    loadByKeys(keys, (storeUuid, productCode: string) => loaders.product.load({ storeUuid, productCode })),
  description: 'A product of a store (spec: Product).',
  fields: (t) => ({
    productCode: t.exposeString('productCode', { description: 'SKU code, unique in its store, case-sensitive.' }),
    status: t.expose('status', { type: ProductStatus, description: 'Status of the product.' }),
    attributes: t.field({
      type: 'AttributeMap',
      description: 'Attributes of the product: a map from name to value. All values are strings.',
      args: {
        names: t.arg.stringList({
          description: 'Names of the attributes to return, where the product has them: at most 10,000. Default: all.',
        }),
      },
      resolve: ({ attributes }, { names }) => (names ? chosen(attributes, names) : attributes),
    }),
    attribute: t.string({
      nullable: true,
      description: 'Value of one attribute, for a column of a table; null if the product does not have it.',
      args: { name: t.arg.string(required('Name of the attribute, case-sensitive.')) },
      resolve: ({ attributes }, { name }) => (Object.hasOwn(attributes, name) ? attributes[name] : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time of the last change of the status or of an attribute.',
    }),
    store: storeField(t, 'Store of the product.'),
  }),
})

function chosen(attributes: Product['attributes'], names: readonly string[]): Product['attributes'] {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(attributes, name) ? [[name, attributes[name] ?? '']] : [])),
  )
}

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
    complexity: ({ at }) => (at ? statementCost : 1),
    description:
      'Product with this code; null when the store has none. With `at`, its status and attributes at that time, within the retention of changes; its assets are the present ones. Errors: `invalid_request` (a time that the changes do not reach), `changes_disabled`.',
    args: {
      productCode: t.arg.string(requiredLookup('SKU code, case-sensitive.')),
      at: t.arg({ type: 'DateTime', description: 'Time, to the millisecond. Default: now.' }),
    },
    resolve: async ({ storeUuid }, { productCode, at }, context) => {
      if (!at) return context.loaders.product.load({ storeUuid, productCode })
      requireLedger(context)
      return context.loaders.productAt(at).load({ storeUuid, productCode })
    },
  }),
  productCounts: t.field({
    type: [ProductStatusCount],
    description: 'Number of products of the store by status. Statuses without a product are omitted.',
    resolve: ({ storeUuid }, _args, { loaders }) => loaders.productCounts.load(storeUuid),
  }),
}))
