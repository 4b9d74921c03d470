import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/** Makes the function that returns a pause for work to await, so that other requests run: one every 10 ms. */
export function createPauses(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < sliceMs) return undefined
    return setImmediate().then(() => {
      startedAt = performance.now()
    })
  }
}
