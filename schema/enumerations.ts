import { type Enumerations, productStatuses } from '../src/catalogue/enumerations.ts'
import { builder } from './builder/builder.ts'

const nameOfStatus = (status: string) => status.replace(' ', '_').toUpperCase()

export const ProductStatus = builder.enumType('ProductStatus', {
  description: 'Status of a product. Every transition is allowed (spec: States and transitions).',
  values: Object.fromEntries(
    productStatuses.map((value) => [nameOfStatus(value), { value, description: `\`${value}\` over REST.` }]),
  ) as Record<string, { value: (typeof productStatuses)[number]; description: string }>,
})

const EnumerationsRef = builder.objectRef<Enumerations>('Enumerations').implement({
  description: 'Values that the service accepts at present (spec: Enumerations).',
  fields: (t) => ({
    channels: t.exposeStringList('channels', {
      description: 'Channels, from the global configuration; always contains `SMP`.',
    }),
    assetFormats: t.exposeStringList('assetFormats', {
      description: 'Asset formats, from the global configuration.',
    }),
    storeTaxonomies: t.exposeStringList('storeTaxonomies', {
      description:
        'Store taxonomies, from the global configuration. The first one is the value that the specification calls `catalog`.',
    }),
    regions: t.exposeStringList('regions', { description: 'Regions of stores.' }),
    defaultAutomations: t.exposeStringList('defaultAutomations', {
      description: 'Automations that a store can enable by default.',
    }),
  }),
})

builder.queryField('enumerations', (t) =>
  t.field({
    type: EnumerationsRef,
    description:
      'Values that the service accepts at present for channels, asset formats, taxonomies, regions and automations.',
    resolve: (_root, _args, { enumerations }) => enumerations,
  }),
)
