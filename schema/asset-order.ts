import { moveAsset, reorderAssets } from '../src/catalog/reorder-assets.ts'
import { write } from '../src/catalog/write.ts'
import { AssetGroupRef } from './asset-group.ts'
import { builder } from './builder.ts'
import { dryRunArg, items, storable } from './validation.ts'

const groupArgs = builder.args((t) => ({
  storeUuid: t.id({ required: true, description: 'The store.', validate: storable }),
  channel: t.string({ defaultValue: 'SMP', description: 'The channel of the group.', validate: storable }),
  parentCode: t.string({ required: true, description: 'The parent code of the group.', validate: storable }),
  assetFormat: t.string({ defaultValue: 'image', description: 'The format of the group.', validate: storable }),
  dryRun: t.boolean(dryRunArg),
}))

interface GroupArguments {
  storeUuid: string
  channel?: string | null | undefined
  parentCode: string
  assetFormat?: string | null | undefined
}

const keyOf = ({ storeUuid, channel, parentCode, assetFormat }: GroupArguments) => ({
  storeUuid,
  channel: channel ?? 'SMP',
  parentCode,
  assetFormat: assetFormat ?? 'image',
})

builder.mutationFields((t) => ({
  moveAsset: t.field({
    type: AssetGroupRef,
    description:
      'Moves an asset to another place of its group; the others close up. Answers with the group. Errors: `invalid_request`, `store_not_found`, `link_not_found`.',
    args: {
      ...groupArgs,
      assetId: t.arg.string({ required: true, description: 'The asset to move.', validate: storable }),
      position: t.arg.int({
        required: true,
        description: 'Its new place, from 1; past the end it goes to the end.',
        validate: { min: 1 },
      }),
    },
    resolve: (_root, { assetId, position, dryRun, ...group }, { db }) =>
      write(db, dryRun ?? false, (transaction) => moveAsset(transaction, keyOf(group), assetId, position)),
  }),
  reorderAssets: t.field({
    type: AssetGroupRef,
    description:
      'Puts the named assets of a group first, in the order given; the others follow as they were. Answers with the group. Errors: `store_not_found`, `link_not_found`.',
    args: {
      ...groupArgs,
      assetIds: t.arg.stringList({
        required: true,
        description: 'Asset ids of the group; at most 10,000.',
        validate: items,
      }),
    },
    resolve: (_root, { assetIds, dryRun, ...group }, { db }) =>
      write(db, dryRun ?? false, (transaction) => reorderAssets(transaction, keyOf(group), assetIds)),
  }),
}))
