import { pageStores } from '../src/catalogue/stores/list-stores.ts'
import { offsetArgs, pageOf, type ResultOf } from './builder/arguments.ts'
import { builder } from './builder/builder.ts'
import { StoreFilterInput, StoreRef } from './store.ts'

const largestPage = 100

const StorePageRef = builder.objectRef<ResultOf<typeof pageStores>>('StorePage').implement({
  description: 'A page of stores, in the order of their creation.',
  fields: (t) => ({
    totalStores: t.exposeInt('totalStores', { description: 'Number of stores that match, on all pages.' }),
    returnedStores: t.int({ description: 'Number of stores on this page.', resolve: ({ stores }) => stores.length }),
    stores: t.expose('stores', {
      type: [StoreRef],
      complexity: { field: 0, multiplier: 1 },
      description: 'Stores of this page.',
    }),
  }),
})

builder.queryField('storePage', (t) =>
  t.field({
    type: StorePageRef,
    complexity: ({ limit }) => ({ field: 2, multiplier: Math.min(limit ?? largestPage, largestPage) }),
    description:
      'Lists a page of the stores that the token has access to, by offset (REST extension: GET /stores). `stores` pages by cursor.',
    args: {
      filter: t.arg({ type: StoreFilterInput, description: 'Filter. Default: all stores.' }),
      ...offsetArgs('stores', largestPage),
    },
    resolve: (_root, { filter, ...given }, { catalogue }) => {
      const { offset, limit } = pageOf(given, largestPage)
      return pageStores(catalogue, filter ?? {}, offset, limit)
    },
  }),
)
