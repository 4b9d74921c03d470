import type { InputShapeFromFields } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { ChangePage, PageRequest } from '../../src/catalogue/changes/list-changes.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, connectionOf, forwardArgs, pageSizeOf, perStore, statementCost } from '../builder/lists.ts'
import { ProductRef } from '../products/product.ts'
import { StoreRef } from '../stores/store.ts'
import { areItemsSelected, ChangeRef } from './change.ts'

const ChangeFilterInput = builder.inputType('ChangeFilter', {
  description: 'Filter for changes. All given conditions must hold.',
  fields: (t) => ({
    requestId: t.string({ description: 'Changes of this request.' }),
    productCode: t.string({ description: 'Changes of this product, and of the links of its assets.' }),
    operation: t.string({ description: 'Changes by this mutation, such as `updateProducts`.' }),
    actor: t.string({ description: 'Changes by tokens of this name.' }),
    from: t.field({ type: 'DateTime', description: 'Changes at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Changes before this time.' }),
  }),
})

export const ChangeConnection = builder.connectionObject(
  {
    type: ChangeRef,
    name: 'ChangeConnection',
    description:
      'A page of changes, forward only and without a total. It may have fewer than `first` although more follow: see `pageInfo`.',
    fields: (t) => ({
      next: t.string({
        nullable: true,
        description: 'Cursor of the next page. Never null in the feed of a store; null at the end of a history.',
        resolve: (connection) => (connection as ReturnType<typeof changesConnection>).next,
      }),
    }),
  },
  { name: 'ChangeEdge', description: 'A change and its cursor.' },
)

export const changePageArgs = forwardArgs('changes')

type PageArguments = InputShapeFromFields<typeof changePageArgs>

export function changePageOf({ first, after }: PageArguments, info: GraphQLResolveInfo): PageRequest<boolean> {
  return { limit: pageSizeOf({ first }), after, hasItems: areItemsSelected(info) }
}

export function changesConnection(page: ChangePage<boolean> | undefined, after: string | null | undefined) {
  const { changes, next, hasMore } = page ?? { changes: [], next: null, hasMore: false }
  const edges = changes.map((node) => ({ cursor: node.cursor, node }))
  return { ...connectionOf(edges, hasMore, after != null), next }
}

builder.objectField(StoreRef, 'changes', (t) =>
  t.field({
    type: ChangeConnection,
    complexity: perStore(connectionCost),
    description:
      'The feed of changes, in a stable order: paging by cursor returns each change exactly once. Long transactions delay the feed: a change appears when all writing transactions that began earlier have ended. `after: "latest"` returns only the cursor that later changes follow. Errors: `cursor_expired`, `changes_disabled`.',
    args: {
      ...changePageArgs,
      filter: t.arg({ type: ChangeFilterInput, description: 'Filter. Default: all changes.' }),
    },
    resolve: async (store, { filter, ...args }, context, info) => {
      requireLedger(context)
      const page = await context.loaders.changes([filter ?? {}, changePageOf(args, info)]).load(store.storeUuid)
      return changesConnection(page, args.after)
    },
  }),
)

builder.objectField(ProductRef, 'changes', (t) =>
  t.field({
    type: ChangeConnection,
    complexity: (args) => ({ ...connectionCost(args), field: statementCost }),
    description:
      'Changes of the product and of the links of its assets, the newest first. Errors: `cursor_expired`, `changes_disabled`.',
    args: changePageArgs,
    resolve: async (product, args, context, info) => {
      requireLedger(context)
      const page = await context.loaders.history(changePageOf(args, info)).load(product)
      return changesConnection(page, args.after)
    },
  }),
)
