import { setTimeout as sleep } from 'node:timers/promises'

const firstMs = 10
const longestMs = 200

/**
 * Makes attempts to connect that become ever more seldom, up to one in 0.2 s, while they fail: whoever comes meanwhile waits for the next one, and shares
 * how it ends. Attempts of all of them would keep a server busy that has to recover.
 */
export function createBackOff(): <T>(attempt: () => Promise<T>, probe: () => Promise<void>) => Promise<T> {
  let pause = 0
  let next: Promise<void> | undefined
  const probing = async (probe: () => Promise<void>) => {
    await sleep(pause * (0.5 + Math.random() / 2))
    try {
      await probe()
      pause = 0
    } catch (error) {
      pause = Math.min(longestMs, pause * 2)
      throw error
    }
  }
  return async (attempt, probe) => {
    if (pause === 0) {
      return attempt().catch((error: unknown) => {
        pause ||= firstMs
        throw error
      })
    }
    next ??= probing(probe).finally(() => {
      next = undefined
    })
    await next
    return attempt()
  }
}
