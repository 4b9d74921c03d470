import type { Logger } from 'pino'

/** A request that has its answer, as the log and the metrics describe it. */
export interface ServedRequest extends RequestSummary {
  requestId: string
  status: number
  durationMs: number
}

export interface RequestSummary {
  api: 'rest' | 'graphql' | 'other'
  /** The operation of an endpoint, or the first root field of a valid document: a bounded set. */
  operation: string
  isWrite: boolean
  /** The name of the caller's token; several tokens may share one. */
  tokenName: string | undefined
}

const slowMs = 1_000

/** Logs a request, fast successful reads at `debug` only. No line holds a body, a query, a header or a token. */
export function logRequest(log: Logger, served: ServedRequest): void {
  const level = levelOf(served)
  if (!log.isLevelEnabled(level)) return
  const { requestId, tokenName, api, operation, status, durationMs } = served
  log[level]({ requestId, tokenName, api, operation, status, durationMs: Math.round(durationMs * 10) / 10 }, 'request')
}

function levelOf({ isWrite, status, durationMs }: ServedRequest): 'debug' | 'info' | 'warn' {
  if (status === 499) return 'info'
  if (status >= 500 || durationMs >= slowMs) return 'warn'
  return status < 400 && !isWrite ? 'debug' : 'info'
}
