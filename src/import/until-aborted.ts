/** The same items up to when the signal is aborted, which does not wait for the next: it may never come, as from a pipe. */
export async function* untilAborted<T>(items: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    while (!signal.aborted) {
      const item = await unlessAborted(items.next(), signal)
      if (!item || item.done) return
      yield item.value
    }
  } finally {
    const ended = items.return(undefined)
    if (signal.aborted) ended.catch(() => {})
    else await ended
  }
}

/** What comes, or undefined once the signal is aborted. Nothing of it is held by the signal afterwards, as a race would. */
export function unlessAborted<T>(coming: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    coming.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
