export interface Trace {
  /** Begins a span within the current one. Returns the function that ends it, with the part's error if it failed. */
  begin(part: Part, name: string): (outcome?: { error?: unknown }) => void
  statement(query: Statement): void
  /** The header of calls to other services that makes the current span the parent of theirs (W3C Trace Context). */
  traceparent(): string
  end(outcome: { name: string; status: number; attributes: Record<string, string> }): void
}

export type Part = 'operation' | 'filter'

export interface Statement {
  sql: string
  durationMs: number
  error?: unknown
}

export interface Tracing {
  begin(request: { method: string; traceparent: string | undefined }): Trace
  close(): Promise<void>
}
