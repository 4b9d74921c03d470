import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { z } from 'zod'
import type { Enumerations } from './request/shapes.ts'

/** The shapes that a request must have: its query parameters by name and, if the operation takes one, its body. */
export interface Shapes<Query extends z.ZodObject, Body extends z.ZodType> {
  query: Query
  body?: Body
}

/** What the reference says of an endpoint, and the shape of what it answers with. */
export interface About {
  /** A few words: `List assets`. */
  summary: string
  /** Sentences in Markdown. */
  description: string
  /** `data` on success. */
  answer: z.ZodType
  /** Whether it goes beyond the specification. */
  isExtension?: boolean
}

/** One row of the table: where it is served, which GraphQL operation it is, and how the two are translated. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the version prefix: `/assets`. */
  path: string
  /** `status.message` on success (spec: Response envelope). */
  success: 'SUCCESS' | 'success'
  about: About
  document: TypedDocumentNode<unknown, Record<string, unknown>>
  takesBody: boolean
  /** Query parameters that may be repeated: their values are joined by commas. */
  repeatable?: readonly string[]
  /** Whether it answers through the filtering service: what is unavailable is then its downstream. */
  dependsOnFilter?: boolean
  /** Whether its answers have versions, and so an ETag. */
  isVersioned?: boolean
  shapes(enumerations: Enumerations): Shapes<z.ZodObject, z.ZodType>
  variables(query: unknown, body: unknown): Record<string, unknown>
  data(result: unknown): unknown
}

interface Row<Result, Variables, Query extends z.ZodObject, Body extends z.ZodType> {
  method: Endpoint['method']
  path: string
  success: Endpoint['success']
  about: About
  document: TypedDocumentNode<Result, Variables>
  takesBody: boolean
  repeatable?: readonly string[]
  dependsOnFilter?: boolean
  isVersioned?: boolean
  shapes(enumerations: Enumerations): Shapes<Query, Body>
  variables(query: z.output<Query>, body: z.input<Body>): Variables
  data(result: Result): unknown
}

/** Checks a row's parts against each other (shapes, variables, document, result) and then forgets their types. */
export function endpoint<Result, Variables, Query extends z.ZodObject, Body extends z.ZodType>(
  row: Row<Result, Variables, Query, Body>,
): Endpoint {
  const { shapes } = row as unknown as Endpoint
  return { ...(row as unknown as Endpoint), shapes: madeOnce(shapes) }
}

/** Shapes depend on the enumerations alone: making them for each request would be most of the work of a small one. */
function madeOnce(make: Endpoint['shapes']): Endpoint['shapes'] {
  let madeFor: Enumerations | undefined
  let made: ReturnType<Endpoint['shapes']> | undefined
  return (enumerations) => {
    if (made === undefined || madeFor !== enumerations) made = make(enumerations)
    madeFor = enumerations
    return made
  }
}
