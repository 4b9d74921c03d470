import examples from '../examples.json' with { type: 'json' }

/** A request and what the service answered to it: made by the tests, which run it and compare. */
export interface Example {
  /** A name as a key: `a-page`. */
  name: string
  summary: string
  method: string
  /** Below the version prefix. */
  path: string
  query: Record<string, string>
  body?: unknown
  status: number
  answer: unknown
}

/** The examples that are part of the document. */
export const keptExamples: readonly Example[] = examples
