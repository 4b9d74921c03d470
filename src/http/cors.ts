import type { IncomingMessage } from 'node:http'

/** Makes the CORS check for pages of the origins; undefined for other origins. */
export function createCors(origins: readonly string[]) {
  const allowed = new Set(origins)
  return ({ method, headers: { origin, ...headers } }: IncomingMessage) => {
    if (origin === undefined || !allowed.has(origin)) return undefined
    // A preflight request carries no token.
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    const seen = {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers':
        'X-Request-Id, X-Catalogue-Position, Retry-After, RateLimit, RateLimit-Policy, ETag, Link, Preference-Applied',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Origin',
    }
    return { headers: isPreflight ? { ...seen, ...allowances } : seen, isPreflight }
  }
}

/** Credentials are not allowed: no cookies are used, and a page must send its token explicitly. */
const allowances = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, X-Request-Id, Idempotency-Key, If-None-Match, Prefer, X-Catalogue-After, traceparent',
  'Access-Control-Max-Age': '600',
}
