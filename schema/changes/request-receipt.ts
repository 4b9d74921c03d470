import { listHistory } from '../../src/catalogue/changes/list-changes.ts'
import { type RequestReceipt, readReceipt } from '../../src/catalogue/changes/receipt.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { storeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost } from '../builder/lists.ts'
import { requiredLookup } from '../builder/options.ts'
import { ChangeKind, ChangeRef, countFields, originFields } from './change.ts'
import { ChangeConnection, changePageArgs, changePageOf, changesConnection } from './change-lists.ts'

const RequestCounts = builder.objectRef<RequestReceipt['counts'][number]>('RequestCounts').implement({
  description: 'Number of items of one kind that a request changed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'Kind of the items.' }),
    ...countFields(t),
  }),
})

const RequestReceiptRef = builder.objectRef<RequestReceipt>('RequestReceipt').implement({
  description:
    'What a request changed in one store. Requests that were sent with the same `X-Request-Id` have one receipt.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of its first change.' }),
    ...originFields(t),
    failed: t.exposeInt('failed', { description: 'Number of items of the request that failed.' }),
    counts: t.expose('counts', { type: [RequestCounts], description: 'Number of items changed, by kind.' }),
    changes: t.field({
      type: ChangeConnection,
      complexity: connectionCost,
      description: 'Changes of the request, the oldest first.',
      args: changePageArgs,
      resolve: async ({ storeUuid, requestId }, args, { catalogue }, info) => {
        const page = await listHistory(catalogue, storeUuid, { requestId }, changePageOf(args, info), 'oldest first')
        return changesConnection(page, args.after)
      },
    }),
    revertedBy: t.field({
      type: ChangeRef,
      nullable: true,
      description: 'The last change that reverts this request; null when it was not reverted.',
      resolve: (receipt, _args, { loaders }) => loaders.reverts.load(receipt),
    }),
  }),
})

builder.queryField('request', (t) =>
  t.field({
    type: RequestReceiptRef,
    nullable: true,
    description:
      'Finds the receipt of a request; null if the request changed nothing in the store, or its changes are no longer kept. Errors: `store_not_found`, `changes_disabled`.',
    args: {
      ...storeArgs,
      requestId: t.arg.string(requiredLookup('Id of the request: its `X-Request-Id`.')),
    },
    resolve: async (_root, { storeUuid, requestId }, context) => {
      requireLedger(context)
      return readReceipt(context.catalogue, storeUuid, requestId)
    },
  }),
)
