import { projections } from '../../src/catalogue/projections/projections.ts'
import { findStoreProjections, type StoreProjection } from '../../src/catalogue/projections/store-projections.ts'
import { builder } from '../builder/builder.ts'
import { statementCost } from '../builder/lists.ts'
import { nullableTime } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'
import { StoreRef } from './store.ts'

const ProjectionName = enumOf<StoreProjection['name']>(
  'ProjectionName',
  'Kind of data that is derived from products.',
  {
    FILTERS: 'Values of filterable attributes, for filters, orders and facets.',
    SEARCH: 'Values of searchable attributes, for searches.',
    READINESS: 'The numbers of `Store.readiness`, and which products are ready.',
  },
)

const StoreProjectionRef = builder.objectRef<StoreProjection>('StoreProjection').implement({
  description: 'Progress of one kind of data that the gateway derives from the products of a store in the background.',
  fields: (t) => ({
    name: t.expose('name', { type: ProjectionName, description: 'Kind of the derived data.' }),
    asOf: t.expose(
      'asOf',
      nullableTime(
        'The data include all changes until this time, and possibly later ones. Null before the first build.',
      ),
    ),
    isBuilding: t.exposeBoolean('isBuilding', {
      description: 'Whether all products are being read for a new setting.',
    }),
    done: t.exposeInt('done', { description: 'Number of products that the data include so far.' }),
    of: t.exposeInt('of', { description: 'Number of products.' }),
  }),
})

builder.objectField(StoreRef, 'projections', (t) =>
  t.field({
    type: [StoreProjectionRef],
    complexity: { field: projections.length * statementCost, multiplier: projections.length },
    description:
      'Data that the gateway derives from the products in the background, as the settings of the store require.',
    resolve: ({ storeUuid }, _args, { catalogue }) => findStoreProjections(catalogue, storeUuid),
  }),
)
