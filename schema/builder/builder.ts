import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import RelayPlugin from '@pothos/plugin-relay'
import ZodPlugin from '@pothos/plugin-zod'
import { GraphQLError } from 'graphql'
import type { Context } from '../../src/graphql/context.ts'
import { isObject, millisecondsOf, shown, timeOf } from '../../src/text.ts'
import { decodeNodeId, encodeNodeId, requireNodeId } from './node-ids.ts'
import { DefaultValidation, validationError } from './validation.ts'

interface BuilderTypes {
  Context: Context
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    URL: { Input: string; Output: string }
    Instant: { Input: Date; Output: Date }
    Duration: { Input: number; Output: number }
    AttributeMap: { Input: Record<string, unknown>; Output: Record<string, string> }
  }
}

const maxNodes = 100

export const builder = createBuilder()

function createBuilder() {
  SchemaBuilder.registerPlugin('defaultValidation', DefaultValidation)
  return new SchemaBuilder<BuilderTypes>({
    // Plugins run from the last to the first: zod's plugin reads the validation that `defaultValidation` adds.
    plugins: [ZodPlugin, RelayPlugin, ComplexityPlugin, 'defaultValidation'],
    defaultFieldNullability: false,
    zod: { validationError },
    // Costs are stated in the schema and checked before anything runs (src/graphql/limits/), not in resolvers.
    complexity: { disabled: true },
    relay: {
      encodeGlobalID: encodeNodeId,
      decodeGlobalID: decodeNodeId,
      idFieldOptions: { description: 'Opaque id, unique among all nodes; argument of `node`.' },
      nodeTypeOptions: { description: 'An object that `node` can load by its id.' },
      nodeQueryOptions: {
        nullable: true,
        description:
          'Finds a node by its id; null when there is none or when the token has no access to it. To find a store or product by its own key use `store` or `Store.product`. Errors: `invalid_request` for a malformed id.',
        args: { id: { description: 'Id of the node.' } },
        resolve: (_root, { id }, _context, _info, resolveNode) => resolveNode(requireNodeId(id)),
      },
      nodesQueryOptions: {
        nullable: { list: false, items: true },
        description: 'Finds several nodes by their ids, in the order of the ids; null for an id of no node.',
        complexity: ({ ids }: { ids?: unknown }) => ({ field: 1, multiplier: Array.isArray(ids) ? ids.length : 1 }),
        args: {
          ids: { description: `Ids of nodes: at most ${maxNodes}.`, validate: { maxLength: maxNodes } },
        },
      },
      nodesOnConnection: {
        description: 'Items of this page, in order: those of `edges`, without their cursors.',
        complexity: { field: 0, multiplier: 1 },
      },
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
    'Write operations. They need the scope `write`. Each field is one transaction: a result is durable, an error means that nothing was changed. A mutation that also selects other data (fields with arguments, or of other objects) needs the scope `read`, too. All of its fields then run in one transaction: if one fails, nothing is changed.',
})

builder.scalarType('DateTime', {
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  description: 'Timestamp as RFC 3339, such as `2026-11-21T10:00:00.000Z`: on output in UTC.',
  serialize: (date) => date.toISOString(),
  parseValue: (value) => {
    const time = typeof value === 'string' ? timeOf(value) : undefined
    if (time) return time
    throw new GraphQLError(`DateTime must be a time as RFC 3339, such as 2026-11-21T10:00:00.000Z; got ${shown(value)}`)
  },
})

builder.scalarType('URL', {
  description: 'Absolute URL with a host, such as `https://cdn.example.com/1.jpg`.',
  specifiedByURL: 'https://url.spec.whatwg.org',
  serialize: (url) => url,
})

builder.scalarType('Instant', {
  description:
    'Time as RFC 3339, or milliseconds since 1970 as a number or a string of digits, which dashboard tools send.',
  serialize: (date) => date.toISOString(),
  parseValue: (value) => {
    const isMilliseconds = /^\d{1,15}$/.test(String(value))
    const time = isMilliseconds ? new Date(Number(value)) : typeof value === 'string' ? timeOf(value) : undefined
    if (time) return time
    throw new GraphQLError(`Instant must be a time as RFC 3339, or milliseconds since 1970; got ${shown(value)}`)
  },
})

builder.scalarType('Duration', {
  description: 'Length of time: `90s`, `15m`, `1h`, `7d`, or as ISO 8601 without years and months, such as `PT15M`.',
  serialize: (milliseconds) => `${milliseconds / 1_000}s`,
  parseValue: (value) => {
    const milliseconds = typeof value === 'string' ? (millisecondsOf(value) ?? isoMillisecondsOf(value)) : undefined
    if (milliseconds !== undefined) return milliseconds
    throw new GraphQLError(`Duration must be a length of time, such as 15m, 1h, 7d or PT15M; got ${shown(value)}`)
  },
})

/** ISO 8601 of weeks, days, hours, minutes and seconds in ms; undefined unless `millisecondsOf` allows the duration. */
function isoMillisecondsOf(text: string): number | undefined {
  const parts = /^P(?:(\d{1,8})W)?(?:(\d{1,8})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,8})M)?(?:(\d{1,8})S)?)?$/.exec(text) ?? []
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0))
  const [d = 0, h = 0, m = 0, s = 0] = [(weeks ?? 0) * 7 + (days ?? 0), hours, minutes, seconds]
  return millisecondsOf(`${((d * 24 + h) * 60 + m) * 60 + s}s`)
}

builder.scalarType('AttributeMap', {
  description:
    'JSON object that maps attribute names to values. On output all values are strings. On input a value of any JSON type is accepted; each value is validated on its own, so that an invalid one is a failure of its product only.',
  serialize: (attributes) => attributes,
  parseValue: (value) => {
    if (isObject(value)) return value
    throw new GraphQLError(`AttributeMap must be an object that maps attribute names to values; got ${shown(value)}`)
  },
})

/** The builder of the fields of objects, for fields that several types share. */
export type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Parent>
