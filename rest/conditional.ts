import { LRUCache } from 'lru-cache'
import type { HttpResponse, RestRequest } from '../src/request/exchange.ts'
import { bytesOf } from '../src/text.ts'
import type { Endpoint } from './endpoint.ts'
import { envelopeHead, toJson } from './response/envelope.ts'

interface CachedAnswer {
  version: string
  data: Buffer
}

/** Rendered answers by endpoint and variables; the least recently used are evicted. */
export type AnswerCache = LRUCache<string, CachedAnswer>

const bytesPerEntry = 200

/** Makes a cache of at most `maxBytes`; 0 disables it. */
export function createAnswerCache(maxBytes: number): AnswerCache {
  return new LRUCache<string, CachedAnswer>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ data }, key) => data.length + key.length * 2 + bytesPerEntry,
  })
}

/** Increase it when the same data gets another representation, so that no client keeps the old one. */
const representationVersion = 1

/**
 * Answers a versioned read: with 304, the cached answer, or the result of the operation. The version is read for every
 * request, so that an answer has all earlier writes. An answer may be newer than its version, never older.
 */
export async function answerVersioned(
  endpoint: Endpoint,
  request: RestRequest,
  variables: Record<string, unknown>,
  cache: AnswerCache,
  read: {
    version(): Promise<string | null>
    answer(): Promise<{ data?: unknown; version: string | null }>
  },
): Promise<HttpResponse> {
  const answered = (version: string | null, data: Buffer): HttpResponse => {
    const body = [Buffer.from(envelopeHead(0, endpoint.success, request.requestId)), data]
    return { status: 200, headers: version === null ? {} : headersOf(version), body }
  }
  const key = `${endpoint.path} ${JSON.stringify(variables)}`
  const ifNoneMatch = request.headers['if-none-match']
  const cached = cache.get(key)
  if (ifNoneMatch !== undefined || cached) {
    const current = await read.version()
    if (current !== null && matches(ifNoneMatch, tagOf(current))) return { status: 304, headers: headersOf(current) }
    if (current !== null && cached?.version === current) return answered(current, cached.data)
  }
  const { data: result, version } = await read.answer()
  const data = bytesOf(`${toJson(endpoint.toData(result))}}`)
  if (version !== null) cache.set(key, { version, data })
  return answered(version, data)
}

/** Weak, because the envelope has the request's own id. */
function tagOf(version: string): string {
  return `W/"${representationVersion}-${version}"`
}

function headersOf(version: string): Record<string, string> {
  return { ETag: tagOf(version), 'Cache-Control': 'private, no-cache' }
}

/** Whether `If-None-Match` has the tag or `*` (RFC 9110, 13.1.2). */
function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = (given: string) => given.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((given) => opaque(given) === opaque(tag))
}
