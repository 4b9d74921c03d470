import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/**
 * Makes the function that work calls between its parts, and awaits what it returns: once the work has run for 10 ms
 * without a pause, a promise that lets other requests run first.
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
