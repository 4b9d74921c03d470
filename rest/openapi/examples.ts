import examples from './examples.json' with { type: 'json' }

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
