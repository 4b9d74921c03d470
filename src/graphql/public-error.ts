import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { brief } from '../catalogue/bounded-failures.ts'
import { codeOf, isBeyondLimits, isUnavailable, shortageOf } from '../database/unavailable.ts'
import { CatalogueError, invalidRequest, type PublicError, unavailable, unfinished } from '../errors.ts'
import { requestContext } from '../request/context.ts'
import { loggableError, warnOnce } from '../request/log.ts'

/** Translates a thrown value. Unexpected errors are masked as `internal_error` and logged once. */
export function publicError(thrown: unknown, log: Logger): PublicError & GraphQLFormattedError {
  const cause = causeOf(thrown)
  if (!(thrown instanceof GraphQLError)) return translated(cause, log)
  const { message, extensions } = translated(cause instanceof GraphQLError ? thrown : cause, log)
  const { locations, path } = thrown
  return { message, ...(locations && { locations }), ...(path && { path }), extensions }
}

export function publicErrors(errors: readonly unknown[], log: Logger, requestId: string) {
  return errors.map((error) => publicError(error, log.child({ requestId })))
}

/** The errors of a transaction, without those of statements that were refused because an earlier one had failed. */
export function withoutRefusals<Thrown>(errors: readonly Thrown[]): readonly Thrown[] {
  const causes = errors.filter((error) => codeOf(causeOf(error)) !== inFailedTransaction)
  return causes.length > 0 ? causes : errors
}

const inFailedTransaction = '25P02'

/** The first cause; graphql-js wraps what resolvers throw. */
function causeOf(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError ? causeOf(thrown.originalError) : thrown
}

function translated(cause: unknown, log: Logger): PublicError {
  if (cause instanceof CatalogueError) {
    if (cause.code === 'unavailable') warnOnce(log, cause.message)
    return expected(cause)
  }
  if (cause instanceof GraphQLError)
    return { message: brief(cause.message, maxMessage), extensions: { code: 'invalid_request' } }
  if (isUnavailable(cause)) {
    // The gateway cancels work that takes too long or whose client has left.
    if (requestContext.getStore()?.signal.aborted) return expected(unavailable('unavailable', cause, unfinished))
    const shortage = shortageOf(cause)
    const reason = cause instanceof Error ? cause.message : undefined
    warnOnce(log, shortage ?? 'the database cannot be reached', { reason }, codeOf(cause) || reason)
    return expected(unavailable('unavailable', cause, shortage))
  }
  if (isBeyondLimits(cause)) return expected(invalidRequest(tooMuch))
  log.error({ err: loggableError(cause) }, 'unexpected error')
  return { message: 'internal error; it has been logged', extensions: { code: 'internal_error' } }
}

const tooMuch = 'the request exceeds a database limit: request or change less'

function expected({ message, code, faults }: CatalogueError): PublicError {
  return { message, extensions: { code, errorInfo: faults } }
}

/** graphql-js quotes wrong values, however long they are. */
const maxMessage = 500
