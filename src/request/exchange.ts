/** Header fields by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

export interface RestRequest<Caller = unknown> {
  method: string
  /** The path as it came, percent-encoding and all: `/v1/assets`. */
  path: string
  search: string
  headers: RequestHeaders
  /** The caller of the request's token; undefined without a valid one. Throws what kept the caller out. */
  caller(): Caller | undefined
  /** What `status.request_id` is in the answer. */
  requestId: string
  /** Reads the body; `too large` when it has more bytes than the service accepts. */
  body(): Promise<Uint8Array<ArrayBuffer> | 'too large'>
}

/** A response, and the operation that the log and the metrics name; absent where it is not known. */
export interface OperationResult {
  answer: HttpResponse
  operation?: { operation: string; isWrite: boolean } | undefined
}

/** A response for whatever server. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  /** Text, or its bytes in pieces: what is kept in memory needs no copying then. Absent where HTTP has none. */
  body?: string | readonly Buffer[] | undefined
}
