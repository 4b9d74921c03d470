import type { GraphQLResolveInfo } from 'graphql'
import { type Change, type ChangeHead, codesOf, countsOf, keysOf, typeOf } from '../../src/catalogue/changes/change.ts'
import { isSelected } from '../../src/graphql/limits/answer-size.ts'
import { builder, type Fields } from '../builder/builder.ts'
import { keyInStore, loadByKeys } from '../builder/node-ids.ts'
import { nullable } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'

const ChangeSource = enumOf<Change['via']>('ChangeSource', 'Where a change came from.', {
  rest: 'A request to the REST API.',
  graphql: 'A request to the GraphQL API.',
  cli: 'The command line.',
  job: 'An import in the background, or the evaluation of readiness.',
})

export const ChangeKind = enumOf<Change['kind']>('ChangeKind', 'Kind of the items of a change.', {
  product: 'Products: their status and attributes.',
  asset: 'Assets: their format and URL.',
  link: 'Links between assets and parent codes, with their positions.',
  definition: 'Attribute definitions.',
  requirement: 'Requirements of channels.',
  store: 'The store itself.',
  readiness: 'Products that became ready for a channel, or blocked.',
  import: 'An import that has ended.',
})

const ChangeAction = enumOf<Change['action']>('ChangeAction', 'What a change did to its items.', {
  created: 'Created.',
  updated: 'Updated.',
  deleted: 'Deleted.',
  ready: 'Became ready for a channel: they meet its requirements.',
  blocked: 'Became blocked: they do not meet a requirement.',
  changed: 'New requirements of a channel were evaluated for all products.',
  finished: 'Ended.',
})

type Counts = Record<'created' | 'updated' | 'deleted', number>

export const countFields = (t: Fields<Counts>) => ({
  created: t.exposeInt('created', { description: 'Number that were created.' }),
  updated: t.exposeInt('updated', { description: 'Number that were updated.' }),
  deleted: t.exposeInt('deleted', { description: 'Number that were deleted.' }),
})

/** Which request made a change. */
export const originFields = (t: Fields<Pick<ChangeHead, 'requestId' | 'actor' | 'via' | 'operation'>>) => ({
  requestId: t.exposeString('requestId', { description: 'Id of the request: its `X-Request-Id`, or a generated one.' }),
  actor: t.exposeString('actor', { description: 'Name of the token at that time, or the user of the command line.' }),
  via: t.expose('via', { type: ChangeSource, description: 'Where the request came from.' }),
  operation: t.exposeString('operation', {
    description: 'Name of the mutation, such as `updateProducts`, also over REST; `import` for imports.',
  }),
})

/** What was done to which items, and when. */
export const actionFields = (t: Fields<Pick<ChangeHead, 'at' | 'kind' | 'action'>>) => ({
  at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
  kind: t.expose('kind', { type: ChangeKind, description: 'Kind of the changed items.' }),
  action: t.expose('action', { type: ChangeAction, description: 'What was done to the items.' }),
})

const ChangeCounts = builder.objectRef<ReturnType<typeof countsOf>>('ChangeCounts').implement({
  description:
    'Number of products, assets, links, definitions, channels with requirements or stores that a change is about.',
  fields: (t) => ({
    ...countFields(t),
    failed: t.exposeInt('failed', {
      description: 'Number of failed items of the request. One change of the request has it; the others have 0.',
    }),
    total: t.exposeInt('total', {
      description:
        'Number of items. For an import: its rows; after an evaluation of new requirements: the blocked products.',
    }),
  }),
})

/** Whether fields are selected that need the items of changes; otherwise these are loaded where they are needed. */
export function areItemsSelected(info: GraphQLResolveInfo): boolean {
  return isSelected(info, 'codes') || isSelected(info, 'keys')
}

export const ChangeRef = builder.objectRef<ChangeHead>('Change')

builder.node(ChangeRef, {
  id: { resolve: ({ storeUuid, tx, seq }) => keyInStore(storeUuid, tx, seq) },
  loadManyWithoutCache: (keys, { loaders }) =>
    loadByKeys(keys, (storeUuid, tx: string, seq: string) => loaders.change(false).load({ storeUuid, tx, seq })),
  description:
    'What a request did to rows of one kind in one store. A request that does several things, or one thing to very many rows, has several changes.',
  fields: (t) => ({
    type: t.string({
      description: 'Kind and action, such as `product.updated`; for readiness `readiness.changed`.',
      resolve: typeOf,
    }),
    cursor: t.exposeString('cursor', { description: 'Opaque cursor after this change, for `after`.' }),
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
    ...originFields(t),
    ...actionFields(t),
    counts: t.field({ type: ChangeCounts, description: 'Number of items changed.', resolve: countsOf }),
    codes: t.stringList({
      description:
        'Names of the items: codes of products, ids of assets, parent codes of links, names of definitions, channels of requirements; the job of an import; for the store, or all products, an empty string. At most 20,000: a request that changed more has several changes.',
      resolve: async (change, _args, { loaders }) => {
        const { codes = (await loaders.change(true).load(change))?.codes ?? [] } = change
        return codesOf({ ...change, codes })
      },
    }),
    keys: t.stringList({
      description:
        'What was changed of the items: names of attributes, and `status`; channels of links and readiness; fields of the store; the state of an import. Empty where whole items were created or deleted.',
      resolve: async (change, _args, { loaders }) => {
        const { keys = (await loaders.change(true).load(change))?.keys ?? [] } = change
        return keysOf({ ...change, keys })
      },
    }),
    revertedBy: t.field({
      type: ChangeRef,
      nullable: true,
      description: 'Last change of the revert of this request; null if it is not reverted.',
      resolve: (change, _args, { loaders }) => loaders.reverts.load(change),
    }),
    reverts: t.exposeString('reverts', nullable('Id of the request that this change reverts.')),
  }),
})
