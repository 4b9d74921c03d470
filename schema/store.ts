import { countStores, listStores } from '../src/catalog/list-stores.ts'
import { createStore, type Store, updateStore } from '../src/catalog/stores.ts'
import { storeUuidOf } from '../src/catalog/text.ts'
import { write } from '../src/catalog/write.ts'
import { AttributeDefinitionRef } from './attribute-definition.ts'
import { builder } from './builder.ts'
import { connectionCost, keysetConnection } from './connection.ts'
import { dryRunArg, items, storable } from './validation.ts'

export const StoreRef = builder.objectRef<Store>('Store')

StoreRef.implement({
  description: 'A store: what products and assets belong to (spec: Store).',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'The UUID of the store, in lower case.' }),
    storeGroup: t.exposeID('storeGroup', { description: 'The UUID of its group of linked stores.' }),
    storeName: t.exposeString('storeName', { description: 'Its name; several stores may share one.' }),
    storeTaxonomy: t.exposeString('storeTaxonomy', {
      description: 'Its taxonomy, one of `enumerations.storeTaxonomies`.',
    }),
    region: t.exposeStringList('region', { description: 'Its regions.' }),
    channels: t.exposeStringList('channels', { description: 'Its channels.' }),
    defaultAutomation: t.exposeStringList('defaultAutomation', { description: 'Automations switched on by default.' }),
    storeWebsite: t.exposeString('storeWebsite', { nullable: true, description: 'Its web site, never fetched.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the store was created.' }),
    linkedStores: t.field({
      type: [StoreRef],
      complexity: { field: 1, multiplier: 20 },
      description: "The other stores of the store's group, in the order of their creation.",
      resolve: async (store, _args, { loaders }) => {
        const group = (await loaders.linkedStores.load(store.storeGroup)) ?? []
        return group.filter((other) => other.storeUuid !== store.storeUuid)
      },
    }),
    attributeDefinitions: t.field({
      type: [AttributeDefinitionRef],
      description: 'What the store demands of attribute values, in the order of the names.',
      resolve: async (store, _args, { loaders }) => (await loaders.attributeDefinitions.load(store.storeUuid)) ?? [],
    }),
  }),
})

const StoreFilterInput = builder.inputType('StoreFilter', {
  description: 'Which stores: every condition given must hold.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the store name, in any case.', validate: storable }),
    storeTaxonomy: t.string({ description: 'Stores of this taxonomy.', validate: storable }),
    region: t.string({ description: 'Stores that have this region.', validate: storable }),
    channel: t.string({ description: 'Stores that have this channel.', validate: storable }),
    storeGroup: t.id({ description: 'Stores of this group.', validate: storable }),
  }),
})

builder.queryFields((t) => ({
  store: t.field({
    type: StoreRef,
    nullable: true,
    description: 'The store of this UUID, in any case; null when there is no such store, or the token may not see it.',
    args: { storeUuid: t.arg.id({ required: true, description: 'The UUID of the store.' }) },
    resolve: async (_root, args, { loaders }) => {
      const storeUuid = storeUuidOf(args.storeUuid)
      return storeUuid === undefined ? null : loaders.store.load(storeUuid)
    },
  }),
  stores: t.connection(
    {
      type: StoreRef,
      complexity: connectionCost,
      description: 'The stores in the order of their creation.',
      args: { filter: t.arg({ type: StoreFilterInput, description: 'Which stores; all when left out.' }) },
      resolve: async (_root, { filter, ...args }, { db }) => ({
        ...(await keysetConnection(
          args,
          (store: Store) => store.storeUuid,
          (page) => listStores(db, filter ?? {}, page),
          isStoreUuid,
        )),
        totalCount: () => countStores(db, filter ?? {}),
      }),
    },
    {
      description: 'A page of stores.',
      fields: (c) => ({
        totalCount: c.int({
          description: 'How many stores match, on all pages. Counted when asked for.',
          resolve: (connection) => connection.totalCount(),
        }),
      }),
    },
    { description: 'A store and its cursor.' },
  ),
}))

const CreateStoreInput = builder.inputType('CreateStoreInput', {
  description: 'A store to create (spec: Store). Repeated values of a list are kept once, in order.',
  fields: (t) => ({
    storeName: t.string({ required: true, description: '1 to 200 characters after trimming.' }),
    storeTaxonomy: t.string({ required: true, description: 'One of `enumerations.storeTaxonomies`.' }),
    region: t.stringList({
      required: true,
      description: 'Each one of `enumerations.regions`; may be empty.',
      validate: items,
    }),
    channels: t.stringList({
      required: true,
      description: 'Each one of `enumerations.channels`; may be empty.',
      validate: items,
    }),
    defaultAutomation: t.stringList({
      required: true,
      description: 'Each one of `enumerations.defaultAutomations`; may be empty.',
      validate: items,
    }),
    storeWebsite: t.string({ description: 'Up to 2,048 characters, or null.' }),
  }),
})

builder.mutationField('createStore', (t) =>
  t.field({
    type: StoreRef,
    extensions: { access: 'all stores' },
    description:
      'The POST /stores operation. Errors: `invalid_request` with every fault, `store_not_found` (the linked store), `forbidden` for a token that is limited to stores.',
    args: {
      input: t.arg({ type: CreateStoreInput, required: true, description: 'The store to create.' }),
      copyTaxonomy: t.arg.boolean({
        defaultValue: false,
        description: "Whether to copy the linked store's attribute definitions; needs `linkedStoreId`.",
      }),
      linkedStoreId: t.arg.id({
        description: 'The store whose group the new one joins; without it the new store begins a group.',
        validate: storable,
      }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { input, copyTaxonomy, linkedStoreId, dryRun }, { db, enumerations }) =>
      write(db, dryRun ?? false, (transaction) =>
        createStore(transaction, enumerations, input, { linkedStoreId, copyTaxonomy: copyTaxonomy ?? false }),
      ),
  }),
)

const UpdateStoreInput = builder.inputType('UpdateStoreInput', {
  description: 'What to change of a store: what is left out, or null, stays; a `storeWebsite` of null clears it.',
  fields: (t) => ({
    storeName: t.string({ description: '1 to 200 characters after trimming.' }),
    storeTaxonomy: t.string({ description: 'One of `enumerations.storeTaxonomies`.' }),
    region: t.stringList({ description: 'Each one of `enumerations.regions`.', validate: items }),
    channels: t.stringList({ description: 'Each one of `enumerations.channels`.', validate: items }),
    defaultAutomation: t.stringList({
      description: 'Each one of `enumerations.defaultAutomations`.',
      validate: items,
    }),
    storeWebsite: t.string({ description: 'Up to 2,048 characters, or null.' }),
  }),
})

builder.mutationField('updateStore', (t) =>
  t.field({
    type: StoreRef,
    description: 'Changes a store. Errors: `invalid_request` with every fault, `store_not_found`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      input: t.arg({ type: UpdateStoreInput, required: true, description: 'What to change.' }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { storeUuid, input, dryRun }, { db, enumerations }) => {
      const { storeWebsite, ...rest } = input
      const changes = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
      return write(db, dryRun ?? false, (transaction) =>
        updateStore(transaction, enumerations, storeUuid, {
          ...changes,
          ...(storeWebsite !== undefined && { storeWebsite }),
        }),
      )
    },
  }),
)

function isStoreUuid(key: string): boolean {
  return storeUuidOf(key) !== undefined
}
