import { type ItemFailure, type ItemFailures, itemReasons } from '../src/catalogue/bounded-failures.ts'
import { partOfResult } from '../src/graphql/access.ts'
import { builder, type Fields } from './builder/builder.ts'
import { nullable } from './builder/options.ts'
import { enumOf, overRest } from './enumerations.ts'

const ErrorReason = enumOf('ErrorReason', 'Why an item of a request failed.', overRest(itemReasons))

const ErrorInfo = builder.objectRef<ItemFailure>('ErrorInfo').implement({
  extensions: partOfResult,
  description: 'Failure of one item of a request, or of one asset id in an item. The other items are not affected.',
  fields: (t) => ({
    reason: t.exposeString('reason', {
      deprecationReason: 'Use `code`.',
      description:
        'Stable code: `asset_not_found`, `link_not_found`, `store_not_found`, `product_not_found`, `selector_required`, `asset_conflict` or `invalid_request`.',
    }),
    code: t.expose('reason', { type: ErrorReason, description: 'Why the item failed.' }),
    details: t.exposeString('details', {
      description: 'Human-readable explanation: the expected value and the received one, at most 200 characters.',
    }),
    index: t.exposeInt('index', nullable('Index of the item in the request, from 0.')),
    storeUuid: t.exposeID('storeUuid', nullable('Store UUID of the item.')),
    channel: t.exposeString('channel', nullable('Channel of the item.')),
    parentCode: t.exposeString('parentCode', nullable('Parent code of the item.')),
    assetId: t.exposeString('assetId', nullable('Asset id that failed.')),
    productCode: t.exposeString('productCode', nullable('SKU code that failed.')),
  }),
})

export const failureFields = (t: Fields<ItemFailures>) => ({
  failed: t.int({
    description: 'Number of items or asset ids that failed.',
    resolve: ({ failures, more }) => failures.length + more,
  }),
  errorInfo: t.field({
    type: [ErrorInfo],
    description: 'One entry per failure, at most 10,000 and 4 MiB; an empty list when nothing failed.',
    resolve: ({ failures }) => failures,
  }),
  more: t.exposeInt('more', { description: 'Number of failures that `errorInfo` leaves out.' }),
})
