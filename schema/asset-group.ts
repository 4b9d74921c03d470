import { spend } from '../src/allowance.ts'
import { type AssetEntry, entriesOf, groupsText } from '../src/catalog/asset-entries.ts'
import {
  type AssetGroup,
  type AssetGroupPage,
  checkFormat,
  groupsVersion,
  largestPage,
  listGroups,
} from '../src/catalog/asset-groups.ts'
import { listFilteredGroups } from '../src/catalog/filtered-groups.ts'
import { builder } from './builder.ts'
import { JsonText } from './json-text.ts'
import { ProductRef } from './product.ts'
import { StoreRef } from './store.ts'
import { storable } from './validation.ts'

const AssetEntryRef = builder.objectRef<AssetEntry>('AssetEntry').implement({
  description: 'An asset at its place in a group (spec: Asset entry).',
  fields: (t) => ({
    assetId: t.exposeString('assetId', { description: "The asset's id, unique in its store." }),
    url: t.exposeString('url', { description: 'Where the asset lies.' }),
    position: t.exposeInt('position', { description: 'Its place in the group, from 1, without gaps.' }),
    urlField: t.exposeString('urlField', {
      description: 'The REST field that carries the URL, such as `Image URL 1`.',
    }),
  }),
})

export const AssetGroupRef = builder.objectRef<AssetGroup>('AssetGroup').implement({
  description: 'The assets of one format that are linked to one parent code on one channel (spec: Asset group).',
  fields: (t) => ({
    parentCode: t.exposeString('parentCode', { description: "The parent code: a product's SKU code." }),
    channel: t.exposeString('channel', { description: 'The channel of the group.' }),
    assetType: t.exposeString('assetType', { description: 'The format of its assets, such as `image`.' }),
    storeUuid: t.exposeID('storeUuid', { description: 'The store that owns the group.' }),
    assets: t.field({
      type: [AssetEntryRef],
      description: 'The assets in order; at least one.',
      resolve: (group) => {
        spend(group.entries.length)
        return entriesOf(group)
      },
    }),
    product: t.field({
      type: ProductRef,
      nullable: true,
      description: 'The product of the parent code; null when there is none.',
      resolve: async (group, _args, { loaders }) =>
        loaders.product.load({ storeUuid: group.storeUuid, productCode: group.parentCode }),
    }),
  }),
})

const AssetGroupPageRef = builder.objectRef<AssetGroupPage>('AssetGroupPage').implement({
  description: 'A page of asset groups in the order of their parent codes, by code point.',
  fields: (t) => ({
    totalGroups: t.exposeInt('totalGroups', { description: 'How many groups match, exactly.' }),
    returnedGroups: t.int({ description: 'How many groups this page has.', resolve: (page) => page.groups.length }),
    groups: t.field({
      type: [AssetGroupRef],
      complexity: { field: 0, multiplier: 1 },
      description: 'The groups.',
      resolve: (page) => page.groups,
    }),
    restAssets: t.field({
      type: 'JSON',
      description:
        'The same groups as GET /v1/assets shows them: a map from parent code to group, whose `assets` are objects with `asset_id` and the URL under its field, such as `Image URL 1` (spec: Asset group).',
      resolve: ({ groups }) => {
        for (const { entries } of groups) spend(entries.length, 'text')
        return new JsonText(groupsText(groups))
      },
    }),
    version: t.exposeString('version', {
      nullable: true,
      description:
        'Stands for all that a page of this store, channel and format can show: while it is the same, so is every page. Null with a remote filter.',
    }),
  }),
})

const pageArgs = builder.args((t) => ({
  channel: t.string({
    defaultValue: 'SMP',
    description: 'The channel; an unknown one lists nothing.',
    validate: storable,
  }),
  assetFormat: t.string({
    defaultValue: 'image',
    description: 'One of `enumerations.assetFormats`, else `invalid_request`.',
    validate: storable,
  }),
  offset: t.int({ defaultValue: 0, description: 'How many groups to pass over: 0 or more.', validate: { min: 0 } }),
  limit: t.int({
    defaultValue: largestPage,
    description: 'How many groups to return: 1 or more; above 50 it counts as 50.',
    validate: { min: 1 },
  }),
}))

interface PageArguments {
  channel?: string | null | undefined
  assetFormat?: string | null | undefined
  offset?: number | null | undefined
  limit?: number | null | undefined
}

const queryOf = ({ channel, assetFormat, offset, limit }: PageArguments) => ({
  channel: channel ?? 'SMP',
  assetFormat: assetFormat ?? 'image',
  offset: offset ?? 0,
  limit: Math.min(limit ?? largestPage, largestPage),
})

const pageCost = (args: PageArguments) => ({ field: 1, multiplier: queryOf(args).limit })

builder.objectField(StoreRef, 'assetGroups', (t) =>
  t.field({
    type: AssetGroupPageRef,
    complexity: pageCost,
    description: 'A page of asset groups, by offset as the REST listing has it (spec: GET /assets).',
    args: pageArgs,
    resolve: async (store, args, { loaders, enumerations }) => {
      const query = queryOf(args)
      checkFormat(enumerations, query.assetFormat)
      return (
        (await loaders.assetGroupPage(query).load(store.storeUuid)) ?? { totalGroups: 0, groups: [], version: null }
      )
    },
  }),
)

builder.queryField('assetGroups', (t) =>
  t.field({
    type: AssetGroupPageRef,
    complexity: pageCost,
    description:
      'The GET /assets operation: a page of asset groups of one store. Errors: `invalid_request`, `store_not_found`, `downstream_unavailable`.',
    args: { storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }), ...pageArgs },
    resolve: (_root, args, { db, enumerations, filter }) => {
      const query = queryOf(args)
      checkFormat(enumerations, query.assetFormat)
      return filter ? listFilteredGroups(db, filter, args.storeUuid, query) : listGroups(db, args.storeUuid, query)
    },
  }),
)

builder.queryField('assetGroupsVersion', (t) =>
  t.string({
    nullable: true,
    description:
      'The `version` of the pages of one store, channel and format, without a page. Errors: `store_not_found`, `downstream_unavailable`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      channel: pageArgs.channel,
      assetFormat: pageArgs.assetFormat,
    },
    resolve: (_root, args, { db, filter }) => (filter ? null : groupsVersion(db, args.storeUuid, queryOf(args))),
  }),
)

builder.objectField(ProductRef, 'assetGroups', (t) =>
  t.field({
    type: [AssetGroupRef],
    complexity: { field: 1, multiplier: 3 },
    description: "The groups whose parent code is this product's code, in the order of channel and format.",
    args: {
      channel: t.arg.string({ description: 'Only the groups of this channel.', validate: storable }),
      assetFormat: t.arg.string({ description: 'Only the groups of this format.', validate: storable }),
    },
    resolve: async (product, { channel, assetFormat }, { loaders }) =>
      (await loaders.assetGroupsOfParent({ channel, assetFormat }).load(product)) ?? [],
  }),
)
