import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/** Makes the function that work awaits between its parts: after 10 ms without a pause it lets other requests run. */
export function createPauses(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < sliceMs) return undefined
    return setImmediate().then(() => {
      startedAt = performance.now()
    })
  }
}
