import type { ServerResponse } from 'node:http'

/** Makes the function that calls back when the connection of a response ends before all of the response was sent. It returns how to stop listening. */
export function departureOf(response: ServerResponse): (gone: () => void) => () => void {
  let listeners: Set<() => void> | undefined
  return (gone) => {
    if (!listeners) {
      const waiting = new Set<() => void>()
      listeners = waiting
      response.once('close', () => {
        if (!response.writableFinished) for (const call of waiting) call()
      })
    }
    listeners.add(gone)
    return () => listeners?.delete(gone)
  }
}
