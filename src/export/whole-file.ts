import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'

/**
 * Writes a file under a temporary name and renames it when it is complete. Until then, and after a failure or a signal,
 * the previous file at the path remains, and no other.
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
