import { type Fault, type Reason, statusOf } from '../errors.ts'
import type { HttpResponse } from './exchange.ts'

/** An error answer, thrown where the error is found and rendered in one place. `code` decides the usual status. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: Reason
  readonly faults: readonly Fault[]
  readonly headers: Readonly<Record<string, string>>
  readonly status: number

  constructor(
    code: Reason,
    faults: readonly Fault[] | string,
    headers: Record<string, string> = {},
    status = statusOf(code),
  ) {
    super(code)
    this.status = status
    this.code = code
    this.faults = typeof faults === 'string' ? [{ reason: code, details: faults }] : faults
    this.headers = headers
  }
}

/** The error of a request without a valid token. It does not say whether the token has ever existed. */
export function unauthorized(authorization: string | undefined): HttpError {
  if (!authorization) return noToken
  return isBearer.test(authorization) ? badToken : otherHeader
}

const isBearer = /^Bearer +\S+$/i
const refusal = (details: string) => new HttpError('unauthorized', details, { 'WWW-Authenticate': 'Bearer' })
const noToken = refusal('a valid token is required: send the header Authorization: Bearer <ACCESS_TOKEN>')
const otherHeader = refusal('the header Authorization that was sent has no token: it must be Bearer <ACCESS_TOKEN>')
const badToken = refusal('the token that was sent is not valid: it is unknown, expired or revoked')

/** The status and headers of an error, on every path. */
export function errorHead({ status, headers }: HttpError): { status: number; headers: Record<string, string> } {
  const retry: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {}
  return { status, headers: { ...retry, ...headers } }
}

/** The answer of the GraphQL API to an error by which a whole request failed. */
export function graphqlError(error: HttpError): HttpResponse {
  const message = error.faults.map(({ details }) => details).join('; ')
  return { ...errorHead(error), body: JSON.stringify({ errors: [{ message, extensions: { code: error.code } }] }) }
}

const jsonOnly = 'Accept must allow application/graphql-response+json or application/json'

/** The same for a request whose `Accept` allows none of its answers. */
export function notAcceptable(details = jsonOnly): HttpResponse {
  return { ...graphqlError(new HttpError('invalid_request', details)), status: 406 }
}
