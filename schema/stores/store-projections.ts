import { findStoreProjections, type StoreProjection } from '../../src/catalogue/projections/store-projections.ts'
import { builder } from '../builder/builder.ts'
import { statementCost } from '../builder/connection.ts'
import { nullableTime } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'
import { StoreRef } from './store.ts'

const ProjectionName = enumOf<StoreProjection['name']>('ProjectionName', 'What is derived from the products.', {
  FILTERS: 'What filters, orders and facets by filterable attributes read.',
  SEARCH: 'What searches read.',
  READINESS: 'The numbers of `Store.readiness`, and which products are ready.',
})

const StoreProjectionRef = builder.objectRef<StoreProjection>('StoreProjection').implement({
  description: 'How far the gateway has derived something from the products of a store, in the background.',
  fields: (t) => ({
    name: t.expose('name', { type: ProjectionName, description: 'What is derived.' }),
    asOf: t.expose(
      'asOf',
      nullableTime(
        'Time until which all changes are in it, and of later ones at most some. Null before the first build.',
      ),
    ),
    isBuilding: t.exposeBoolean('isBuilding', {
      description: 'Whether all products are being read for a new setting.',
    }),
    done: t.exposeInt('done', { description: 'Number of products that are read for it.' }),
    of: t.exposeInt('of', { description: 'Number of products.' }),
  }),
})

builder.objectField(StoreRef, 'projections', (t) =>
  t.field({
    type: [StoreProjectionRef],
    complexity: { field: 3 * statementCost, multiplier: 3 },
    description: 'What the gateway derives from the products, because the store has settings that need it.',
    resolve: ({ storeUuid }, _args, { catalogue }) => findStoreProjections(catalogue, storeUuid),
  }),
)
