import { requestContext } from './context.ts'
import { FairQueue } from './fair-queue.ts'

const rounds = new FairQueue({ slots: 1, maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: 0 })

/**
 * Waits for a round of the event loop that begins no other such request, for tokens in rotation: a hundred requests
 * that arrive at once, and each need the thread for 10 ms, do not block it for a second.
 */
export async function startOnePerTick(): Promise<void> {
  setImmediate(await rounds.acquire(requestContext.getStore()))
}
