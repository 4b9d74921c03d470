import { setTimeout as sleep } from 'node:timers/promises'

const firstMs = 10
const maxMs = 200

/** While attempts to connect fail, all wait for one `probe` after a growing pause, so that a server can recover. */
export function createBackOff(probe: () => Promise<void>): <T>(attempt: () => Promise<T>) => Promise<T> {
  let pauseMs = 0
  let probing: Promise<void> | undefined
  const probeLater = async () => {
    await sleep(pauseMs * (0.5 + Math.random() / 2))
    pauseMs = Math.min(maxMs, pauseMs * 2)
    await probe()
    pauseMs = 0
  }
  return async (attempt) => {
    if (pauseMs > 0) {
      probing ??= probeLater().finally(() => {
        probing = undefined
      })
      await probing
      return attempt()
    }
    return attempt().catch((error: unknown) => {
      pauseMs ||= firstMs
      throw error
    })
  }
}
