import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import RelayPlugin from '@pothos/plugin-relay'
import ZodPlugin from '@pothos/plugin-zod'
import { GraphQLError } from 'graphql'
import type { Context } from '../src/context.ts'
import type { JsonText } from './json-text.ts'
import { validationError } from './validation.ts'

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: never; Output: Date }
    AttributeMap: { Input: Record<string, unknown>; Output: Record<string, string> }
    JSON: { Input: never; Output: JsonText }
  }
}>({
  plugins: [ZodPlugin, RelayPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  zod: { validationError },
  // Costs are stated here and judged before anything runs, by the class of the token: nothing is left to do in resolvers.
  complexity: { disabled: true },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodesOnConnection: false,
    edgeCursorType: 'String',
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The page, in order.',
      complexity: { field: 0, multiplier: 1 },
    },
    nodeFieldOptions: { nullable: false, description: 'What stands at this place.' },
    cursorFieldOptions: { description: 'Opaque: give it back as `after` or `before`.' },
    pageInfoFieldOptions: { description: 'Where the page stands among all that match.' },
    pageInfoTypeOptions: { description: 'Where a page stands among all that match.' },
    hasNextPageFieldOptions: { description: 'Whether something comes after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether something comes before this page.' },
    startCursorFieldOptions: { nullable: true, description: 'The cursor of the first edge; null on an empty page.' },
    endCursorFieldOptions: { nullable: true, description: 'The cursor of the last edge; null on an empty page.' },
    beforeArgOptions: { description: 'Only what comes before this cursor.' },
    afterArgOptions: { description: 'Only what comes after this cursor.' },
    firstArgOptions: {
      description: 'How many from the start: at most 100; 20 when neither `first` nor `last` is given.',
      validate: { min: 0 },
    },
    lastArgOptions: { description: 'How many from the end: at most 100.', validate: { min: 0 } },
  },
})

builder.queryType({ description: 'Reading the catalogue.' })
builder.mutationType({
  description:
    'Changing the catalogue. Each field is one transaction: what it answers is durable, what fails left no part behind.',
})

builder.scalarType('DateTime', {
  description: 'A moment in time as RFC 3339 in UTC, such as `2026-11-21T10:00:00.000Z`.',
  serialize: (date) => date.toISOString(),
})

builder.scalarType('AttributeMap', {
  description:
    'A JSON object of attribute name to value. On input any JSON value is let through, to be judged per attribute; on output all values are strings.',
  serialize: (attributes) => attributes,
  parseValue: (value) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    throw new GraphQLError('AttributeMap must be an object of attribute name to value')
  },
})

builder.scalarType('JSON', {
  description: 'Any JSON value. Only on output.',
  serialize: (value) => value,
})
