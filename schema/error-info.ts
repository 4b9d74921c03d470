import type { ItemFailure } from '../src/catalog/item-failure.ts'
import { builder } from './builder.ts'

export const ErrorInfo = builder.objectRef<ItemFailure>('ErrorInfo').implement({
  description: 'Why one item of a request, or one asset id of it, failed while the others went ahead.',
  fields: (t) => ({
    reason: t.exposeString('reason', {
      description:
        'A stable code: `asset_not_found`, `link_not_found`, `store_not_found`, `selector_required`, `asset_conflict` or `invalid_request`.',
    }),
    details: t.exposeString('details', { description: 'What was expected and what came, for a person to read.' }),
    index: t.exposeInt('index', { nullable: true, description: "The item's place in the request, from 0." }),
    storeUuid: t.exposeID('storeUuid', { nullable: true, description: 'The store that the item names.' }),
    channel: t.exposeString('channel', { nullable: true, description: 'The channel that the item names.' }),
    parentCode: t.exposeString('parentCode', { nullable: true, description: 'The parent code that the item names.' }),
    assetId: t.exposeString('assetId', { nullable: true, description: 'The asset id that failed.' }),
  }),
})

/** How results describe the items that failed. */
export const failedFields = {
  failed: 'How many items or asset ids failed.',
  errorInfo: 'One entry for each that failed; empty when none did.',
}
