import { type Fault, type Reason, statusOf } from '../errors.ts'

/** An error answer, thrown where the error is found and rendered in one place. `reason` decides the usual status. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly reason: Reason
  readonly errorInfo: readonly Fault[]
  readonly headers: Readonly<Record<string, string>>
  readonly status: number

  constructor(
    reason: Reason,
    errorInfo: readonly Fault[] | string,
    headers: Record<string, string> = {},
    status = statusOf(reason),
  ) {
    super(reason)
    this.status = status
    this.reason = reason
    this.errorInfo = typeof errorInfo === 'string' ? [{ reason, details: errorInfo }] : errorInfo
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
