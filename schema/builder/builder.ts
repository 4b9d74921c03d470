import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import RelayPlugin from '@pothos/plugin-relay'
import ZodPlugin from '@pothos/plugin-zod'
import { GraphQLError } from 'graphql'
import type { Context } from '../../src/graphql/context.ts'
import { isObject } from '../../src/text.ts'
import { DefaultValidation, validationError } from './validation.ts'

interface BuilderTypes {
  Context: Context
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: never; Output: Date }
    AttributeMap: { Input: Record<string, unknown>; Output: Record<string, string> }
  }
}

export const builder = createBuilder()

function createBuilder() {
  SchemaBuilder.registerPlugin('defaultValidation', DefaultValidation)
  return new SchemaBuilder<BuilderTypes>({
    // The last comes first: zod's plugin reads what it adds.
    plugins: [ZodPlugin, RelayPlugin, ComplexityPlugin, 'defaultValidation'],
    defaultFieldNullability: false,
    zod: { validationError },
    // Costs are stated in the schema and checked before anything runs (src/graphql/cost.ts), not in resolvers.
    complexity: { disabled: true },
    relay: {
      nodeQueryOptions: false,
      nodesQueryOptions: false,
      nodesOnConnection: false,
      edgeCursorType: 'String',
      edgesFieldOptions: {
        nullable: { list: false, items: false },
        description: 'Edges of this page, in order.',
        complexity: { field: 0, multiplier: 1 },
      },
      nodeFieldOptions: { nullable: false, description: 'The item of this edge.' },
      cursorFieldOptions: { description: 'Opaque cursor of this edge, for `after` or `before`.' },
      pageInfoFieldOptions: { description: 'Position of the page in the whole list.' },
      pageInfoTypeOptions: { description: 'Position of a page in the whole list (Relay connections).' },
      hasNextPageFieldOptions: { description: 'Whether items follow this page.' },
      hasPreviousPageFieldOptions: { description: 'Whether items precede this page.' },
      startCursorFieldOptions: { nullable: true, description: 'Cursor of the first edge; null on an empty page.' },
      endCursorFieldOptions: { nullable: true, description: 'Cursor of the last edge; null on an empty page.' },
      beforeArgOptions: {
        description: 'Only items before this cursor. Errors: `invalid_request` for a cursor of another connection.',
      },
      afterArgOptions: {
        description: 'Only items after this cursor. Errors: `invalid_request` for a cursor of another connection.',
      },
      firstArgOptions: {
        description:
          'Page size from the start of the list: values above 100 are clamped to 100. Default: 20. Not together with `last`.',
        validate: { min: 0 },
      },
      lastArgOptions: {
        description:
          'Page size from the end of the list: values above 100 are clamped to 100. Not together with `first`.',
        validate: { min: 0 },
      },
    },
  })
}

builder.queryType({ description: 'Read operations. They need the scope `read`.' })
builder.mutationType({
  description:
    'Write operations. They need the scope `write`. Each field is one transaction: a result is durable, an error means that nothing was changed. An operation that selects other data than its own results (fields with arguments, or of other objects) needs the scope `read` too; it is one transaction: if such a field fails, nothing is changed.',
})

builder.scalarType('DateTime', {
  description: 'Timestamp as RFC 3339 in UTC, such as `2026-11-21T10:00:00.000Z`.',
  serialize: (date) => date.toISOString(),
})

builder.scalarType('AttributeMap', {
  description:
    'JSON object that maps attribute names to values. On output all values are strings. On input a value of any JSON type is accepted; each value is validated on its own, so that an invalid one is a failure of its product only.',
  serialize: (attributes) => attributes,
  parseValue: (value) => {
    if (isObject(value)) return value
    throw new GraphQLError('AttributeMap must be an object that maps attribute names to values')
  },
})
