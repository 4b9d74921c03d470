import { type DocumentNode, GraphQLError, type GraphQLSchema, getOperationAST, parse, validate } from 'graphql'
import { LRUCache } from 'lru-cache'
import { forbidden, invalidRequest } from '../errors.ts'
import { type Caller, hasScope } from '../request/caller.ts'
import { accessOf, fieldsOf, requireAccess, type SelectedField } from './access.ts'
import { createCost } from './limits/cost.ts'
import { sizeOf } from './limits/document-size.ts'
import { type Limits, limitsOf, requireWithin, tooLong } from './limits/limits.ts'
import { compileWhenRunAgain, interpret, runInTransaction } from './run.ts'
import { createSubscribe } from './subscribe.ts'

/** Who may read the schema: every token, or those of administrators. */
export type Introspection = 'all' | 'admin'

export type Engine = ReturnType<typeof createEngine>

/** One operation of a document, ready to run any number of times. All APIs run prepared operations only. */
export type PreparedOperation = ReturnType<typeof prepareDocument>

const maxCached = 200
const maxCachedLength = 10_000
/** To find all errors of a hostile document takes long. */
const maxErrors = 20

/** Prepares operations, and caches those of the last 200 texts. */
export function createEngine(schema: GraphQLSchema, introspection: Introspection) {
  const cache = new LRUCache<string, PreparedOperation>({ max: maxCached })
  return {
    schema,
    /** Throws, in this order, `GraphQLError`, `forbidden`, `invalid_request`, an `AggregateError` of GraphQL errors. */
    prepare: (query: string, operationName: string | undefined, caller: Caller): PreparedOperation => {
      const key = `${operationName ?? ''}\n${query}`
      const known = cache.get(key)
      const limits = limitsOf(caller)
      const mayIntrospect = introspection === 'all' || hasScope(caller, 'admin')
      try {
        const prepared = known ?? prepareDocument(schema, parsed(query, limits), operationName)
        requireAccess(prepared.access, caller)
        if (prepared.size.introspectionDepth > 0 && !mayIntrospect) {
          throw forbidden('the token must have the scope admin to read the schema')
        }
        requireWithin(prepared.size, limits)
        if (known) return known
        const errors = validate(schema, prepared.document, undefined, { maxErrors, hideSuggestions: !mayIntrospect })
        if (errors.length > 0) throw new AggregateError(errors)
        if (query.length <= maxCachedLength) cache.set(key, prepared)
        return prepared
      } catch (error) {
        // graphql-js is recursive: a document within the limits can still exhaust the stack.
        const isStackOverflow = error instanceof RangeError && /call stack/.test(error.message)
        throw isStackOverflow ? invalidRequest([{ field: 'query', details: tooDeep }]) : error
      }
    },
    /** Prepares the only operation of a document of the service itself, which is valid. */
    prepareOwn: (document: DocumentNode) => prepareDocument(schema, document, undefined),
  }
}

const tooDeep = 'the document must have fewer levels of nested fields and fragments'

function parsed(query: string, limits: Limits): DocumentNode {
  if (query.length > limits.characters) throw tooLong(limits.characters, 'characters')
  try {
    return parse(query, { maxTokens: limits.tokens })
  } catch (error) {
    const isTooLong = error instanceof GraphQLError && error.message.includes('Parsing aborted')
    throw isTooLong ? tooLong(limits.tokens, 'tokens') : error
  }
}

function prepareDocument(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined) {
  const operation = getOperationAST(document, operationName)
  if (!operation) throw invalidRequest([{ field: 'operationName', details: unknownOperation }])
  const size = sizeOf(document)
  // Introspection is rare, and compiling it takes long.
  const createRun = size.introspectionDepth > 0 ? interpret : compileWhenRunAgain
  const fields = fieldsOf(schema, document, operation)
  const access = accessOf(operation, fields)
  const run = createRun(schema, document, operationName)
  return {
    document,
    size,
    access,
    isMutation: operation.operation === 'mutation',
    /** Whether the answer can have a value several times, so that it is longer than what was read. */
    mayRepeat: size.aliases > 0 || size.fragments > 0 || mayRepeat(fields),
    /** Its first root field: names the operation in the log and the metrics. */
    name: fields[0]?.name ?? 'none',
    /** Its cost with these variables. Throws `InvalidVariables`. */
    cost: createCost(schema, document, operation),
    run: access.readsInPayload ? runInTransaction(run) : run,
    /** Only of a subscription, which is not run. */
    subscribe: operation.operation === 'subscription' ? createSubscribe(schema, document, operationName) : undefined,
  }
}

/** Whether a value that is read once can be in several places: a field twice, a list within a list, an id repeated. */
function mayRepeat(fields: readonly SelectedField[]): boolean {
  const names = new Set(fields.map(({ type, name }) => `${type?.name}.${name}`))
  return names.size < fields.length || names.has('Query.nodes') || fields.some(({ lists }) => lists > 1)
}

const unknownOperation = 'operationName must name an operation of the document; it may be omitted if there is only one'
