import { unreachable } from '../../src/errors.ts'
import type { HttpResponse } from '../../src/request/exchange.ts'
import { errorHead, HttpError } from '../../src/request/http-error.ts'
import type { Endpoint } from '../endpoint.ts'
import { envelope } from '../response/envelope.ts'

/** The answer to an error. */
export function errorResponse(error: HttpError, requestId: string): HttpResponse & { body: string } {
  return {
    ...errorHead(error),
    body: envelope(-1, 'ERROR', requestId, JSON.stringify({ error_info: error.faults })),
  }
}

/** For the listing, the database is its downstream, also while a token is looked up (spec: HTTP mapping). */
export function mapUnavailableToDownstream(error: HttpError, endpoint: Endpoint | undefined): HttpError {
  if (error.code !== 'unavailable' || endpoint?.answers.kind !== 'listing') return error
  const [{ details = '' } = {}] = error.faults
  const ofSource = details.replace(unreachable.unavailable, unreachable.downstream_unavailable)
  return new HttpError('downstream_unavailable', ofSource)
}
