import type { DueWebhook } from './leases.ts'

/** How many webhooks a process delivers to at a time, and how many of them may be slow. */
const maxRunning = 64
const maxSlow = 32
const maxRunningOfStore = 5
const maxSlowOfStore = 3

/** Delivers to due webhooks, to some of them at a time. `deliver` does not throw. */
export function createScheduler(deliver: (webhook: DueWebhook) => Promise<void>, signal: AbortSignal) {
  const running = new Map<DueWebhook, Promise<void>>()
  let queue: readonly DueWebhook[] = []
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
    running: () => [...running.values()],
  }
}

/** The first of the due webhooks for which there is room. */
export function choose(due: readonly DueWebhook[], running: readonly DueWebhook[]): DueWebhook[] {
  const all = [...running]
  const isFree = ({ storeUuid, webhookId, isSlow }: DueWebhook) => {
    const ofStore = all.filter((other) => other.storeUuid === storeUuid)
    const slowOf = (some: readonly DueWebhook[]) => some.filter((other) => other.isSlow).length
    return (
      ofStore.length < maxRunningOfStore &&
      all.every((other) => other.webhookId !== webhookId) &&
      (!isSlow || (slowOf(all) < maxSlow && slowOf(ofStore) < maxSlowOfStore))
    )
  }
  for (const webhook of due) {
    if (all.length >= maxRunning) break
    if (isFree(webhook)) all.push(webhook)
  }
  return all.slice(running.length)
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
