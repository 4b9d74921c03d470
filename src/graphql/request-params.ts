import { invalidRequest } from '../errors.ts'
import { jsonOf } from '../request/json-text.ts'
import { isObject } from '../text.ts'

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

/** Reads the parameters of a GET; an empty one is absent. Throws `invalid_request`. */
export function paramsOfSearch(search: string): RequestParams {
  const given = Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''))
  const { query, operationName, variables = 'null', extensions = 'null' } = given
  const json = (name: string, text: string) => jsonOf(name, new TextEncoder().encode(text))
  const objects = { variables: json('variables', variables), extensions: json('extensions', extensions) }
  return checked({ query, operationName, ...objects })
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
