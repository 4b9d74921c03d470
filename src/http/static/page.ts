import type { HttpResponse } from '../../../rest/exchange.ts'
import { HttpError } from '../../../rest/response/http-error.ts'

export interface Page {
  status?: number
  type: string
  body: HttpResponse['body']
  headers?: Record<string, string>
  /** Whether it is for browsers alone: others get 404, as on any path that is none. */
  isForBrowsers?: boolean
}

/** The Content-Security-Policy of a page that needs these sources and nothing else. */
export function contentPolicy(sources: readonly string[]): string {
  const nothing = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  return ["default-src 'none'", ...sources, ...nothing].join('; ')
}

/** The page for GET and HEAD. Throws `method_not_allowed`. */
export function answerWithPage({ status = 200, type, body, headers }: Page, method: string | undefined): HttpResponse {
  const allow = 'GET, HEAD, OPTIONS'
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } }
  if (method !== 'GET' && method !== 'HEAD') {
    throw new HttpError('method_not_allowed', `this path takes ${allow}; got ${method}`, { Allow: allow })
  }
  return { status, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', ...headers }, body }
}
