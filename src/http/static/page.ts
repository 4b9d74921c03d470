import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HttpResponse } from '../../request/exchange.ts'
import { HttpError } from '../../request/http-error.ts'

export interface Page {
  status?: number
  type: string
  body: HttpResponse['body']
  headers?: Record<string, string>
  /** Whether only browsers get it; others get 404. */
  isForBrowsers?: boolean
  /** The hash of its content. With it as `?v=` the answer never changes. */
  version?: string
}

/** The Content-Security-Policy that allows these sources and nothing else. */
export function contentPolicy(sources: readonly string[]): string {
  const nothing = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  return ["default-src 'none'", ...sources, ...nothing].join('; ')
}

/** A page that does not change, with its version. */
export function fixedPage(type: string, content: string | Buffer, headers: Record<string, string> = {}): Page {
  const bytes = Buffer.from(content)
  return { type, body: Object.freeze([bytes]), headers, version: hash('sha256', bytes, 'hex').slice(0, 16) }
}

/** The page for GET and HEAD, or 304 for a client that has it. Throws `method_not_allowed`. */
export function answerWithPage(page: Page, { method, headers: received }: IncomingMessage, search = ''): HttpResponse {
  const { status = 200, type, body, headers, isForBrowsers, version } = page
  const allow = 'GET, HEAD, OPTIONS'
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } }
  if (method !== 'GET' && method !== 'HEAD') {
    throw new HttpError('method_not_allowed', `this path takes ${allow}; got ${method}`, { Allow: allow })
  }
  const varying = isForBrowsers && { Vary: 'Accept' }
  const sent = { 'Content-Type': type, 'Cache-Control': 'no-cache', ...varying, ...headers }
  if (version === undefined) return { status, headers: sent, body }
  const isFixed = search === `v=${version}`
  const cached = { ...(isFixed && { 'Cache-Control': 'public, max-age=31536000, immutable' }), ETag: `W/"${version}"` }
  const { 'Content-Type': _, ...withoutType } = sent
  if (received['if-none-match'] === cached.ETag) return { status: 304, headers: { ...withoutType, ...cached } }
  return { status, headers: { ...sent, ...cached }, body }
}
