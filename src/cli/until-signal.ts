/** On Ctrl-C the gateway gets SIGINT from the terminal and once more from `npm start`, which passes it on. */
const duplicateMs = 250

/** Resolves with the first SIGINT or SIGTERM; another after `duplicateMs` ends the process at once with exit code 1. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        firstAt ??= performance.now()
        if (performance.now() - firstAt > duplicateMs) process.exit(1)
        resolve(signal)
      })
    }
  })
}
