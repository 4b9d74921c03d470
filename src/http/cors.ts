import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { shown } from '../text.ts'

/** So many refused origins are logged. */
const maxLogged = 10

/** Makes the CORS check for pages of the origins; undefined for other origins, which are logged once each. */
export function createCors(origins: readonly string[], log: Logger) {
  const allowed = new Set(origins)
  const refused = new Set<string>()
  return ({ method, headers: { origin, host, ...headers } }: IncomingMessage) => {
    if (origin === undefined) return undefined
    if (!allowed.has(origin)) {
      const isOwn = headers['sec-fetch-site'] === 'same-origin' || URL.parse(origin)?.host === host
      if (isOwn || refused.has(origin) || refused.size >= maxLogged) return undefined
      refused.add(origin)
      log.warn({ origin: shown(origin) }, 'the browser blocks the page of this origin: add it to CORS_ORIGINS')
      return undefined
    }
    // A preflight request carries no token.
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    const seen = {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers':
        'X-Request-Id, X-Catalogue-Position, Retry-After, RateLimit, RateLimit-Policy, ETag, Link, Location, Preference-Applied, Warning',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Origin',
    }
    return { headers: isPreflight ? { ...seen, ...allowances } : seen, isPreflight }
  }
}

/** Credentials are not allowed: no cookies are used, and a page must send its token explicitly. */
const allowances = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, X-Request-Id, Idempotency-Key, If-None-Match, Prefer, X-Catalogue-After, Last-Event-ID, traceparent',
  'Access-Control-Max-Age': '600',
}
