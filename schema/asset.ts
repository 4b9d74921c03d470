import { type AddedAssets, addAssets } from '../src/catalog/add-assets.ts'
import { type DeletedAssets, deleteAssets } from '../src/catalog/delete-assets.ts'
import { type UnlinkedAssets, unlinkAssets } from '../src/catalog/unlink-assets.ts'
import { write } from '../src/catalog/write.ts'
import { builder } from './builder.ts'
import { ErrorInfo, failedFields } from './error-info.ts'
import { dryRunArg, items, storable, storables } from './validation.ts'

const NewAssetInput = builder.inputType('NewAsset', {
  description: 'An asset to link at the end of a group.',
  fields: (t) => ({
    assetId: t.string({
      description:
        "1 to 255 characters. Left out: the store's asset of the same format and URL if there is one, else a generated UUID.",
      validate: storable,
    }),
    channel: t.string({ defaultValue: 'SMP', description: 'One of `enumerations.channels`.', validate: storable }),
    parentCode: t.string({
      required: true,
      description: '1 to 255 characters; need not be the code of a product.',
      validate: storable,
    }),
    assetFormat: t.string({
      defaultValue: 'image',
      description: 'One of `enumerations.assetFormats`.',
      validate: storable,
    }),
    url: t.string({
      required: true,
      description: 'An absolute URL with a host, of up to 2,048 characters; never fetched.',
      validate: storable,
    }),
  }),
})

const AddAssetsResult = builder.objectRef<AddedAssets>('AddAssetsResult').implement({
  description: 'What became of the assets to add.',
  fields: (t) => ({
    added: t.exposeInt('added', { description: 'Assets made.' }),
    linked: t.exposeInt('linked', { description: 'Links made. What was linked already is neither added nor linked.' }),
    assetIds: t.exposeStringList('assetIds', {
      description: 'The asset id of each item that did not fail, in the order of the request.',
    }),
    failed: t.int({ description: failedFields.failed, resolve: (result) => result.failures.length }),
    errorInfo: t.field({
      type: [ErrorInfo],
      description: failedFields.errorInfo,
      resolve: (result) => result.failures,
    }),
  }),
})

const AssetSelectorInput = builder.inputType('AssetSelector', {
  description: 'Which assets: `channel`, `parentCode` and `assetId` narrow together. One of them must be given.',
  fields: (t) => ({
    storeUuid: t.id({ required: true, description: 'The store.', validate: storable }),
    channel: t.string({ description: 'Assets linked on this channel.', validate: storable }),
    parentCode: t.string({ description: 'Assets linked to this parent code.', validate: storable }),
    assetId: t.stringList({ description: 'These assets; an empty list chooses none.', validate: storables }),
  }),
})

const DeleteAssetsResult = builder.objectRef<DeletedAssets>('DeleteAssetsResult').implement({
  description: 'What became of the assets to delete.',
  fields: (t) => ({
    deletedCount: t.exposeInt('deletedCount', { description: 'Assets removed, each with all its links.' }),
    failed: t.int({ description: failedFields.failed, resolve: (result) => result.failures.length }),
    errorInfo: t.field({
      type: [ErrorInfo],
      description: failedFields.errorInfo,
      resolve: (result) => result.failures,
    }),
  }),
})

const AssetUnlinkInput = builder.inputType('AssetUnlink', {
  description: 'Which links between a parent code and assets to remove on a channel.',
  fields: (t) => ({
    storeUuid: t.id({ required: true, description: 'The store.', validate: storable }),
    parentCode: t.string({ required: true, description: 'The parent code.', validate: storable }),
    channel: t.string({ required: true, description: 'The channel.', validate: storable }),
    assetId: t.stringList({
      description: 'The assets to unlink; left out: every asset linked there; an empty list: none.',
      validate: storables,
    }),
  }),
})

const UnlinkAssetsResult = builder.objectRef<UnlinkedAssets>('UnlinkAssetsResult').implement({
  description: 'What became of the links to remove.',
  fields: (t) => ({
    unlinked: t.exposeInt('unlinked', { description: 'Links removed; the assets stay.' }),
    failed: t.int({ description: failedFields.failed, resolve: (result) => result.failures.length }),
    errorInfo: t.field({
      type: [ErrorInfo],
      description: failedFields.errorInfo,
      resolve: (result) => result.failures,
    }),
  }),
})

builder.mutationFields((t) => ({
  addAssets: t.field({
    type: AddAssetsResult,
    description:
      'Creates assets and links them at the end of their group; an asset id that exists is linked, not doubled. Items fail alone. Errors: `store_not_found`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      assets: t.arg({ type: [NewAssetInput], required: true, description: 'At most 10,000.', validate: items }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { storeUuid, assets, dryRun }, { db, enumerations }) =>
      write(db, dryRun ?? false, (transaction) =>
        addAssets(
          transaction,
          enumerations,
          storeUuid,
          assets.map((asset) => ({
            ...asset,
            channel: asset.channel ?? 'SMP',
            assetFormat: asset.assetFormat ?? 'image',
          })),
        ),
      ),
  }),
  deleteAssets: t.field({
    type: DeleteAssetsResult,
    description: 'The DELETE /assets operation: removes assets and all their links. Items fail alone.',
    args: {
      selectors: t.arg({
        type: [AssetSelectorInput],
        required: true,
        description: 'At most 10,000. An asset that several of them choose counts once.',
        validate: items,
      }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { selectors, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) => deleteAssets(transaction, selectors)),
  }),
  unlinkAssets: t.field({
    type: UnlinkAssetsResult,
    description: 'The POST /assets/unlink operation: removes links, never assets. Items fail alone.',
    args: {
      links: t.arg({ type: [AssetUnlinkInput], required: true, description: 'At most 10,000.', validate: items }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { links, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) => unlinkAssets(transaction, links)),
  }),
}))
