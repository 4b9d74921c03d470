import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../auth/caller.ts'
import type { HttpResponse, RequestHeaders } from '../../request/exchange.ts'
import type { RequestSummary } from '../../request/log.ts'
import type { RequestId } from '../../request/request-id.ts'
import type { Reserve } from '../memory-budget.ts'

/** A request, with what it may do. */
export interface HttpRequest {
  request: IncomingMessage
  path: string
  search: string
  headers: RequestHeaders
  id: RequestId
  /** Undefined without a valid token. Throws the reason why the request is refused. */
  caller(): Caller | undefined
  /** Counts the memory of the body and of the answer. */
  reserve: Reserve
}

/** An answer, and how the log and the metrics describe its request. */
export interface HttpResult {
  answer: HttpResponse
  headers?: Record<string, string>
  summary?: Partial<RequestSummary>
}
