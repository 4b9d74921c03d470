import { LRUCache } from 'lru-cache'
import { DatabaseError } from 'pg'
import type { Logger } from 'pino'

/** An answered request, as the log and the metrics describe it. */
export interface ServedRequest extends RequestSummary {
  requestId: string
  status: number
  durationMs: number
}

export interface RequestSummary {
  api: 'rest' | 'graphql' | 'mcp' | 'other'
  /** The operation of an endpoint, or the first root field of a valid document: a bounded set. */
  operation: string
  isWrite: boolean
  /** The name of the caller's token; several tokens may share one. */
  tokenName: string | undefined
  /** The header `Warning` of the answer. */
  warning?: string | undefined
}

const slowMs = 1_000

/** How many requests without a valid token are logged in a second: anyone can send them. */
const maxAnonymous = 10

/**
 * Makes the function that logs a request, fast successful reads without a warning at `debug`. No line has a body, a
 * query or a token.
 */
export function createRequestLog(log: Logger): (served: ServedRequest) => void {
  let anonymous = 0
  const endSecond = () => {
    const requests = anonymous - maxAnonymous
    if (requests > 0) log.info({ requests }, 'further requests without a valid token were not logged')
    anonymous = 0
  }
  return (served) => {
    const level = levelOf(served)
    if (!log.isLevelEnabled(level)) return
    const { requestId, tokenName, api, operation, status, warning } = served
    if (tokenName === undefined) {
      if (anonymous === 0) setTimeout(endSecond, 1_000).unref()
      if (++anonymous > maxAnonymous) return
    }
    const durationMs = Math.round(served.durationMs * 10) / 10
    log[level]({ requestId, tokenName, api, operation, status, durationMs, warning }, 'request')
  }
}

function levelOf({ isWrite, status, durationMs, warning }: ServedRequest): 'debug' | 'info' | 'warn' {
  if (status === 499) return 'info'
  if (status >= 500 || durationMs >= slowMs) return 'warn'
  return status < 400 && !isWrite && warning === undefined ? 'debug' : 'info'
}

/** An error for the log, without the messages of PostgreSQL: they quote values. */
export function loggableError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { code, severity, table, column, constraint, routine, stack = '' } = error
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line))
  return { type: 'DatabaseError', code, severity, table, column, constraint, routine, stack: frames.join('\n') }
}

/** A warning that has not come for so long is logged when it comes again. */
const quietMs = 10_000
/** One that goes on coming is logged so often. */
const repeatMs = 10 * 60_000
/** The latest warnings; the one that came least recently is forgotten for a new one. */
const latest = new LRUCache<string, { loggedAt: number; cameAt: number }>({ max: 100 })

/**
 * Logs a warning once, and then every ten minutes until it has not come for ten seconds: while a dependency is down,
 * each request and each poll has the same one. `kind`: by what it is the same one, such as a code; by default its
 * reason.
 */
export function warnOnce(
  log: Logger,
  message: string,
  fields: { reason?: string | undefined } = {},
  kind = fields.reason,
): void {
  const key = `${message}: ${kind}`
  const now = performance.now()
  const last = latest.get(key)
  const isKnown = last !== undefined && now - last.cameAt < quietMs && now - last.loggedAt < repeatMs
  latest.set(key, { loggedAt: isKnown ? last.loggedAt : now, cameAt: now })
  if (!isKnown) log.warn(fields, message)
}
