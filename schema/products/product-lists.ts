import type { ListedProduct } from '../../src/catalogue/products/find-products.ts'
import type { ProductCount } from '../../src/catalogue/products/lists/count-products.ts'
import type { Facet } from '../../src/catalogue/products/lists/facets.ts'
import type { ProductList } from '../../src/catalogue/products/lists/list-products.ts'
import {
  cursorKey,
  isCursorKey,
  nameOfOrder,
  type ProductOrder,
  requireGoodOrder,
} from '../../src/catalogue/products/query/order.ts'
import { type ProductFilter, requireGoodFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { isCostly } from '../../src/catalogue/products/query/source.ts'
import { lazy } from '../../src/lazy.ts'
import { builder } from '../builder/builder.ts'
import {
  connectionCost,
  countedPage,
  firstArg,
  type KeysetSource,
  keysetConnection,
  pageSizeOf,
  perStore,
  requireFirst,
  scanCost,
  statementCost,
} from '../builder/lists.ts'
import { partText } from '../builder/options.ts'
import { StoreRef } from '../stores/store.ts'
import { ProductRef } from './product.ts'
import { ProductFilterInput, ProductOrderInput } from './product-filter.ts'

type ProductConnection = Awaited<ReturnType<typeof productConnection>>

export const ProductConnectionRef = builder.connectionObject<typeof ProductRef, ProductConnection>(
  {
    type: ProductRef,
    name: 'StoreProductsConnection',
    description: 'A page of products.',
    fields: (t) => ({
      ...countedPage('products').fields(t),
      asOf: t.field({
        type: 'DateTime',
        description:
          'The list includes all changes until this time, and possibly later ones: a listed product may no longer match. Deleted products are left out, so a page may be shorter than `first`. The present time if the list is exact.',
        resolve: (connection) => connection.asOf(),
      }),
    }),
  },
  { name: 'StoreProductsConnectionEdge', description: 'A product and its cursor.' },
)

/** A connection over the products of lists, with the time of which they are. */
export async function productConnection(
  args: Parameters<typeof keysetConnection>[0],
  { read, count, ...source }: KeysetSource<ListedProduct, ProductList, ProductCount>,
) {
  let list: Promise<ProductList> | undefined
  const counted = lazy(count)
  const connection = await keysetConnection<ListedProduct>(args, {
    ...source,
    isShown,
    read: async (page) => {
      list = read(page)
      return (await list).rows
    },
    count: async () => (await counted()).count,
  })
  // `read` sets `list`, unless no rows are asked for. A number that is counted after the page is at least of its time.
  const asOf = async () => {
    const answers = await Promise.all([list, pageSizeOf(args) === 0 ? counted() : undefined])
    return new Date(Math.min(...answers.map((answer) => answer?.asOf.getTime() ?? Number.POSITIVE_INFINITY)))
  }
  return Object.assign(connection, { asOf })
}

const isShown = ({ isDeleted }: ListedProduct) => !isDeleted

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
}))

const FacetValueRef = builder.objectRef<Facet['values'][number]>('FacetValue').implement({
  description: 'A value of an attribute.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'Value: its first 255 characters.' }),
    count: t.exposeInt('count', { description: 'Number of products with this value.' }),
  }),
})

const FacetRef = builder.objectRef<Facet>('Facet').implement({
  description: 'Values of an attribute with the number of products that have each, such as products by brand.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the attribute.' }),
    distinct: t.exposeInt('distinct', { description: 'Number of different values.' }),
    missing: t.exposeInt('missing', { description: 'Number of products without the attribute.' }),
    values: t.expose('values', {
      type: [FacetValueRef],
      complexity: { field: 0, multiplier: 1 },
      description: 'Values, the most frequent ones first.',
    }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'Time as of which the numbers are exact.' }),
  }),
})

const maxFacets = 8
const maxFacetValues = 100
const defaultFacetValues = 20

builder.objectField(StoreRef, 'facets', (t) =>
  t.field({
    type: [FacetRef],
    complexity: ({ names, filter, first }) => ({
      field: statementCost * Math.max(names.length, 1) + productScanCost({ filter }),
      multiplier: names.length * (first ?? defaultFacetValues),
    }),
    description: `Values of attributes with the number of products that have each, in the order of \`names\`, for charts and for the choices of a filter. Values are cut to 255 characters. Errors: \`invalid_request\`.`,
    args: {
      names: t.arg.stringList({
        required: true,
        description: `Names of the attributes: 1 to ${maxFacets}. A name that no product has is no error: its \`distinct\` is 0.`,
        validate: { minLength: 1, maxLength: maxFacets },
      }),
      filter: t.arg({
        type: ProductFilterInput,
        description: 'Filter for the products that are counted. Default: all products.',
      }),
      first: t.arg.int(firstArg(maxFacetValues, defaultFacetValues)),
      search: t.arg.string({
        ...partText,
        description:
          'Only values that contain this string (case-insensitive): at most 1,000 characters. `distinct` and `missing` still count all values.',
      }),
    },
    resolve: (store, { names, filter, first, search }, { loaders, enumerations }) => {
      const query = {
        names,
        filter: requireGoodFilter(filter, enumerations),
        first: requireFirst(first, maxFacetValues, defaultFacetValues),
        search,
      }
      return loaders.facets(query).load(store.storeUuid)
    },
  }),
)

interface ProductQuery {
  filter?: ProductFilter | null | undefined
  orderBy?: ProductOrder | null | undefined
}

/** The additional cost of products of a store whose conditions or order may read all of them. */
export function productScanCost({ filter, orderBy }: ProductQuery): number {
  return isCostly(filter ?? {}, orderBy) ? scanCost : 0
}
