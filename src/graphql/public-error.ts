import { GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { isBeyondLimits, isUnavailable } from '../database/unavailable.ts'
import { CatalogueError, invalidRequest, unavailable } from '../errors.ts'
import { loggableError } from '../loggable-error.ts'
import { requestScope } from '../request-scope.ts'

/**
 * The error as a caller may see it, its reason in `extensions.code` and its faults in `extensions.errorInfo`. Expected failures keep their
 * words; an unreachable database is `unavailable`; anything else is masked as `internal_error` and logged once.
 */
export function publicError(thrown: unknown, log: Logger): GraphQLError {
  const cause = causeOf(thrown)
  if (cause instanceof CatalogueError) return expected(cause, thrown)
  if (cause instanceof GraphQLError) return refused(cause)
  if (isUnavailable(cause)) {
    // What was done for a client that has gone was stopped by us.
    if (!requestScope.getStore()?.isGone()) {
      log.warn({ reason: cause instanceof Error ? cause.message : undefined }, 'the database cannot be reached')
    }
    return expected(unavailable('unavailable', cause), thrown)
  }
  if (isBeyondLimits(cause)) return expected(invalidRequest([{ details: tooMuch }]), thrown)
  log.error({ err: loggableError(cause) }, 'unexpected error')
  return located('the service made a mistake; it has been logged', thrown, { code: 'internal_error' })
}

const tooMuch = 'this is more at once than the database can hold: ask for less, or change less'

/** What lies at the bottom of an error; one with an HTTP status of its own is yoga's, and is its own cause. */
function causeOf(thrown: unknown): unknown {
  if (!(thrown instanceof GraphQLError) || !thrown.originalError || thrown.extensions.http) return thrown
  return causeOf(thrown.originalError)
}

function expected(error: CatalogueError, thrown: unknown): GraphQLError {
  return located(error.message, thrown, { code: error.code, errorInfo: error.faults })
}

function located(message: string, thrown: unknown, extensions: Record<string, unknown>): GraphQLError {
  if (!(thrown instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes, source, positions, path } = thrown
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}

/**
 * A document or a request that GraphQL itself refused: its own words name what is wrong. Unreadable JSON is 400 whatever the caller accepts.
 * What is public already comes by again, on its way from the mask to the answer, and stays as it is.
 */
function refused(error: GraphQLError): GraphQLError {
  if (error.extensions.errorInfo || reasons.has(String(error.extensions.code))) return error
  const http = error.extensions.http as { status?: number } | undefined
  const code = (http?.status !== undefined && reasonOfStatus[http.status]) || 'invalid_request'
  const { nodes, source, positions, path } = error
  const unreadable = error.extensions.code === 'BAD_REQUEST' && code === 'invalid_request'
  const extensions = { code, ...(http && { http: unreadable ? { status: 400 } : http }) }
  return new GraphQLError(brief(error.message), { nodes, source, positions, path, extensions })
}

/** graphql-js shows the value that does not fit, however long it is. */
function brief(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`
}

const longestMessage = 500

const reasonOfStatus: Record<number, string> = {
  403: 'forbidden',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

const reasons = new Set(['invalid_request', 'internal_error', 'unavailable', ...Object.values(reasonOfStatus)])
