import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../request/caller.ts'
import { reserve } from '../../request/context.ts'
import type { HttpResponse, OperationResult, RequestHeaders } from '../../request/exchange.ts'
import type { RequestSummary } from '../../request/log.ts'
import type { RequestId } from '../../request/request-id.ts'
import { byteLength, piecesOf, requireLength } from '../body/body-size.ts'

/** A request, with what it may do. */
export interface HttpRequest {
  request: IncomingMessage
  path: string
  search: string
  headers: RequestHeaders
  id: RequestId
  /** Throws why the request is refused, such as `unauthorized`. */
  requireCaller(): Caller
}

/** An answer, and how the log and the metrics describe its request. */
export interface HttpResult {
  answer: HttpResponse
  headers?: Record<string, string>
  summary?: Partial<RequestSummary>
}

/** The result of an operation, within the memory of the tenant. Throws for the answer to a read that is too long. */
export function withinLimits(
  api: RequestSummary['api'],
  { answer, summary }: OperationResult,
  { method }: IncomingMessage,
  maxBytes = Number.POSITIVE_INFINITY,
): HttpResult {
  if (!summary?.isWrite) requireLength(answer, maxBytes)
  if (answer.body !== undefined) answer.body = piecesOf(answer.body)
  if (method !== 'HEAD') reserve(byteLength(answer.body), summary?.isWrite)
  return { answer, summary: { api, ...summary } }
}
