import type { HttpResponse } from '../../src/request/exchange.ts'
import { envelopeAround } from '../response/envelope.ts'
import type { CheckedRequest, RestServices } from '../services.ts'

/** Increase it when the same data gets another representation, so that no client keeps the old one. */
const representationVersion = 1

/** The answer of the listing of asset groups: 304 for a client that has the page. */
export async function answerListing(checked: CheckedRequest, services: RestServices): Promise<HttpResponse> {
  const { endpoint, request } = checked
  const { requestId, headers } = request
  const known = headers['if-none-match']
  const isKnown = known === undefined ? undefined : (version: string) => matches(known, tagOf(version))
  const { version, data } = await services.readListing(checked, isKnown)
  const tagged: Record<string, string> =
    version === null ? {} : { ETag: tagOf(version), 'Cache-Control': 'private, no-cache' }
  if (!data) return { status: 304, headers: tagged }
  return { status: 200, headers: tagged, body: envelopeAround(endpoint.success, requestId, data) }
}

/** Weak, because the envelope has the request's own id. */
function tagOf(version: string): string {
  return `W/"${representationVersion}-${version}"`
}

/** Whether `If-None-Match` has the tag or `*` (RFC 9110, 13.1.2). */
function matches(ifNoneMatch: string, tag: string): boolean {
  const opaque = (given: string) => given.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((given) => opaque(given) === opaque(tag))
}
