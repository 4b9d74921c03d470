import type { AnswerCache } from './answer-cache.ts'
import type { Endpoint } from './endpoint.ts'
import { closed, sealedBytes, toJson } from './envelope.ts'
import type { RestRequest, RestResponse } from './handler.ts'

type Operation = Endpoint['document']
type VersionedEndpoint = Endpoint & { version: NonNullable<Endpoint['version']> }

export function isVersioned(endpoint: Endpoint): endpoint is VersionedEndpoint {
  return endpoint.version !== undefined
}

/** Raise it when the same data comes to look different, so that no client keeps the old looks. */
const looks = 1

/**
 * Answers a read whose endpoint knows versions: 304 when the client has the current one, the rendered answer when there is one of the current version,
 * else the operation's. A version is asked for anew with every request, and never taken from memory: what was written before the request
 * began shows. An answer may be newer than its version, never older.
 */
export async function answerVersioned(
  endpoint: VersionedEndpoint,
  request: RestRequest,
  variables: Record<string, unknown>,
  cache: AnswerCache,
  execute: (document: Operation, variables: Record<string, unknown>) => Promise<unknown>,
): Promise<RestResponse> {
  const { document, of, ofAnswer } = endpoint.version
  const key = `${endpoint.path} ${JSON.stringify(variables)}`
  const known = request.header('if-none-match')
  const rendered = cache.get(key)
  if (known !== undefined || rendered) {
    const current = of(await execute(document, variables))
    if (current !== null && known !== undefined && isAmong(tagOf(current), known)) {
      return { status: 304, headers: headersOf(current) }
    }
    if (current !== null && rendered?.version === current) return found(endpoint, request, current, rendered.bytes)
  }
  const result = await execute(endpoint.document, variables)
  const version = ofAnswer(result)
  const bytes = closed(toJson(endpoint.data(result)))
  if (version !== null) cache.set(key, { version, bytes })
  return found(endpoint, request, version, bytes)
}

function found(endpoint: Endpoint, request: RestRequest, version: string | null, data: Buffer): RestResponse {
  const body = sealedBytes(0, endpoint.success, request.requestId, data)
  return { status: 200, headers: version === null ? {} : headersOf(version), body }
}

/** Weak, because the envelope carries the request's own id. */
function tagOf(version: string): string {
  return `W/"${looks}-${version}"`
}

function headersOf(version: string): Record<string, string> {
  return { ETag: tagOf(version), 'Cache-Control': 'private, no-cache' }
}

/** Whether an `If-None-Match` names the tag, or any that there is (RFC 9110, 13.1.2). */
function isAmong(tag: string, ifNoneMatch: string): boolean {
  const opaque = (given: string) => given.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((given) => opaque(given) === opaque(tag))
}
