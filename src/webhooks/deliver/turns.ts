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
    /**
     * Starts those for which there is room, and the others as turns end, in random order: none waits for another one
     * for long.
     */
    startAll: (due: readonly DueWebhook[]): void => {
      waiting = shuffled(due)
      startSome()
    },
    running: () => [...running.values()],
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
