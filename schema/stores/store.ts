import { automations, regions } from '../../src/catalogue/enumerations.ts'
import { countStores, listStores, pageStores } from '../../src/catalogue/stores/list-stores.ts'
import type { Store } from '../../src/catalogue/stores/stores.ts'
import type { Loaders } from '../../src/graphql/loaders.ts'
import { currentReadBytes } from '../../src/request/context.ts'
import { isUuid, storeUuidOf } from '../../src/text.ts'
import { AttributeDefinitionRef } from '../attribute-definition.ts'
import { offsetArgs, pageOf, type ResultOf } from '../builder/arguments.ts'
import { builder, type Fields } from '../builder/builder.ts'
import {
  connectionCost,
  countedPage,
  firstArg,
  firstCost,
  keysetConnection,
  maxPageSize,
  perStore,
  requireFirst,
} from '../builder/lists.ts'
import { nullable, partText, requiredLookup } from '../builder/options.ts'
import { Automation, Region } from '../enumerations.ts'

/** What a store in a list counts as read, about. */
const bytesOfStore = 300

export const StoreRef = builder.objectRef<Store>('Store')

builder.node(StoreRef, {
  id: { resolve: ({ storeUuid }) => storeUuid },
  loadManyWithoutCache: (uuids, { loaders }) => Promise.all(uuids.map((uuid) => loadStore(uuid, loaders))),
  description: 'A store: the owner of products, assets and attribute definitions (spec: Store).',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store, in lower case.' }),
    storeGroup: t.exposeID('storeGroup', {
      description: 'UUID of the group of linked stores that the store belongs to.',
    }),
    storeName: t.exposeString('storeName', { description: 'Name of the store, not necessarily unique.' }),
    storeTaxonomy: t.exposeString('storeTaxonomy', {
      description: 'Taxonomy of the store.',
    }),
    region: t.exposeStringList('region', {
      deprecationReason: 'Use `regions`.',
      description: 'Regions of the store.',
    }),
    regions: t.field({
      type: [Region],
      description: 'Regions of the store.',
      resolve: ({ region }) => regions.filter((known) => region.includes(known)),
    }),
    channels: t.exposeStringList('channels', { description: 'Channels of the store.' }),
    defaultAutomation: t.exposeStringList('defaultAutomation', {
      deprecationReason: 'Use `automations`.',
      description: 'Automations that are enabled by default.',
    }),
    automations: t.field({
      type: [Automation],
      description: 'Automations enabled by default.',
      resolve: ({ defaultAutomation }) => automations.filter((known) => defaultAutomation.includes(known)),
    }),
    storeWebsite: t.exposeString(
      'storeWebsite',
      nullable('Web site of the store. The gateway stores it and never fetches it.'),
    ),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    linkedStores: t.field({
      type: [StoreRef],
      complexity: firstCost(20),
      description: 'Other stores of the same group, in the order of their creation.',
      args: { first: t.arg.int(firstArg(1_000)) },
      resolve: async (store, { first }, { loaders }) => {
        const maxCount = requireFirst(first, 1_000)
        const group = (await loaders.storesOfGroup(maxCount + 1).load(store.storeGroup)) ?? []
        const linked = group.filter((other) => other.storeUuid !== store.storeUuid).slice(0, maxCount)
        // A group is read once, but each of its stores may list it.
        const refusal = currentReadBytes().add(linked.length * bytesOfStore)
        if (refusal) throw refusal
        return linked
      },
    }),
    attributeDefinitions: t.field({
      type: [AttributeDefinitionRef],
      complexity: perStore(firstCost(10)),
      description: 'Attribute definitions of the store, ordered by name.',
      args: { first: t.arg.int(firstArg(10_000)) },
      resolve: async (store, { first }, { loaders }) =>
        (await loaders.attributeDefinitions.load(store.storeUuid)).slice(0, requireFirst(first, 10_000)),
    }),
  }),
})

export async function loadStore(text: string, { store }: Loaders) {
  const storeUuid = storeUuidOf(text)
  return storeUuid === undefined ? null : store.load(storeUuid)
}

/** The field for the store of an object. Stores are never deleted. */
export const storeField = (t: Fields<{ storeUuid: string }>, description: string) =>
  t.field({
    type: StoreRef,
    description,
    resolve: async ({ storeUuid }, _args, { loaders }) => {
      const store = await loaders.store.load(storeUuid)
      if (!store) throw new Error('a store has been deleted')
      return store
    },
  })

const StoreFilterInput = builder.inputType('StoreFilter', {
  description: 'Filter for stores. All given conditions must hold.',
  fields: (t) => ({
    search: t.string({
      ...partText,
      description: 'Stores whose name contains this string, case-insensitive: at most 1,000 characters.',
    }),
    storeTaxonomy: t.string({ description: 'Stores of this taxonomy.' }),
    region: t.string({ description: 'Stores with this region.' }),
    channel: t.string({ description: 'Stores with this channel.' }),
    storeGroup: t.id({ description: 'Stores of this group.' }),
  }),
})

builder.queryFields((t) => ({
  store: t.field({
    type: StoreRef,
    nullable: true,
    description: 'Finds a store; null when there is none or when the token has no access to it.',
    args: { storeUuid: t.arg.id(requiredLookup('UUID of the store, case-insensitive.')) },
    resolve: (_root, args, { loaders }) => loadStore(args.storeUuid, loaders),
  }),
  stores: t.connection(
    {
      type: StoreRef,
      complexity: connectionCost,
      description: 'Stores that the token has access to, in the order of their creation.',
      args: { filter: t.arg({ type: StoreFilterInput, description: 'Filter. Default: all stores.' }) },
      resolve: (_root, { filter, ...args }, { catalogue }) =>
        keysetConnection<Store>(args, {
          name: 'stores',
          keyOf: ({ storeUuid }) => storeUuid,
          isKey: isUuid,
          read: (page) => listStores(catalogue, filter ?? {}, page),
          count: () => countStores(catalogue, filter ?? {}),
        }),
    },
    countedPage('stores'),
    { description: 'A store and its cursor.' },
  ),
}))

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
    complexity: ({ limit }) => ({ field: 2, multiplier: pageOf({ limit }, maxPageSize).limit }),
    description:
      'Lists a page of the stores that the token has access to, by offset (REST extension: GET /stores). `stores` pages by cursor.',
    args: {
      filter: t.arg({ type: StoreFilterInput, description: 'Filter. Default: all stores.' }),
      ...offsetArgs('stores', maxPageSize),
    },
    resolve: (_root, { filter, ...given }, { catalogue }) => {
      const { offset, limit } = pageOf(given, maxPageSize)
      return pageStores(catalogue, filter ?? {}, offset, limit)
    },
  }),
)
