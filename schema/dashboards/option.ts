import { listOptions, mostOptions, type Option, type OptionKind } from '../../src/catalogue/rows/list-options.ts'
import { mostStores } from '../../src/catalogue/rows/rows-of-stores.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { builder } from '../builder/builder.ts'
import { rowStoresArg } from './rows.ts'

const OptionKindRef = builder.enumType('OptionKind', {
  description: 'What the options are values of.',
  values: {
    STORES: { value: 'store', description: 'Stores: their names, and their UUIDs as values.' },
    CHANNELS: { value: 'channel', description: 'Channels of the stores.' },
    FORMATS: { value: 'format', description: 'Asset formats.' },
    STATUSES: { value: 'status', description: 'Product statuses as in REST, with values as in `ProductStatus`.' },
    ATTRIBUTES: { value: 'attribute', description: 'Attributes that the stores have definitions of.' },
    OPERATIONS: { value: 'operation', description: 'Operations of the last 1,000 changes of the stores.' },
    ACTORS: { value: 'actor', description: 'Who made the last 1,000 changes of the stores.' },
  } satisfies Record<string, { value: OptionKind; description: string }>,
})

const OptionRef = builder.objectRef<Option>('Option').implement({
  description: 'A value that a variable of a dashboard can have.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What people see.' }),
    value: t.exposeString('value', { description: 'What arguments and filters take.' }),
  }),
})

builder.queryField('options', (t) =>
  t.field({
    type: [OptionRef],
    complexity: ({ storeUuids }) => ({ field: 10 * (storeUuids?.length ?? mostStores), multiplier: 100 }),
    description: `Options for the variables of a dashboard, in alphabetical order: at most ${mostOptions}. Errors: \`changes_disabled\` (operations and actors).`,
    args: {
      of: t.arg({ type: OptionKindRef, required: true, description: 'What to list the values of.' }),
      search: t.arg.string({ description: 'Options whose text contains this string, case-insensitive.' }),
      ...rowStoresArg,
    },
    resolve: (_root, { of, ...given }, context) => {
      if (of === 'operation' || of === 'actor') requireLedger(context)
      return listOptions(context.catalogue, context.enumerations, of, given)
    },
  }),
)
