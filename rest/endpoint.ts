import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { z } from 'zod'
import type { Enumerations } from './shapes.ts'

/** The shapes that a request must have: its query parameters by name and, if the operation takes one, its body. */
export interface Shapes<Query extends z.ZodObject, Body extends z.ZodType> {
  query: Query
  body?: Body
}

/** One row of the table: where it is served, which GraphQL operation it is, and how the two are translated. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the version prefix: `/assets`. */
  path: string
  /** `status.message` on success (spec: Response envelope). */
  success: 'SUCCESS' | 'success'
  document: TypedDocumentNode<unknown, Record<string, unknown>>
  takesBody: boolean
  /** Query parameters that may be repeated: their values are joined by commas. */
  repeatable?: readonly string[]
  /** Whether it answers through the filtering service, so that what cannot be reached is its downstream. */
  dependsOnFilter?: boolean
  shapes(enumerations: Enumerations): Shapes<z.ZodObject, z.ZodType>
  variables(query: unknown, body: unknown): Record<string, unknown>
  data(result: unknown): unknown
}

interface Row<Result, Variables, Query extends z.ZodObject, Body extends z.ZodType> {
  method: Endpoint['method']
  path: string
  success: Endpoint['success']
  document: TypedDocumentNode<Result, Variables>
  takesBody: boolean
  repeatable?: readonly string[]
  dependsOnFilter?: boolean
  shapes(enumerations: Enumerations): Shapes<Query, Body>
  variables(query: z.output<Query>, body: z.input<Body>): Variables
  data(result: Result): unknown
}

/** Checks a row's parts against each other (shapes, variables, document, result) and then forgets their types. */
export function endpoint<Result, Variables, Query extends z.ZodObject, Body extends z.ZodType>(
  row: Row<Result, Variables, Query, Body>,
): Endpoint {
  return row as unknown as Endpoint
}
