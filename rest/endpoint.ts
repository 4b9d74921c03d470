import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { z } from 'zod'
import type { RequestReason } from '../src/errors.ts'
import { memoized } from '../src/lazy.ts'
import { HttpError } from '../src/request/http-error.ts'
import type { Enumerations } from './request/shapes.ts'

/** An endpoint: its path, the GraphQL operation that it runs, and the translation between both. */
export interface Endpoint<
  Result = unknown,
  Variables = Record<string, unknown>,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the version prefix: `/assets`. */
  path: string
  /** `status.message` on success (spec: Response envelope). */
  success: 'SUCCESS' | 'success'
  summary: string
  description: string
  /** Whether the specification has it; the others are extensions. */
  isOfSpec?: boolean
  document: TypedDocumentNode<Result, Variables>
  isWrite: boolean
  /** The query parameters that may be repeated: their shapes are lists. */
  lists?: readonly string[]
  answers: Answers
  /** Whether its answer may have thousands of rows or items, whatever the request has. */
  isLong?: boolean
  /** Reasons of errors that other endpoints do not have. */
  extraReasons?: readonly RequestReason[]
  /** The shapes of the query parameters and, if the operation takes one, of the body. */
  shapes(enumerations: Enumerations): { query: Query; body?: Body }
  /** The variables of the operation. `raw` is the body with the fields that its shape does not name. */
  variables(query: z.output<Query>, body: z.output<Body>, raw: z.input<Body>): Variables
  /** `data` of the answer. */
  dataShape: z.ZodObject
  /** The data of the answer; by default the result. */
  toData(result: Result): unknown
}

/** How an endpoint is answered. */
export type Answers =
  /** By the data of its operation, a query or a mutation. */
  | { kind: 'read' | 'write' }
  /** By the data of its query, or by the rows of that as CSV or JSON Lines. */
  | ({ kind: 'table' } & Table)
  /**
   * By `RestServices.readListing`, which answers what the operation would. It has versions, and so an ETag; an
   * unavailable dependency is its downstream (502).
   */
  | { kind: 'listing' }
  /**
   * As a write, after the body was received as a file, by `RestServices.write`, which answers what the operation would.
   * Unknown query parameters are errors.
   */
  | { kind: 'upload' }
  /** By a file, whose parts the operation reads. */
  | ({ kind: 'file' } & FileAnswer)
  /** By events, which `RestServices.events` writes; the operation is for its access alone. */
  | { kind: 'events'; requestOf(query: Record<string, unknown>): EventsRequest }

export interface EventsRequest {
  /** Undefined: all stores of the caller. */
  storeUuids: readonly string[] | undefined
  after: string | undefined
  filter: object
}

interface FileAnswer {
  /** The media type, from the result. */
  typeOf(result: unknown): string
  /** The part that the result has, in Base64; null: there is none of this number. */
  partOf(result: unknown): string | null
}

/** The rows of an endpoint's data, for answers in CSV and JSON Lines. */
interface Table {
  /** The columns of CSV. Throws `invalid_request` if they are too many. */
  columnsOf(data: unknown, query: Readonly<Record<string, unknown>>): readonly string[]
  /** The attributes that are numbers, for decimal commas. */
  numbersOf?(data: unknown): readonly string[]
  /** Variables of the operation that CSV alone needs. */
  csvVariables?(query: Readonly<Record<string, unknown>>): Record<string, unknown>
  rowsOf(data: unknown): readonly ReadonlyMap<string, unknown>[]
  /** The number of rows on all pages. */
  totalOf?(data: unknown): number
}

/** Makes an endpoint. The types of its parts (shapes, variables, document, result) are checked here and then erased. */
export function endpoint<Result, Variables, Query extends z.ZodObject, Body extends z.ZodType>(
  row: Omit<Endpoint<Result, Variables, Query, Body>, 'success' | 'isWrite' | 'toData' | 'answers'> &
    Partial<Pick<Endpoint<Result>, 'toData' | 'answers'>>,
): Endpoint {
  const isWrite = row.method !== 'GET'
  return {
    ...(row as unknown as Endpoint),
    success: row.path.startsWith('/assets') ? 'SUCCESS' : 'success',
    isWrite,
    answers: row.answers ?? { kind: isWrite ? 'write' : 'read' },
    toData: row.toData ?? ((result) => result),
    // Enumerations seldom change, and making the shapes takes longer than a small request.
    shapes: memoized(row.shapes),
  }
}

/** What the operation has found. Throws the fault of a parameter, which names nothing. */
export function found<Value>(
  value: Value | null | undefined,
  reason: RequestReason,
  field: string,
  details: string,
): Value {
  if (value == null) throw new HttpError(reason, [{ reason, field, details }])
  return value
}

export function foundStore<Store>(store: Store | null): Store {
  return found(store, 'store_not_found', 'store_uuid', 'there is no store with this UUID')
}

export const prefix = '/v1'

/** The endpoints at a path (undefined for an unknown path), and the raw values of its parameters. */
export interface Route {
  endpoints: readonly Endpoint[] | undefined
  values: Readonly<Record<string, string>>
  /** The endpoints at the path without its last parameter. */
  parent?: readonly Endpoint[] | undefined
}

/** Makes the function that finds the endpoints at a path. */
export function createRoutes(endpoints: readonly Endpoint[]): (path: string) => Route {
  const byPath = Map.groupBy(endpoints, ({ path }) => prefix + path)
  const templates = [...byPath.keys()].filter((path) => path.includes('{'))
  const others = new Map([...byPath].filter(([path]) => !path.includes('{')))
  return (path) => {
    const direct = others.get(path)
    if (direct) return { endpoints: direct, values: {} }
    for (const template of templates) {
      const values = valuesIn(template, path)
      if (!values) continue
      return { endpoints: byPath.get(template), values, parent: others.get(path.slice(0, path.lastIndexOf('/'))) }
    }
    return { endpoints: undefined, values: {} }
  }
}

/** The values of a template's parameters in a path; undefined if the path does not match. */
export function valuesIn(template: string, path: string): Record<string, string> | undefined {
  const [parts, given] = [template.split('/'), path.split('/')]
  const values: Record<string, string> = {}
  const fits = parts.every((part, i) => {
    const value = given[i] ?? ''
    const isParameter = part.startsWith('{')
    if (isParameter) values[part.slice(1, -1)] = value
    return isParameter ? value !== '' : value === part
  })
  return fits && parts.length === given.length ? values : undefined
}
