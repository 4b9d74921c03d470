/** Resolves with the first SIGINT or SIGTERM, which `onSignal` receives too; the next one ends the process at once with exit code 1. */
export function untilSignal(onSignal: (signal: string) => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(1)
        isStopping = true
        onSignal(signal)
        resolve()
      })
    }
  })
}
