import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { z } from 'zod'
import type { Enumerations } from './request/shapes.ts'

/** One row of the table: where it is served, which GraphQL operation it is, and how the two are translated. */
export interface Endpoint<
  Result = unknown,
  Variables = Record<string, unknown>,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the version prefix: `/assets`. */
  path: string
  /** `status.message` on success (spec: Response envelope). */
  success: 'SUCCESS' | 'success'
  summary: string
  description: string
  isExtension?: boolean
  document: TypedDocumentNode<Result, Variables>
  takesBody: boolean
  /** Query parameters that may be repeated: their values are joined by commas. */
  repeatable?: readonly string[]
  /** Whether it answers through the filtering service: what is unavailable is then its downstream. */
  dependsOnFilter?: boolean
  /** The listing of asset groups: run by `Reader.listAssets`, which has versions, and so an ETag. */
  isAssetListing?: boolean
  /** Reasons of errors that other endpoints do not have. */
  extraReasons?: readonly string[]
  /** What a request must have: its query parameters by name and, if the operation takes one, its body. */
  shapes(enumerations: Enumerations): { query: Query; body?: Body }
  /** `raw` is the body as it came: with fields that its shape does not name. */
  variables(query: z.output<Query>, body: z.output<Body>, raw: z.input<Body>): Variables
  dataShape: z.ZodRawShape
  /** How its data is a table, for answers in CSV and JSON Lines. */
  table?: {
    /** The first columns; others come from the rows. */
    columns: readonly string[]
    rowsOf(data: unknown): readonly ReadonlyMap<string, unknown>[]
    /** How many rows all pages have. */
    totalOf?(data: unknown): number
  }
  toData(result: Result): unknown
}

/** Checks a row's parts against each other (shapes, variables, document, result) and then forgets their types. */
export function endpoint<Result, Variables, Query extends z.ZodObject, Body extends z.ZodType>(
  row: Omit<Endpoint<Result, Variables, Query, Body>, 'success' | 'takesBody'>,
): Endpoint {
  return {
    ...(row as unknown as Endpoint),
    success: row.path.startsWith('/assets') ? 'SUCCESS' : 'success',
    takesBody: row.method !== 'GET',
    shapes: memoizeLast(row.shapes),
  }
}

/** Keeps what was made of the enumerations last: they seldom change; making it takes longer than a small request. */
export function memoizeLast<Made>(make: (enumerations: Enumerations) => Made): (enumerations: Enumerations) => Made {
  let last: { enumerations: Enumerations; made: Made } | undefined
  return (enumerations) => {
    if (last?.enumerations !== enumerations) last = { enumerations, made: make(enumerations) }
    return last.made
  }
}
