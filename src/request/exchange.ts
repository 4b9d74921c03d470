import type { Writable } from 'node:stream'
import type { Caller } from './caller.ts'
import type { RequestSummary } from './log.ts'

/** Header fields by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

export interface RestRequest {
  method: string
  /** The raw path, with its percent-encoding: `/v1/assets`. */
  path: string
  search: string
  headers: RequestHeaders
  /** The caller of the request's token. Throws why the request is refused, such as `unauthorized`. */
  requireCaller(): Caller
  /** `status.request_id` of the answer. */
  requestId: string
  /** Reads the body. Throws `unsupported_media_type` unless it is declared as JSON, and `payload_too_large`. */
  body(): Promise<Uint8Array<ArrayBuffer>>
  /** The body as a file that arrives, of any type: at most one of both is read. */
  file(): ArrivingFile
}

/** A file as it arrives. Reading it throws if it is too large, empty or cut off, or pauses for too long. */
export interface ArrivingFile {
  chunks: AsyncIterable<Buffer>
  /** The number of its bytes, as far as the client announced it. */
  announced: number
}

/** A response, and what the log and the metrics say of its operation; absent if that is not known. */
export interface OperationResult {
  answer: HttpResponse
  summary?: Pick<RequestSummary, 'operation' | 'isWrite' | 'warning'> | undefined
}

/** A response as plain data. Of one request: sending it drops its body. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  /** Text, or chunks of bytes, so that cached answers are not copied. Absent for an answer without a body. */
  body?: string | readonly Buffer[] | undefined
  /** Instead of a body: parts that are made when the client has read those before. */
  parts?: AsyncIterable<Buffer>
  /** Instead of a body: writes events until it ends. It is called once. */
  events?: (out: Writable) => void
}
