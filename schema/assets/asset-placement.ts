import { moveAssets } from '../../src/catalogue/assets/move-assets.ts'
import { placeAssets } from '../../src/catalogue/assets/place-assets.ts'
import { defaultAssetFormat, defaultChannel } from '../../src/catalogue/enumerations.ts'
import { isSelected } from '../../src/graphql/limits/answer-size.ts'
import { type ResultOf, resolveWrite, withDefaults, writeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { optionalChannel, optionalFormat, required } from '../builder/options.ts'
import { failureFields } from '../error-info.ts'
import { AssetGroupRef } from './asset-group.ts'

const AssetPlacementInput = builder.inputType('AssetPlacement', {
  description: 'Asset URLs with their positions in one group.',
  fields: (t) => ({
    parentCode: t.string(
      required('Parent code of the group: 1 to 255 characters. A product of this code need not exist.'),
    ),
    assetFormat: t.string(optionalFormat('Asset format of the group: one of `enumerations.assetFormats`.')),
    assets: t.field({
      type: 'AttributeMap',
      required: true,
      description: 'Map from URL field to URL: `Image URL 2` puts the URL at position 2. An invalid entry fails alone.',
    }),
  }),
})

const PlaceAssetsResult = builder.objectRef<ResultOf<typeof placeAssets>>('PlaceAssetsResult').implement({
  description: 'Result of `placeAssets`.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Number of assets that are new in their group.' }),
    updated: t.exposeInt('updated', { description: 'Number of assets that were in their group and moved.' }),
    ...failureFields(t),
  }),
})

const groupArgs = builder.args((t) => ({
  channel: t.string(optionalChannel('Channel of the group.')),
  parentCode: t.string(required('Parent code of the group.')),
  assetFormat: t.string(optionalFormat('Asset format of the group.')),
}))

builder.mutationFields((t) => ({
  moveAsset: t.field({
    type: AssetGroupRef,
    description:
      'Moves one asset to another position of its group and shifts the assets in between. Returns the group. To set the whole order use `reorderAssets`. Errors: `invalid_request`, `store_not_found`, `link_not_found`.',
    args: {
      ...writeArgs,
      ...groupArgs,
      assetId: t.arg.string(required('Id of the asset to move.')),
      position: t.arg.int({
        required: true,
        description: 'New position, from 1; a value past the end means the end.',
        validate: { min: 1 },
      }),
    },
    resolve: resolveWrite(
      (catalogue, { assetId, position, ...group }, _context, info) =>
        moveAssets(catalogue, withDefaults(group), [assetId], { position, isShown: isSelected(info, 'assets') }),
      () => 1,
    ),
  }),
  reorderAssets: t.field({
    type: AssetGroupRef,
    description:
      'Puts the given assets of a group first, in the given order; the other assets follow in their present order. Returns the group. Errors: `store_not_found`, `link_not_found`.',
    args: {
      ...writeArgs,
      ...groupArgs,
      assetIds: t.arg.stringList(required('Ids of assets of the group: at most 10,000.')),
    },
    resolve: resolveWrite(
      (catalogue, { assetIds, ...group }, _context, info) =>
        moveAssets(catalogue, withDefaults(group), assetIds, { isShown: isSelected(info, 'assets') }),
      (_group, { assetIds }) => assetIds.length,
    ),
  }),
  placeAssets: t.field({
    type: PlaceAssetsResult,
    description:
      'Inserts assets at given positions of their groups; the assets from that position on move back by one, and a position past the end means the end (REST extension: POST /assets). A URL that the store already has keeps its asset id; a URL that the group already has moves. To append use `addAssets`. Errors: `invalid_request`, `store_not_found`.',
    args: {
      ...writeArgs,
      channel: t.arg.string(optionalChannel('Channel of the groups: one of `enumerations.channels`.')),
      groups: t.arg({
        type: [AssetPlacementInput],
        required: true,
        description: 'Groups with the assets to insert: at most 10,000.',
      }),
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, channel, groups }, { enumerations }) =>
        placeAssets(
          catalogue,
          enumerations,
          { storeUuid, channel: channel ?? defaultChannel },
          groups.map((group) => ({ ...group, assetFormat: group.assetFormat ?? defaultAssetFormat })),
        ),
      ({ created, updated }) => created + updated,
    ),
  }),
}))
