import { type Enumerations, productStatuses } from '../src/catalog/enumerations.ts'
import { builder } from './builder.ts'

const nameOfStatus = (status: string) => status.replace(' ', '_').toUpperCase()

export const ProductStatus = builder.enumType('ProductStatus', {
  description: 'Where a product stands. Any move between the values is allowed (spec: States and transitions).',
  values: Object.fromEntries(
    productStatuses.map((value) => [nameOfStatus(value), { value, description: `\`${value}\` over REST.` }]),
  ) as Record<string, { value: (typeof productStatuses)[number]; description: string }>,
})

const EnumerationsRef = builder.objectRef<Enumerations>('Enumerations').implement({
  description: 'The enumerations in force (spec: Enumerations): what the service accepts at this moment.',
  fields: (t) => ({
    channels: t.stringList({
      description: 'Channels, from the global configuration; `SMP` is always among them.',
      resolve: ({ channels }) => [...channels],
    }),
    assetFormats: t.stringList({
      description: 'Asset formats, from the global configuration.',
      resolve: ({ assetFormats }) => [...assetFormats],
    }),
    storeTaxonomies: t.stringList({
      description:
        'Store taxonomies, from the global configuration; the first is what the specification calls `catalog`.',
      resolve: ({ storeTaxonomies }) => [...storeTaxonomies],
    }),
    regions: t.stringList({ description: 'Regions of stores.', resolve: ({ regions }) => [...regions] }),
    defaultAutomations: t.stringList({
      description: 'Automations that a store can have switched on by default.',
      resolve: ({ defaultAutomations }) => [...defaultAutomations],
    }),
  }),
})

builder.queryField('enumerations', (t) =>
  t.field({
    type: EnumerationsRef,
    description: 'The enumerations in force: channels, asset formats, taxonomies, regions, automations.',
    resolve: (_root, _args, { enumerations }) => enumerations,
  }),
)
