import type { Asset, AssetFilter } from '../../src/catalogue/assets/list-assets.ts'
import { isBare } from '../../src/catalogue/conditions.ts'
import { storeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import {
  connectionCost,
  countedPage,
  firstArg,
  firstCost,
  keysetConnection,
  requireFirst,
  scanCost,
} from '../builder/lists.ts'
import { keyInStore, loadByKeys } from '../builder/node-ids.ts'
import { lookupText, partText, requiredLookup } from '../builder/options.ts'
import { loadStore, StoreRef, storeField } from '../stores/store.ts'
import { AssetGroupRef } from './asset-group.ts'

const AssetRef = builder.objectRef<Asset>('Asset')

builder.node(AssetRef, {
  id: { resolve: ({ storeUuid, assetId }) => keyInStore(storeUuid, assetId) },
  loadManyWithoutCache: (keys, { loaders }) =>
    loadByKeys(keys, (storeUuid, assetId: string) => loaders.asset.load({ storeUuid, assetId })),
  description:
    'An asset of a store: a URL with an id, in any number of groups. `AssetEntry` is its position in one of them.',
  fields: (t) => ({
    assetId: t.exposeString('assetId', { description: 'Id of the asset, unique in its store: 1 to 255 characters.' }),
    assetFormat: t.exposeString('assetFormat', { description: 'Format of the asset, such as `image`.' }),
    url: t.expose('url', {
      type: 'URL',
      description: 'Absolute URL of the asset. The gateway stores it and never fetches it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    store: storeField(t, 'Store of the asset.'),
    groups: t.field({
      type: [AssetGroupRef],
      complexity: firstCost(5),
      description: 'Groups that the asset is in, ordered by parent code and channel; none for an unlinked asset.',
      args: { first: t.arg.int(firstArg(1_000, 100)) },
      resolve: async ({ storeUuid, assetId }, { first }, { loaders }) =>
        (await loaders.groupsOfAsset(requireFirst(first, 1_000, 100)).load({ storeUuid, assetId })) ?? [],
    }),
  }),
})

const AssetFilterInput = builder.inputType('AssetFilter', {
  description: 'Filter for assets. All given conditions must hold.',
  fields: (t) => ({
    ids: t.stringList({ ...lookupText, description: 'Assets with one of these ids: at most 10,000.' }),
    assetFormat: t.string({ description: 'Assets of this format.' }),
    urlContains: t.string({
      ...partText,
      description: 'Assets whose URL contains this string, case-insensitive: at most 1,000 characters.',
    }),
    unlinked: t.boolean({ description: 'True: assets that are in no group. False: assets that are in one.' }),
  }),
})

/** Whether a filter may read all assets: no index serves its conditions. */
function mayReadAll(filter: AssetFilter | null | undefined): boolean {
  const { ids: _, ...others } = filter ?? {}
  return !isBare(others)
}

builder.objectField(StoreRef, 'assets', (t) =>
  t.connection(
    {
      type: AssetRef,
      complexity: ({ filter, ...args }) => ({
        ...connectionCost(args),
        field: 10 + (mayReadAll(filter) ? scanCost : 0),
      }),
      description:
        'Assets of the store, ordered by id, linked or not. For the assets of products on a channel use `assetGroups`.',
      args: { filter: t.arg({ type: AssetFilterInput, description: 'Filter. Default: all assets.' }) },
      resolve: ({ storeUuid }, { filter, ...args }, { loaders }) =>
        keysetConnection<Asset>(args, {
          name: 'assets',
          keyOf: ({ assetId }) => assetId,
          read: (page) => loaders.assets([filter ?? {}, page]).load(storeUuid),
          count: () => loaders.assetCount(filter ?? {}).load(storeUuid),
        }),
    },
    { name: 'AssetConnection', ...countedPage('assets') },
    { name: 'AssetEdge', description: 'An asset and its cursor.' },
  ),
)

builder.queryField('asset', (t) =>
  t.field({
    type: AssetRef,
    nullable: true,
    description: 'Finds an asset; null when there is none or when the token has no access to its store.',
    args: {
      ...storeArgs,
      assetId: t.arg.string(requiredLookup('Id of the asset.')),
    },
    resolve: async (_root, { storeUuid, assetId }, { loaders }) => {
      const store = await loadStore(storeUuid, loaders)
      return store ? loaders.asset.load({ storeUuid: store.storeUuid, assetId }) : null
    },
  }),
)
