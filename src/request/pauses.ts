import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/**
 * Returns a function that long work calls often. Every 10 ms it returns a promise to await, so that other requests run.
 */
export function createPauses(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < sliceMs) return undefined
    return setImmediate().then(() => {
      startedAt = performance.now()
    })
  }
}
