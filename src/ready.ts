import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Puts checks together into one answer to "ready?". What has not answered within the deadline (ms) is not ready. Those who ask while a
 * round is under way share it: they need no token, and must not be able to keep the dependencies busy.
 */
export function createReadiness(checks: readonly (() => Promise<boolean>)[], deadlineMs: number) {
  let round: Promise<boolean> | undefined
  return (): Promise<boolean> => {
    round ??= allInTime(checks, deadlineMs).finally(() => {
      round = undefined
    })
    return round
  }
}

async function allInTime(checks: readonly (() => Promise<boolean>)[], deadlineMs: number): Promise<boolean> {
  const over = new AbortController()
  const late = sleep(deadlineMs, false, { signal: over.signal }).catch(() => false)
  const answers = await Promise.all(checks.map((check) => Promise.race([check().catch(() => false), late])))
  over.abort()
  return answers.every(Boolean)
}
