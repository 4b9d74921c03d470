import type { DueWebhook } from './leases.ts'

/** How many webhooks a process delivers to at a time, and how many of them may be slow. */
const maxRunning = 64
const maxSlow = 32
const maxRunningOfStore = 5
const maxSlowOfStore = 3

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
