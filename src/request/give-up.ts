import { setTimeout as sleep } from 'node:timers/promises'

/** What the work returns, or throws the reason of the signal once it is aborted. Leaves no listener on the signal. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return Promise.race([aborted.promise, work]).finally(() => signal.removeEventListener('abort', abort))
}

/** As `orAborted`, but undefined once the signal is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return orAborted(work, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
}

const shutdownMs = 500

/** What the work of a part that stops returns; undefined if it takes too long: a database may be silent. */
export function inTimeForShutdown<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  return Promise.race([work, sleep(shutdownMs, undefined, { ref: false })])
}
