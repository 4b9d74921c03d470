import { requestContext } from './context.ts'
import { FairQueue } from './fair-queue.ts'

const starts = new FairQueue({ slots: 1, maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: 0 })

/**
 * At most one large request starts per event-loop iteration, round-robin over tokens. A hundred requests of 10 ms that
 * arrive at once do not block the thread for a second.
 */
export async function startOnePerTick(): Promise<void> {
  setImmediate(await starts.acquire(requestContext.getStore()))
}
