import { listOptions, maxOptions, type Option, type OptionKind } from '../../src/catalogue/dashboards/list-options.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { storeCount, storesArg } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'

const OptionKindRef = builder.enumType('OptionKind', {
  description: 'Kind of options.',
  values: {
    STORES: { value: 'store', description: 'Stores: the label is the name, the value the UUID.' },
    CHANNELS: { value: 'channel', description: 'Channels of the stores.' },
    FORMATS: { value: 'format', description: 'Asset formats.' },
    STATUSES: {
      value: 'status',
      description: 'Product statuses: the label is as in REST, the value as in `ProductStatus`.',
    },
    ATTRIBUTES: { value: 'attribute', description: 'Names of the attribute definitions of the stores.' },
    OPERATIONS: { value: 'operation', description: 'Operations of the last 1,000 changes of the stores.' },
    ACTORS: { value: 'actor', description: 'Actors of the last 1,000 changes of the stores.' },
  } satisfies Record<string, { value: OptionKind; description: string }>,
})

const OptionRef = builder.objectRef<Option>('Option').implement({
  description: 'A choice for a variable of a dashboard.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Label.' }),
    value: t.exposeString('value', { description: 'Value for arguments and filters.' }),
  }),
})

builder.queryField('options', (t) =>
  t.field({
    type: [OptionRef],
    complexity: (args) => ({ field: 10 * storeCount(args), multiplier: 100 }),
    description: `Options for the variables of a dashboard, in alphabetical order: at most ${maxOptions}. Errors: \`changes_disabled\` (operations and actors).`,
    args: {
      of: t.arg({ type: OptionKindRef, required: true, description: 'Kind of options.' }),
      search: t.arg.string({ description: 'Only options whose label contains this string, case-insensitive.' }),
      ...storesArg,
    },
    resolve: (_root, { of, ...given }, context) => {
      if (of === 'operation' || of === 'actor') requireLedger(context)
      return listOptions(context.catalogue, context.enumerations, of, given)
    },
  }),
)
