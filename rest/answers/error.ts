import { unreachable } from '../../src/errors.ts'
import type { HttpResponse } from '../../src/request/exchange.ts'
import { HttpError } from '../../src/request/http-error.ts'
import type { Endpoint } from '../endpoint.ts'
import { errorEnvelope } from '../response/envelope.ts'

/** The answer to an error. */
export function errorResponse(error: HttpError, requestId: string): HttpResponse & { body: string } {
  return { ...errorHead(error), body: errorEnvelope(requestId, error.errorInfo) }
}

/** The status and headers of an error, on every path. */
export function errorHead({ status, headers }: HttpError): { status: number; headers: Record<string, string> } {
  const retry: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {}
  return { status, headers: { ...retry, ...headers } }
}

/** For the listing, the database is its downstream, also while a token is looked up (spec: HTTP mapping). */
export function mapUnavailableToDownstream(error: HttpError, endpoint: Endpoint | undefined): HttpError {
  if (error.reason !== 'unavailable' || endpoint?.answers.kind !== 'listing') return error
  const [{ details = '' } = {}] = error.errorInfo
  const ofSource = details.replace(unreachable.unavailable, unreachable.downstream_unavailable)
  return new HttpError('downstream_unavailable', ofSource)
}
