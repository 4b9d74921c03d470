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
