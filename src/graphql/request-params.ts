import { CatalogueError, invalidRequest } from '../errors.ts'
import { shapeOfJson } from '../request/json-shape.ts'
import { isObject } from '../text.ts'

export interface RequestParams {
  query: string | undefined
  operationName: string | undefined
  variables: Record<string, unknown>
  extensions: Record<string, unknown>
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function paramsOfBody(body: Uint8Array): RequestParams {
  const params = jsonOf('the body', body)
  if (!isObject(params)) throw invalidRequest('the body must be a JSON object with a query')
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

function checked({ query, operationName, variables, extensions, ...others }: Record<string, unknown>): RequestParams {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalidRequest(`there is no parameter ${JSON.stringify(unknown)}`)
  return {
    query: text('query', query),
    operationName: text('operationName', operationName),
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

/**
 * The value of a JSON text. Throws `payload_too_large` before one with too many members is parsed, or
 * `invalid_request`.
 */
export function jsonOf(name: string, bytes: Uint8Array): unknown {
  const { excess } = shapeOfJson(bytes)
  if (excess) throw new CatalogueError('payload_too_large', `${name} ${excess}`)
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalidRequest(`${name} must be JSON in UTF-8`)
  }
}
