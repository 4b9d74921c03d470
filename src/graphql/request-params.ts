import { invalidRequest } from '../errors.ts'
import { givenOnce, jsonOf } from '../request/json-text.ts'
import { isObject, notDecoded, parametersOf } from '../text.ts'

export interface RequestParams {
  query: string | undefined
  operationName: string | undefined
  variables: Record<string, unknown>
  extensions: Record<string, unknown>
}

export function paramsOfBody(body: Uint8Array): RequestParams {
  const params = jsonOf('body', body)
  if (!isObject(params)) throw invalidRequest('body must be a JSON object with a query')
  return checked(params)
}

const names: readonly string[] = ['query', 'operationName', 'variables', 'extensions']

/** Reads the parameters of a GET; an empty one is absent, and others are ignored. Throws `invalid_request`. */
export function paramsOfSearch(search: string): RequestParams {
  const given = new Map<string, string>()
  for (const { name, value } of parametersOf(search)) {
    if (name === undefined || !names.includes(name)) continue
    if (value === undefined) throw invalidRequest(`${name} ${notDecoded}`)
    if (given.has(name)) throw invalidRequest(`${name} must be ${givenOnce}`)
    given.set(name, value)
  }
  const json = (name: string) => jsonOf(name, new TextEncoder().encode(given.get(name) || 'null'))
  return checked({
    query: given.get('query') || undefined,
    operationName: given.get('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  })
}

/** Other members are ignored. An empty name is none: clients send it for a document of one operation. */
function checked({ query, operationName, variables, extensions }: Record<string, unknown>): RequestParams {
  return {
    query: text('query', query),
    operationName: text('operationName', operationName) || undefined,
    variables: object('variables', variables),
    extensions: object('extensions', extensions),
  }
}

function text(name: string, value: unknown): string | undefined {
  if (value == null || typeof value === 'string') return value ?? undefined
  throw invalidRequest(`${name} must be a string`)
}

function object(name: string, value: unknown): Record<string, unknown> {
  if (value == null || isObject(value)) return value ?? {}
  throw invalidRequest(`${name} must be a JSON object`)
}
