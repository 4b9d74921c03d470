import { errorResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/response/rest-error.ts'
import type { RequestId } from '../request/request-id.ts'
import type { Answer } from './respond.ts'

/** What a browser gets from a path: text or bytes with what the browser may do with them. */
export interface Page {
  type: string
  body: string | Buffer
  /** Content-Security-Policy and the like. */
  headers?: Record<string, string>
  /** Whether it is for browsers alone: others get 404, as on any path that is none. */
  isForBrowsers?: boolean
}

/** The policy of a page that loads what this gateway serves, and nothing else. */
export const ownContentOnly = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/** The page for GET and HEAD. */
export function answerWithPage(page: Page, method: string | undefined, id: RequestId): Answer {
  const allow = 'GET, HEAD, OPTIONS'
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } }
  if (method !== 'GET' && method !== 'HEAD') {
    const error = new RestError('method_not_allowed', `this path takes ${allow}; got ${method}`, { Allow: allow })
    return errorResponse(error, id.text)
  }
  const headers = { 'Content-Type': page.type, 'Cache-Control': 'no-cache', ...page.headers }
  return { status: 200, headers, body: page.body }
}
