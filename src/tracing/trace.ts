/** The spans of one request, in the words of its server. */
export interface Trace {
  /**
   * Begins a part of the request and returns how to end it, with what failed if it failed. A part belongs to the one that is under way: an
   * operation to the request, a call of the filter to the operation.
   */
  begin(part: Part, name: string): (outcome?: { name?: string; error?: unknown }) => void
  /** A statement that has been answered. */
  statement(query: Statement): void
  /** What a downstream shall be told of the part that is under way (W3C Trace Context). */
  traceparent(): string
  /** Ends the request's own span. */
  end(outcome: { name: string; status: number; attributes: Record<string, string> }): void
}

export type Part = 'operation' | 'filter'

export interface Statement {
  sql: string
  durationMs: number
  error?: unknown
}

/** What makes the spans of requests and sends them on. */
export interface Tracing {
  begin(request: { method: string; traceparent: string | undefined }): Trace
  /** Sends what is left. */
  close(): Promise<void>
}
