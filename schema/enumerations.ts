import { automations, type Enumerations, enumNameOf, productStatuses, regions } from '../src/catalogue/enumerations.ts'
import { builder } from './builder/builder.ts'

/** A closed set of values, each with its description, as an enum. */
export function enumOf<Value extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Value, string>>,
) {
  const values = Object.entries(descriptions).map(([value, described]) => {
    return [enumNameOf(value), { value, description: described }]
  })
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(values) as Record<string, { value: Value; description: string }>,
  })
}

/** The descriptions of values that REST has, too. */
export function overRest<Value extends string>(values: readonly Value[]): Record<Value, string> {
  const described = values.map((value) => [value, `\`${value}\` over REST.`])
  return Object.fromEntries(described) as Record<Value, string>
}

export const ProductStatus = enumOf(
  'ProductStatus',
  'Status of a product. Every transition is allowed (spec: States and transitions).',
  overRest(productStatuses),
)

export const Region = enumOf('Region', 'Region of a store (spec: Enumerations).', overRest(regions))

const ofAutomation = 'Automation that a store can enable (spec: Enumerations).'
export const Automation = enumOf('Automation', ofAutomation, overRest(automations))

const EnumerationsRef = builder.objectRef<Enumerations>('Enumerations').implement({
  description: 'Values that the gateway accepts at present (spec: Enumerations).',
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
      'Values that the gateway accepts at present for channels, asset formats, taxonomies, regions and automations.',
    resolve: (_root, _args, { enumerations }) => enumerations,
  }),
)
