import { type DeliveryParts, deliver, ping } from './attempt.ts'
import { createBacklog } from './backlog.ts'
import { acquire, dueAtOnce, type LeasedWebhook, type Release, release, type WebhookKey } from './leases.ts'
import { maxDeliveries } from './message.ts'

const pauseAfterErrorMs = 5_000

/**
 * Acquires the lease of a webhook, unless another process has it, and delivers what is pending: one message after the
 * other, until one fails or the time slice ends.
 */
export async function deliverWebhook(parts: DeliveryParts, key: WebhookKey): Promise<void> {
  const { db, owner } = parts
  const leased = await acquire(db, key, owner)
  if (!leased) return
  let rest: Release | undefined = { hasMore: true, pauseMs: pauseAfterErrorMs }
  try {
    if (leased.ping) await ping(parts, leased)
    rest = leased.ping ? dueAtOnce : await deliverAll(parts, leased)
  } finally {
    if (rest) await release(db, key, owner, rest)
  }
}

/** Returns how the lease is to be released; undefined if it is. */
async function deliverAll(parts: DeliveryParts, leased: LeasedWebhook): Promise<Release | undefined> {
  const backlog = createBacklog(parts)
  const { slice, joining } = parts.times
  const end = performance.now() + slice
  let next = await backlog.next(leased)
  let pauseMs = backlog.hasRead() ? joining : 0
  for (let sent = 1; next && next !== 'end'; sent++) {
    const following = backlog.takeFollowing()
    pauseMs = next.isLarge ? joining : 0
    const position: string | undefined = following ? undefined : backlog.readTo()
    const last = position === undefined ? undefined : { position, hasMore: false, pauseMs }
    const webhook: LeasedWebhook | undefined = await deliver(parts, next, following, last)
    if (webhook?.isReleased) return undefined
    if (!webhook || !isOn(webhook) || sent === maxDeliveries || performance.now() >= end) break
    next = following ? { webhook, ...following } : await backlog.next(webhook)
  }
  return next === 'end' ? { hasMore: false, pauseMs } : dueAtOnce
}

/** Its user may have switched it off. */
function isOn({ state }: LeasedWebhook): boolean {
  return state !== 'disabled' && state !== 'paused'
}
