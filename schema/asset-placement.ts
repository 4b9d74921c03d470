import { type PlacedAssets, placeAssets } from '../src/catalog/place-assets.ts'
import { write } from '../src/catalog/write.ts'
import { builder } from './builder.ts'
import { ErrorInfo, failedFields } from './error-info.ts'
import { dryRunArg, items, storable } from './validation.ts'

const AssetPlacementInput = builder.inputType('AssetPlacement', {
  description: 'URLs to put at places of one group.',
  fields: (t) => ({
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
    assets: t.field({
      type: 'AttributeMap',
      required: true,
      description: 'URL field to URL: `Image URL 2` puts the URL at the second place. Bad ones fail alone.',
    }),
  }),
})

const PlaceAssetsResult = builder.objectRef<PlacedAssets>('PlaceAssetsResult').implement({
  description: 'What became of the assets to place.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Entries that are new in their group.' }),
    updated: t.exposeInt('updated', { description: 'Entries that were in their group already and moved.' }),
    failed: t.int({ description: failedFields.failed, resolve: (result) => result.failures.length }),
    errorInfo: t.field({
      type: [ErrorInfo],
      description: failedFields.errorInfo,
      resolve: (result) => result.failures,
    }),
  }),
})

builder.mutationField('placeAssets', (t) =>
  t.field({
    type: PlaceAssetsResult,
    description:
      'The POST /assets operation: puts the asset at place n of the group, those from n on move back (past the end: at the end). A URL that the store has keeps its asset id; one that is in the group moves. Errors: `invalid_request`, `store_not_found`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      channel: t.arg.string({ defaultValue: 'SMP', description: 'The channel of the groups.', validate: storable }),
      groups: t.arg({ type: [AssetPlacementInput], required: true, description: 'At most 10,000.', validate: items }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { storeUuid, channel, groups, dryRun }, { db, enumerations }) =>
      write(db, dryRun ?? false, (transaction) =>
        placeAssets(
          transaction,
          enumerations,
          { storeUuid, channel: channel ?? 'SMP' },
          groups.map((group) => ({ ...group, assetFormat: group.assetFormat ?? 'image' })),
        ),
      ),
  }),
)
