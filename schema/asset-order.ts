import { moveAssets } from '../src/catalogue/assets/move-assets.ts'
import { defaultChannel, defaultFormat, resolveWrite, withDefaults, writeArgs } from './arguments.ts'
import { AssetGroupRef } from './asset-group.ts'
import { builder } from './builder.ts'

const groupArgs = builder.args((t) => ({
  channel: t.string({ defaultValue: defaultChannel, description: 'Channel of the group.' }),
  parentCode: t.string({ required: true, description: 'Parent code of the group.' }),
  assetFormat: t.string({ defaultValue: defaultFormat, description: 'Asset format of the group.' }),
}))

builder.mutationFields((t) => ({
  moveAsset: t.field({
    type: AssetGroupRef,
    description:
      'Moves one asset to another position of its group and shifts the assets in between. Returns the group. To set the whole order use `reorderAssets`. Errors: `invalid_request`, `store_not_found`, `link_not_found`.',
    args: {
      ...writeArgs,
      ...groupArgs,
      assetId: t.arg.string({ required: true, description: 'Id of the asset to move.' }),
      position: t.arg.int({
        required: true,
        description: 'New position, from 1; a value past the end means the end.',
        validate: { min: 1 },
      }),
    },
    resolve: resolveWrite((transaction, { assetId, position, ...group }) =>
      moveAssets(transaction, withDefaults(group), [assetId], position),
    ),
  }),
  reorderAssets: t.field({
    type: AssetGroupRef,
    description:
      'Puts the given assets of a group first, in the given order; the other assets follow in their present order. Returns the group. Errors: `store_not_found`, `link_not_found`.',
    args: {
      ...writeArgs,
      ...groupArgs,
      assetIds: t.arg.stringList({ required: true, description: 'Ids of assets of the group: at most 10,000.' }),
    },
    resolve: resolveWrite((transaction, { assetIds, ...group }) =>
      moveAssets(transaction, withDefaults(group), assetIds),
    ),
  }),
}))
