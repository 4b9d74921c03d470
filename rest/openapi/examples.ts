import examples from './examples.json' with { type: 'json' }
import type { Json } from './schemas.ts'

/** A request and its answer. A test runs the request and compares the answer. */
export interface Example {
  /** A name as a key: `a-page`. */
  name: string
  summary: string
  method: string
  /** Path without the version prefix. */
  path: string
  query: Record<string, string>
  body?: unknown
  status: number
  answer: unknown
}

/** The examples of the document. */
export const keptExamples: readonly Example[] = examples

/** The content of a request or an answer: its schema, and the part of each example. */
export function content(schema: Json, examples: readonly Example[], part: 'body' | 'answer'): Json {
  const named = Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: example[part] }]),
  )
  return { 'application/json': { schema, ...(examples.length > 0 && { examples: named }) } }
}
