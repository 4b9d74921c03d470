import type { Logger } from 'pino'
import type { ServedRequest } from './request-scope.ts'

/** From here on a request counts as slow. */
const slowMs = 1_000

/**
 * Writes the line of a request. What is read fast and well is most of the traffic, and the metrics count it: it has a line at the level
 * `debug` only. Writes and refusals are told at `info`, and so is a client that left (499); what failed on our side or was slow at `warn`. No line has a
 * body, a query, a header or a token in it.
 */
export function logRequest(log: Logger, served: ServedRequest): void {
  const level = levelOf(served)
  if (!log.isLevelEnabled(level)) return
  const { scope, status, durationMs } = served
  const { requestId, tokenName, door, operation } = scope
  const line = {
    requestId: requestId.text,
    tokenName,
    door,
    operation,
    status,
    durationMs: Math.round(durationMs * 10) / 10,
  }
  log[level](line, 'request')
}

function levelOf({ scope, status, durationMs }: ServedRequest): 'debug' | 'info' | 'warn' {
  if (status === 499) return 'info'
  if (status >= 500 || durationMs >= slowMs) return 'warn'
  return status < 400 && !scope.isWrite ? 'debug' : 'info'
}
