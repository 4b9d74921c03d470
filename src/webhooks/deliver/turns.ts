import { choose } from './choose.ts'
import type { DueWebhook } from './leases.ts'

/** Runs turns of due webhooks. `run` does not throw. */
export function createTurns(run: (webhook: DueWebhook) => Promise<void>, signal: AbortSignal) {
  const running = new Map<DueWebhook, Promise<void>>()
  let waiting: readonly DueWebhook[] = []
  const startSome = () => {
    if (signal.aborted) return
    const chosen = new Set(choose(waiting, [...running.keys()]))
    waiting = waiting.filter((webhook) => !chosen.has(webhook))
    for (const webhook of chosen)
      running.set(
        webhook,
        run(webhook).finally(() => end(webhook)),
      )
  }
  const end = (webhook: DueWebhook) => {
    running.delete(webhook)
    startSome()
  }
  return {
    /** Starts those for which there is room, and the others as turns end. Returns whether all have started. */
    startAll: (due: readonly DueWebhook[]): boolean => {
      waiting = due
      startSome()
      return waiting.length === 0
    },
    running: () => [...running.values()],
  }
}
