import { type PlacedAssets, placeAssets } from '../src/catalogue/assets/place-assets.ts'
import { defaultChannel, defaultFormat, resolveWrite, writeArgs } from './arguments.ts'
import { builder } from './builder.ts'
import { failureFields } from './error-info.ts'

const AssetPlacementInput = builder.inputType('AssetPlacement', {
  description: 'Asset URLs with their positions in one group.',
  fields: (t) => ({
    parentCode: t.string({
      required: true,
      description: 'Parent code of the group: 1 to 255 characters. A product of this code need not exist.',
    }),
    assetFormat: t.string({
      defaultValue: defaultFormat,
      description: 'Asset format of the group: one of `enumerations.assetFormats`.',
    }),
    assets: t.field({
      type: 'AttributeMap',
      required: true,
      description: 'Map from URL field to URL: `Image URL 2` puts the URL at position 2. An invalid entry fails alone.',
    }),
  }),
})

const PlaceAssetsResult = builder.objectRef<PlacedAssets>('PlaceAssetsResult').implement({
  description: 'Result of `placeAssets`.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Number of assets that are new in their group.' }),
    updated: t.exposeInt('updated', { description: 'Number of assets that were in their group and moved.' }),
    ...failureFields(t),
  }),
})

builder.mutationField('placeAssets', (t) =>
  t.field({
    type: PlaceAssetsResult,
    description:
      'Inserts assets at given positions of their groups; the assets from that position on move back by one, and a position past the end means the end (REST extension: POST /assets). A URL that the store already has keeps its asset id; a URL that the group already has moves. To append use `addAssets`. Errors: `invalid_request`, `store_not_found`.',
    args: {
      ...writeArgs,
      channel: t.arg.string({
        defaultValue: defaultChannel,
        description: 'Channel of the groups: one of `enumerations.channels`.',
      }),
      groups: t.arg({
        type: [AssetPlacementInput],
        required: true,
        description: 'Groups with the assets to insert: at most 10,000.',
      }),
    },
    resolve: resolveWrite((transaction, { storeUuid, channel, groups }, { enumerations }) =>
      placeAssets(
        transaction,
        enumerations,
        { storeUuid, channel: channel ?? defaultChannel },
        groups.map((group) => ({ ...group, assetFormat: group.assetFormat ?? defaultFormat })),
      ),
    ),
  }),
)
