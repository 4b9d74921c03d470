import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'

/**
 * Writes a file under a name of its own, and renames it when it is whole. Until then, after a failure, and when a
 * signal ends the process, what stood at the path stays, and nothing else is left.
 */
export async function writeWhole<T>(path: string, write: (partial: string) => Promise<T>): Promise<T> {
  const partial = `${path}.${randomUUID()}.partial`
  const remove = () => rmSync(partial, { force: true })
  const end = (signal: NodeJS.Signals) => {
    remove()
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, end)
  try {
    const result = await write(partial)
    await rename(partial, path)
    return result
  } finally {
    remove()
    for (const signal of signals) process.off(signal, end)
  }
}
