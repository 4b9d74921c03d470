import { addAssets } from '../../src/catalogue/assets/add-assets.ts'
import { deleteAssets, type Removed, unlinkAssets } from '../../src/catalogue/assets/remove-assets.ts'
import { dryRunArgs, type ResultOf, resolveWrite, withDefaults, writeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { optionalChannel, optionalFormat, required } from '../builder/options.ts'
import { failureFields } from '../error-info.ts'

const NewAssetInput = builder.inputType('NewAsset', {
  description: 'An asset to append to a group.',
  fields: (t) => ({
    assetId: t.string({
      description:
        "Id of the asset: 1 to 255 characters. Default: the id of the store's asset with the same format and URL, otherwise a generated UUID.",
    }),
    channel: t.string(optionalChannel('Channel of the group: one of `enumerations.channels`.')),
    parentCode: t.string(
      required('Parent code of the group: 1 to 255 characters. A product of this code need not exist.'),
    ),
    assetFormat: t.string(optionalFormat('Asset format: one of `enumerations.assetFormats`.')),
    url: t.string(
      required('Absolute URL with a host, at most 2,048 characters. The gateway stores it and never fetches it.'),
    ),
  }),
})

const AddAssetsResult = builder.objectRef<ResultOf<typeof addAssets>>('AddAssetsResult').implement({
  description: 'Result of `addAssets`.',
  fields: (t) => ({
    added: t.exposeInt('added', { description: 'Number of assets created.' }),
    linked: t.exposeInt('linked', { description: 'Number of links created. An existing link is not counted.' }),
    assetIds: t.exposeStringList('assetIds', {
      description: 'Asset id of each item that did not fail, in the order of the request.',
    }),
    ...failureFields(t),
  }),
})

const AssetSelectorInput = builder.inputType('AssetSelector', {
  description:
    'Selects assets of a store. All given conditions must hold. At least one of `channel`, `parentCode` and `assetId` is required, otherwise the item fails with `selector_required`.',
  fields: (t) => ({
    storeUuid: t.id(required('UUID of the store, case-insensitive.')),
    channel: t.string({ description: 'Only assets linked on this channel.' }),
    parentCode: t.string({ description: 'Only assets linked to this parent code.' }),
    assetId: t.stringList({ description: 'Only assets with these ids. An empty list selects no asset.' }),
  }),
})

const DeleteAssetsResult = builder.objectRef<Removed>('DeleteAssetsResult').implement({
  description: 'Result of `deleteAssets`.',
  fields: (t) => ({
    deletedCount: t.exposeInt('removed', { description: 'Number of assets deleted, each with all its links.' }),
    ...failureFields(t),
  }),
})

const AssetUnlinkInput = builder.inputType('AssetUnlink', {
  description: 'Selects links between assets and one parent code on one channel.',
  fields: (t) => ({
    storeUuid: t.id(required('UUID of the store, case-insensitive.')),
    parentCode: t.string(required('Parent code of the links.')),
    channel: t.string(required('Channel of the links.')),
    assetId: t.stringList({
      description:
        'Ids of the assets to unlink. Default: all assets linked to this parent code on this channel. An empty list selects none.',
    }),
  }),
})

const UnlinkAssetsResult = builder.objectRef<Removed>('UnlinkAssetsResult').implement({
  description: 'Result of `unlinkAssets`.',
  fields: (t) => ({
    unlinked: t.exposeInt('removed', { description: 'Number of links removed. The assets are kept.' }),
    ...failureFields(t),
  }),
})

builder.mutationFields((t) => ({
  addAssets: t.field({
    type: AddAssetsResult,
    description:
      'Creates assets and appends them to their groups; an existing asset is only linked. Each item succeeds or fails independently. To insert at a position use `placeAssets`. Errors: `store_not_found`.',
    args: {
      ...writeArgs,
      assets: t.arg({ type: [NewAssetInput], required: true, description: 'At most 10,000 assets.' }),
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, assets }, { enumerations }) =>
        addAssets(catalogue, enumerations, storeUuid, assets.map(withDefaults)),
      ({ added, linked }) => added + linked,
    ),
  }),
  deleteAssets: t.field({
    type: DeleteAssetsResult,
    description:
      'Deletes assets with all their links (spec: DELETE /assets). Each item succeeds or fails independently. To keep the assets use `unlinkAssets`.',
    args: {
      selectors: t.arg({
        type: [AssetSelectorInput],
        required: true,
        description: 'At most 10,000 selectors. An asset that several of them select counts once.',
      }),
      ...dryRunArgs,
    },
    resolve: resolveWrite(
      (catalogue, { selectors }) => deleteAssets(catalogue, selectors),
      ({ removed }) => removed,
    ),
  }),
  unlinkAssets: t.field({
    type: UnlinkAssetsResult,
    description:
      'Removes links between assets and a parent code on a channel, never the assets (spec: POST /assets/unlink). Each item succeeds or fails independently.',
    args: {
      links: t.arg({ type: [AssetUnlinkInput], required: true, description: 'At most 10,000 items.' }),
      ...dryRunArgs,
    },
    resolve: resolveWrite(
      (catalogue, { links }) => unlinkAssets(catalogue, links),
      ({ removed }) => removed,
    ),
  }),
}))
