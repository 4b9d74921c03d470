import type { InputShapeFromFields } from '@pothos/core'
import { type AssetEntry, entriesOf } from '../../src/catalogue/asset-groups/asset-entries.ts'
import {
  type AssetGroup,
  type AssetGroupPage,
  type AssetGroupQuery,
  maxGroups,
} from '../../src/catalogue/asset-groups/asset-groups.ts'
import { listGroups } from '../../src/catalogue/asset-groups/list-groups.ts'
import { type Enumerations, requireOneOf } from '../../src/catalogue/enumerations.ts'
import { offsetArgs, pageOf, storeArgs, withDefaults } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { firstArg, firstCost, perStore, requireFirst } from '../builder/lists.ts'
import { keyInStore, loadByKeys } from '../builder/node-ids.ts'
import { optionalChannel, optionalFormat } from '../builder/options.ts'
import { ProductRef } from '../products/product.ts'
import { StoreRef, storeField } from '../stores/store.ts'

const maxAssets = 1_000_000
const defaultAssets = 1_000

const AssetEntryRef = builder.objectRef<AssetEntry>('AssetEntry').implement({
  description: 'One asset of a group, with its position (spec: Asset entry).',
  fields: (t) => ({
    assetId: t.exposeString('assetId', { description: 'Id of the asset, unique in its store: 1 to 255 characters.' }),
    url: t.exposeString('url', {
      description: 'Absolute URL of the asset. The gateway stores it and never fetches it.',
    }),
    position: t.exposeInt('position', { description: 'Position in the group, from 1, without gaps.' }),
    urlField: t.exposeString('urlField', {
      description:
        'Name of the field that holds the URL in REST answers: the format and the position, such as `Image URL 1`.',
    }),
  }),
})

export const AssetGroupRef = builder.objectRef<AssetGroup>('AssetGroup')

builder.node(AssetGroupRef, {
  id: {
    resolve: ({ storeUuid, channel, assetFormat, parentCode }) =>
      keyInStore(storeUuid, channel, assetFormat, parentCode),
  },
  loadManyWithoutCache: (keys, { loaders }) =>
    loadByKeys(keys, async (storeUuid, channel: string, assetFormat: string, productCode: string) => {
      const groups = await loaders.assetGroupsOfParent({ channel, assetFormat }).load({ storeUuid, productCode })
      return groups?.[0]
    }),
  description:
    'The assets of one format that are linked to one parent code on one channel (spec: Asset group). A group exists while it has at least one asset.',
  fields: (t) => ({
    parentCode: t.exposeString('parentCode', {
      description: 'Parent code: the SKU code of a product, which need not exist.',
    }),
    channel: t.exposeString('channel', { description: 'Channel of the group.' }),
    assetType: t.exposeString('assetFormat', { description: 'Asset format of the group, such as `image`.' }),
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store that owns the group.' }),
    store: storeField(t, 'Store that owns the group.'),
    assets: t.field({
      type: [AssetEntryRef],
      complexity: firstCost(10),
      description: 'Assets of the group in the order of their positions; at least one.',
      args: { first: t.arg.int(firstArg(maxAssets, defaultAssets)) },
      resolve: ({ assetFormat, entries }, { first }) =>
        entriesOf(assetFormat, entries, requireFirst(first, maxAssets, defaultAssets)),
    }),
    product: t.field({
      type: ProductRef,
      nullable: true,
      description: 'Product whose code is the parent code; null when there is none.',
      resolve: async (group, _args, { loaders }) =>
        loaders.product.load({ storeUuid: group.storeUuid, productCode: group.parentCode }),
    }),
  }),
})

const AssetGroupPageRef = builder.objectRef<AssetGroupPage>('AssetGroupPage').implement({
  description: 'A page of asset groups, ordered by parent code (by code point).',
  fields: (t) => ({
    totalGroups: t.exposeInt('totalGroups', { description: 'Exact number of groups that match, on all pages.' }),
    returnedGroups: t.int({ description: 'Number of groups on this page.', resolve: (page) => page.groups.length }),
    groups: t.expose('groups', {
      type: [AssetGroupRef],
      complexity: { field: 0, multiplier: 1 },
      description: 'Groups of this page.',
    }),
  }),
})

const pageArgs = builder.args((t) => ({
  channel: t.string(optionalChannel('Channel to list. An unknown channel lists nothing.')),
  assetFormat: t.string(
    optionalFormat('Asset format to list: one of `enumerations.assetFormats`, otherwise `invalid_request`.'),
  ),
  ...offsetArgs('groups', maxGroups),
}))

type PageArguments = InputShapeFromFields<typeof pageArgs>

/** Throws `invalid_request` for an unknown format. */
function requireGoodQuery(args: PageArguments, { assetFormats }: Enumerations): AssetGroupQuery {
  const { channel, assetFormat } = withDefaults({ channel: args.channel, assetFormat: args.assetFormat })
  requireOneOf('assetFormat', assetFormat, assetFormats)
  return { channel, assetFormat, ...pageOf(args, maxGroups) }
}

const noGroups: AssetGroupPage = { totalGroups: 0, groups: [], version: null }

const pageCost = (args: PageArguments) => ({ field: 1, multiplier: pageOf(args, maxGroups).limit })

builder.objectField(StoreRef, 'assetGroups', (t) =>
  t.field({
    type: AssetGroupPageRef,
    complexity: perStore(pageCost),
    description:
      'A page of asset groups of this store, by offset (spec: GET /assets). Errors: `invalid_request` (unknown format).',
    args: pageArgs,
    resolve: async ({ storeUuid }, args, { loaders, enumerations }) =>
      (await loaders.assetGroupPage(requireGoodQuery(args, enumerations)).load(storeUuid)) ?? noGroups,
  }),
)

builder.queryField('assetGroups', (t) =>
  t.field({
    type: AssetGroupPageRef,
    complexity: pageCost,
    description:
      'Lists a page of asset groups of one store, through the filtering service if one is configured (spec: GET /assets). Errors: `invalid_request`, `store_not_found`, `downstream_unavailable`.',
    args: { ...storeArgs, ...pageArgs },
    resolve: async (_root, args, { catalogue, enumerations, filterService }) =>
      listGroups(catalogue, args.storeUuid, requireGoodQuery(args, enumerations), filterService),
  }),
)

builder.objectField(ProductRef, 'assetGroups', (t) =>
  t.field({
    type: [AssetGroupRef],
    complexity: { field: 1, multiplier: 3 },
    description:
      "Asset groups whose parent code is this product's code, ordered by channel and format. Without arguments: all channels and formats.",
    args: {
      channel: t.arg.string({ description: 'Only groups of this channel.' }),
      assetFormat: t.arg.string({ description: 'Only groups of this asset format.' }),
    },
    resolve: async (product, { channel, assetFormat }, { loaders }) =>
      (await loaders.assetGroupsOfParent({ channel, assetFormat }).load(product)) ?? [],
  }),
)
