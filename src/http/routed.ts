import type { RequestSummary } from '../request/log.ts'
import type { Answer } from './respond.ts'

/** The outcome of authentication. */
export interface Admission<Caller> {
  /** The caller; undefined without a valid token. Throws what kept the caller out: the rate limit, or tokens that could not be read. */
  caller(): Caller | undefined
  /** Headers for the answer, whatever it is: how many requests are left. */
  headers: Record<string, string>
  tokenId: string
  tokenName: string | undefined
}

/** An answer, and how the log and the metrics describe its request. */
export interface Routed {
  answer: Answer
  headers?: Record<string, string>
  summary?: Partial<RequestSummary>
}
