import type { Facet } from '../../src/catalogue/products/lists/facets.ts'
import { requireGoodFilter } from '../../src/catalogue/products/query/product-filter.ts'
import { firstArg, requireFirst } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { statementCost } from '../builder/connection.ts'
import { partText } from '../builder/options.ts'
import { StoreRef } from '../stores/store.ts'
import { ProductFilterInput, productScanCost } from './product-filter.ts'

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
