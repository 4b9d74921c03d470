import { expect } from 'vitest'
import type { z } from 'zod'
import { tableFormats } from '../../rest/answers/table.ts'
import { type Endpoint, valuesIn } from '../../rest/endpoint.ts'
import { endpoints } from '../../rest/endpoints.ts'
import { openApiDocument } from '../../rest/openapi/document.ts'
import { failure, successOf } from '../../rest/response/data-shapes.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import type { Reply } from './clients/http.ts'

const { paths } = openApiDocument(endpoints, fallbackEnumerations, '0.0.0') as {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}
const successes = new Map<Endpoint, z.ZodType>()

/** Fails the test when the answer of an operation under /v1 is not one that the OpenAPI document has. */
export function expectDocumented(method: string, target: string, { status, json, headers }: Reply): void {
  if (!target.startsWith('/v1/')) return
  const [path = ''] = target.slice('/v1'.length).split('?')
  const endpoint = endpoints.find((row) => row.method === method && valuesIn(row.path, path))
  if (!endpoint) return
  const documented = Object.keys(paths[endpoint.path]?.[method.toLowerCase()]?.responses ?? {})
  expect(documented, `${method} ${path} is documented to answer`).toContain(String(status))
  if (status === 304) return
  const type = String(headers['content-type'])
  const { kind } = endpoint.answers
  if (kind === 'events' && type.startsWith('text/event-stream')) return
  if (kind === 'table' && tableFormats.some((format) => type.startsWith(format))) return
  if (kind === 'file' && status === 200) return
  const { error } = (status === 200 ? successShape(endpoint) : failure).safeParse(json)
  expect(error?.issues ?? [], `${method} ${path} answers ${status} as it is documented`).toEqual([])
}

function successShape(endpoint: Endpoint): z.ZodType {
  const shape = successes.get(endpoint) ?? successOf(endpoint)
  successes.set(endpoint, shape)
  return shape
}
