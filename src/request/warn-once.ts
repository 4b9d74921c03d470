import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'

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
