import { FairQueue } from '../fair-share/fair-queue.ts'
import { requestContext } from '../request/context.ts'

const starts = new FairQueue({ slots: 1 })

/** If a start took this long, the next one waits for as long: other requests need several iterations. */
const longStartMs = 5
/** Longer iterations are not due to a start. */
const maxGapMs = 20

/**
 * At most one large request starts per event-loop iteration, in rotation among tenants. A hundred requests of 10 ms
 * that arrive at once block the thread for half of the time, 10 ms at a time.
 */
export async function startOnePerTick(): Promise<void> {
  const release = await starts.acquire(requestContext.getStore())
  const begunAt = performance.now()
  setImmediate(() => {
    const tookMs = performance.now() - begunAt
    if (tookMs < longStartMs) release()
    else setTimeout(release, Math.min(tookMs, maxGapMs))
  })
}
