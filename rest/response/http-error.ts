import type { ErrorInfo } from './envelope.ts'

/** An answer other than success, thrown where known and written in one place. `reason` decides the HTTP status. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly reason: string
  readonly errorInfo: readonly ErrorInfo[]
  readonly headers: Readonly<Record<string, string>>

  constructor(reason: string, errorInfo: readonly ErrorInfo[] | string, headers: Record<string, string> = {}) {
    super(reason)
    this.reason = reason
    this.errorInfo = typeof errorInfo === 'string' ? [{ reason, details: errorInfo }] : errorInfo
    this.headers = headers
  }
}

/** An error as a caller may see it: its reason in `extensions.code`, its faults in `extensions.errorInfo`. */
export interface PublicError {
  message: string
  extensions: { code: string; errorInfo?: readonly ErrorInfo[] }
}

/** GraphQL errors as one error of REST: the first one's code decides, the entries are those of all. */
export function toHttpError(errors: readonly PublicError[]): HttpError {
  const [first] = errors
  const reason = first?.extensions.code ?? 'internal_error'
  const entries = errors.flatMap(({ message, extensions }) => extensions.errorInfo ?? [{ reason, details: message }])
  return new HttpError(reason, entries.map(withRestNames))
}

/** Fields have the names of REST here: `store_uuid` for `storeUuid`. */
function withRestNames(entry: ErrorInfo): ErrorInfo {
  if (entry.field === undefined) return entry
  return { ...entry, field: entry.field.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }
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
