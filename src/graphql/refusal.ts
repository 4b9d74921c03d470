import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { CatalogueError } from '../errors.ts'
import { refusalStatus } from './guard.ts'
import { publicError } from './public-error.ts'

/** Why a document is not run, as a caller may see it. */
export interface Refusal {
  errors: GraphQLFormattedError[]
  /** The HTTP status; undefined: as GraphQL over HTTP has it for a document that is not sound. */
  status: number | undefined
}

/** A document from which it is not clear what to run. */
export function unclear(): GraphQLError {
  const extensions = { http: { status: 400 } }
  return new GraphQLError('Could not determine what operation to execute.', { extensions })
}

/** The refusal that was thrown: by the guard, or by GraphQL's own parser and rules, which throw one error or several. Undefined: it was something else. */
export function refusalOf(thrown: unknown, mayIntrospect: boolean, log: Logger): Refusal | undefined {
  if (thrown instanceof CatalogueError && thrown.code === 'unavailable') return undefined
  if (thrown instanceof CatalogueError)
    return { errors: [publicError(thrown, log).toJSON()], status: refusalStatus(thrown) }
  const errors: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown]
  if (!errors.every((error) => error instanceof GraphQLError)) return undefined
  const shown = tellable(
    errors.map((error) => publicError(error, log)),
    mayIntrospect,
  )
  const [http] = shown.map(({ extensions }) => extensions.http as { status?: number } | undefined)
  return { errors: shown.map(withoutHttp), status: http?.status }
}

/** What yoga, too, keeps to itself. */
function withoutHttp(error: GraphQLError): GraphQLFormattedError {
  const { http: _, ...extensions } = error.extensions
  return { ...error.toJSON(), extensions }
}

/** graphql-js names what is spelled alike: the schema's names, for those alone who may ask for them. */
export function tellable(errors: GraphQLError[], mayIntrospect: boolean): GraphQLError[] {
  return mayIntrospect ? errors : errors.map(withoutSuggestions)
}

function withoutSuggestions(error: GraphQLError): GraphQLError {
  if (error.extensions.errorInfo || !error.message.includes('Did you mean')) return error
  const { nodes, source, positions, path, extensions } = error
  const message = error.message.replace(/ ?Did you mean [^?]*\?/g, '')
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}
