import type { components } from './openapi.ts'

export type ErrorInfo = components['schemas']['ErrorInfo']

/** An error answer of the gateway: its status, its reason, and an entry for each fault. */
export class CatalogueApiError extends Error {
  override readonly name = 'CatalogueApiError'
  readonly status: number
  readonly reason: string
  readonly errorInfo: readonly ErrorInfo[]
  /** What to ask the gateway's operator about. */
  readonly requestId: string
  /** How long to wait before the same request, if the answer says so. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, requestId: string, errorInfo: readonly ErrorInfo[], retryAfterMs?: number) {
    super(errorInfo.map(({ details }) => details).join('; '))
    this.status = status
    this.reason = errorInfo[0]?.reason ?? 'internal_error'
    this.errorInfo = errorInfo
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}
