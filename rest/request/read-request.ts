import type { Endpoint } from '../endpoint.ts'
import type { RestRequest } from '../exchange.ts'
import type { ErrorInfo } from '../response/envelope.ts'
import { RestError } from '../response/rest-error.ts'
import { faultsOf } from './faults.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { shapeOfJson, tooComplex } from './json-shape.ts'
import { parseQuery } from './query.ts'
import type { Enumerations } from './shapes.ts'

const mostItems = 10_000

/**
 * Checks query, body and key against the endpoint's shapes and translates them; throws a `RestError` with every fault.
 * `bytes` are the body's, where the endpoint has one.
 */
export function readRequest(
  request: RestRequest,
  endpoint: Endpoint,
  enumerations: Enumerations,
  bytes: Uint8Array | undefined,
) {
  const shapes = endpoint.shapes(enumerations)
  const { values, faults } = parseQuery(request.search, new Set(Object.keys(shapes.query.shape)), endpoint.repeatable)
  const query = shapes.query.safeParse(values)
  if (!query.success) {
    const named = new Set(faults.map((fault) => fault.field))
    faults.push(...faultsOf(query.error, values, '').filter((fault) => !named.has(fault.field)))
  }
  const key = endpoint.method === 'GET' ? undefined : readIdempotencyKey(request.header('idempotency-key'))
  if (key && 'fault' in key) faults.push(key.fault)
  let body: unknown
  let raw: unknown
  if (bytes) {
    const read = readJson(bytes)
    if ('fault' in read) faults.push(read.fault)
    else {
      raw = read.value
      const items = itemsOf(raw)
      if (items > mostItems) {
        throw new RestError('payload_too_large', `body must have at most ${mostItems} items; got ${items}`)
      }
      const checked = shapes.body?.safeParse(raw)
      if (checked?.error) faults.push(...faultsOf(checked.error, raw, 'body'))
      body = checked?.data
    }
  }
  if (faults.length > 0) throw new RestError('invalid_request', faults)
  const keyed = key && 'key' in key ? { ...key, ...senderOf(request), body: bytes ?? new Uint8Array() } : undefined
  return { variables: endpoint.variables(query.data ?? {}, body, raw), keyed }
}

/** What a key counts for: the token, the method, and the path with its query. */
function senderOf({ method, path, search, header }: RestRequest) {
  return { token: /\S*$/.exec(header('authorization') ?? '')?.[0] ?? '', method, target: `${path}?${search}` }
}

/** How many items a body has: those of its list, or of the longest list in its object. */
function itemsOf(body: unknown): number {
  if (Array.isArray(body)) return body.length
  if (typeof body !== 'object' || body === null) return 0
  return Object.values(body).reduce((most, value) => (Array.isArray(value) ? Math.max(most, value.length) : most), 0)
}

function readJson(bytes: Uint8Array): { value: unknown } | { fault: ErrorInfo } {
  if (bytes.length === 0) return { fault: bodyFault('is required') }
  if (shapeOfJson(bytes).isTooComplex) throw new RestError('payload_too_large', `body ${tooComplex}`)
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    const where = error instanceof Error ? /at position \d+/.exec(error.message) : null
    return { fault: bodyFault(`must be JSON in UTF-8; it cannot be read${where ? ` ${where[0]}` : ''}`) }
  }
}

function bodyFault(problem: string): ErrorInfo {
  return { reason: 'invalid_request', details: `body ${problem}`, field: 'body' }
}
