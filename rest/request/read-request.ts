import { z } from 'zod'
import type { Fault } from '../../src/errors.ts'
import type { RestRequest } from '../../src/request/exchange.ts'
import { HttpError } from '../../src/request/http-error.ts'
import { maxItems } from '../../src/request/json-shape.ts'
import { givenOnce, parseJson } from '../../src/request/json-text.ts'
import { readStaleness, readWritePreferences } from '../../src/request/preferences.ts'
import { decoded, notDecoded, parametersOf, shown, valueAt } from '../../src/text.ts'
import type { Endpoint, Route } from '../endpoint.ts'
import type { Enumerations } from './shapes.ts'

const maxKeyLength = 255

export type ReadRequest = ReturnType<typeof readRequest>

/** Checks query, body and key against the endpoint's shapes, and translates them. Throws `HttpError`. */
export function readRequest(
  request: RestRequest & Pick<Route, 'values'>,
  endpoint: Endpoint,
  enumerations: Enumerations,
  bytes: Uint8Array | undefined,
) {
  const shapes = endpoint.shapes(enumerations)
  const names = Object.keys(shapes.query.shape).filter((name) => !(name in request.values))
  const { values: given, faults, unknown } = parseQuery(request.search, new Set(names), endpoint)
  if (endpoint.answers.kind === 'upload') faults.push(...unknown.map((name) => unknownOption(name, names)))
  const values = { ...given, ...pathValues(request.values, faults) }
  const query = shapes.query.safeParse(values)
  if (query.error) {
    const faulty = new Set(faults.map((fault) => fault.field))
    faults.push(...faultsOfQuery(query.error, values, faulty))
  }
  const key = endpoint.isWrite ? request.headers['idempotency-key'] : undefined
  if (key !== undefined) faults.push(...faultsOfKey(key))
  const { method, path, search } = request
  const staleness = endpoint.isWrite ? undefined : readStaleness(request.headers)
  const preferences = endpoint.isWrite ? readWritePreferences(request.headers) : undefined
  faults.push(...((staleness ?? preferences)?.faults ?? []))
  const raw = bytes?.length ? readJson(bytes, faults) : undefined
  if (bytes?.length === 0 && shapes.body) faults.push(missingBody(shapes.body))
  const body = raw === undefined ? undefined : shapes.body?.safeParse(raw)
  if (body?.error) faults.push(...faultsOfBody(body.error, raw))
  if (faults.length > 0) throw new HttpError('invalid_request', faults)
  return {
    variables: endpoint.variables(query.data ?? {}, body?.data, raw),
    query: query.data ?? {},
    warning: unknown.length > 0 ? warningOf(unknown, names) : undefined,
    staleness,
    preferences,
    idempotencyKey:
      key === undefined ? undefined : { key, method, target: `${path}?${search}`, body: bytes ?? new Uint8Array() },
  }
}

function invalid(field: string, problem: string): Fault {
  return { reason: 'invalid_request', details: `${field} ${problem}`, field }
}

/** Undefined if it is not percent-encoded UTF-8, which is a fault. */
type Value = string | undefined

/**
 * The named parameters of a query string; an empty value is absent. Those of `lists` have all their values; another
 * that is repeated, or one that is not percent-encoded UTF-8, is a fault. `unknown` has the names of others, not
 * percent-decoded.
 */
function parseQuery(
  search: string,
  names: ReadonlySet<string>,
  { lists = [] }: Pick<Endpoint, 'lists'>,
): { values: Record<string, Value | Value[]>; faults: Fault[]; unknown: string[] } {
  const values = new Map<string, Value | Value[]>()
  const faults: Fault[] = []
  const seen = new Set<string>()
  const unknown = new Set<string>()
  for (const { sent, name, value } of parametersOf(search)) {
    if (name === undefined || !names.has(name)) {
      if (sent !== '') unknown.add(sent)
      continue
    }
    const isList = lists.includes(name)
    if (seen.has(name) && !isList) faults.push(invalid(name, `must be ${givenOnce}`))
    seen.add(name)
    if (value === undefined) faults.push(invalid(name, notDecoded))
    if (value !== '') values.set(name, isList ? [...(values.get(name) ?? []), value] : value)
  }
  return { values: Object.fromEntries(values), faults, unknown: [...unknown] }
}

/** The fault of an option that the operation does not have: a mistyped one would change what is imported. */
function unknownOption(given: string, known: readonly string[]): Fault {
  const name = printable(given)
  const details = `${name} is unknown; expected some of ${known.join(', ')}`
  return { reason: 'invalid_request', details, ...(given.length <= maxShownName && { field: name }) }
}

/** Parameters have shorter names. A longer one may be a token, which the log must not have. */
const maxShownName = 40

function printable(name: string): string {
  if (name.length > maxShownName) return `a name of ${name.length} characters`
  return name.replaceAll(/[^\w.-]/g, '?')
}

const maxNamed = 5

/** The header `Warning` (RFC 7234) for parameters that the operation does not take. */
function warningOf(unknown: readonly string[], known: readonly string[]): string {
  const shownNames = unknown.slice(0, maxNamed).map(printable)
  return `299 - "unknown query parameters are ignored: ${shownNames.join(', ')}; expected some of ${known.join(', ')}"`
}

function pathValues(values: Readonly<Record<string, string>>, faults: Fault[]): Record<string, Value> {
  const entries = Object.entries(values).map(([name, value]) => {
    const text = decoded(value)
    if (text === undefined) faults.push(invalid(name, notDecoded))
    return [name, text]
  })
  return Object.fromEntries(entries)
}

/** Node decodes headers as latin1: the characters of the key are those of its bytes as UTF-8. */
function faultsOfKey(key: string): Fault[] {
  const text = new TextDecoder().decode(Uint8Array.from(key, (character) => character.charCodeAt(0)))
  const { length } = [...text]
  if (length >= 1 && length <= maxKeyLength) return []
  return [invalid('Idempotency-Key', `must have 1 to ${maxKeyLength} characters; got ${length}`)]
}

function missingBody(shape: z.ZodType): Fault {
  const expected = shape.safeParse(undefined).error?.issues[0]?.message
  return invalid('body', `is required, and ${expected}`)
}

/** The parsed body. Adds its faults; undefined if it is not JSON. */
function readJson(bytes: Uint8Array, faults: Fault[]): unknown {
  const { value, fault, repeated } = parseJson('body', bytes)
  if (fault !== undefined) faults.push({ reason: 'invalid_request', details: fault, field: 'body' })
  const items = itemsOf(value)
  if (items > maxItems) {
    throw new HttpError('payload_too_large', `body must have at most ${maxItems} items; got ${items}`)
  }
  const isInItem = Array.isArray(value)
  for (const [index, key] of isInItem ? repeated : [...repeated].slice(0, 1)) {
    const details = `${isInItem ? `item ${index}: ` : ''}${shown(key)} must be ${givenOnce}`
    const field = key.length <= maxKeyLength ? { field: key } : {}
    faults.push({ reason: 'invalid_request', details, ...field, ...(isInItem && { index }) })
  }
  return value
}

/** The number of items of a body: of its list, or of the longest list in its object. */
function itemsOf(body: unknown): number {
  if (Array.isArray(body)) return body.length
  const lists = typeof body === 'object' ? Object.values(body ?? {}).filter((value) => Array.isArray(value)) : []
  return Math.max(0, ...lists.map(({ length }) => length))
}

/**
 * The faults of the parameters of a query. That of an item of a list says in its text which one it is. A value that is
 * not there is none of a parameter that has a fault: it could not be decoded.
 */
function faultsOfQuery(error: z.ZodError, values: unknown, faulty: ReadonlySet<string | undefined>): Fault[] {
  return error.issues.flatMap(({ path, message }) => {
    const [field, value] = [String(path[0]), valueAt(values, path)]
    if (value === undefined && faulty.has(field)) return []
    return [{ reason: 'invalid_request', details: detailsOf(z.core.toDotPath(path), message, value), field }]
  })
}

/** The faults of a body: within an item of a list they have its `index`. */
function faultsOfBody(error: z.ZodError, body: unknown): Fault[] {
  return error.issues.flatMap(({ path, message, ...issue }) => {
    if (issue.code === 'unrecognized_keys') return unknownMembers(path, issue.keys, message)
    const [index] = path
    const isInItem = typeof index === 'number'
    const field = path.length === 0 ? 'body' : z.core.toDotPath(isInItem ? path.slice(1) : path)
    const name = [isInItem ? `item ${index}` : '', field].filter(Boolean).join(': ')
    const details = detailsOf(name, message, valueAt(body, path))
    return { reason: 'invalid_request', details, ...(field && { field }), ...(isInItem && { index }) }
  })
}

/** The faults of members that an object does not have. Their values are not shown: they may be secrets. */
function unknownMembers(path: readonly PropertyKey[], keys: readonly string[], problem: string): Fault[] {
  return keys.slice(0, maxNamed).map((key) => {
    const named = key.length <= maxShownName ? [...path, key] : path
    const field = z.core.toDotPath(named) || 'body'
    const details = named === path ? `${field}: ${printable(key)} ${problem}` : `${field} ${problem}`
    return { reason: 'invalid_request', details, field }
  })
}

function detailsOf(name: string, message: string, got: unknown): string {
  return got === undefined ? `${name} is required` : `${name} ${message}; got ${shown(got)}`
}
