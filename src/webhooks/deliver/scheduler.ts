import { choose } from './choose.ts'
import type { DueWebhook } from './leases.ts'

/** Delivers to due webhooks, to some of them at a time. `deliver` does not throw. */
export function createScheduler(deliver: (webhook: DueWebhook) => Promise<void>, signal: AbortSignal) {
  const running = new Map<DueWebhook, Promise<void>>()
  let queue: readonly DueWebhook[] = []
  let ended = 0
  const startSome = () => {
    if (signal.aborted) return
    const chosen = new Set(choose(queue, [...running.keys()]))
    queue = queue.filter((webhook) => !chosen.has(webhook))
    for (const webhook of chosen)
      running.set(
        webhook,
        deliver(webhook).finally(() => end(webhook)),
      )
  }
  const end = (webhook: DueWebhook) => {
    running.delete(webhook)
    ended++
    startSome()
  }
  return {
    /**
     * Starts those for which there is room, and the others in random order as deliveries end: none is starved. Returns
     * whether all are started.
     */
    schedule: (due: readonly DueWebhook[]): boolean => {
      queue = shuffled(due)
      startSome()
      return queue.length === 0
    },
    /** How many have ended. */
    ended: () => ended,
    running: () => [...running.values()],
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
