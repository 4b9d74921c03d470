import { once } from 'node:events'

/** Resolves with the first SIGINT or SIGTERM; the next one ends the process at once with exit code 1. */
export async function untilSignal(): Promise<string> {
  const signals = ['SIGINT', 'SIGTERM']
  const first = await Promise.race(signals.map((signal) => once(process, signal).then(() => signal)))
  for (const signal of signals) process.on(signal, () => process.exit(1))
  return first
}
