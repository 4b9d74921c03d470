import type { ServerResponse } from 'node:http'

/** Counts further bytes until the response is closed; false when that would exceed the budget. */
export type Reserve = (bytes: number) => boolean

export type MemoryBudget = ReturnType<typeof createMemoryBudget>

/** Not counted, for each request: small bodies are read and small answers are sent while large ones wait. */
const freeBytes = 64 * 1024

/**
 * Limits the memory of open requests, for their bodies or for unread answers, to `maxBytes`, and to half of that for
 * each token.
 */
export function createMemoryBudget(maxBytes: number) {
  const byToken = new Map<string, number>()
  let total = 0
  const add = (tokenId: string, bytes: number) => {
    total += bytes
    const own = (byToken.get(tokenId) ?? 0) + bytes
    if (own > 0) byToken.set(tokenId, own)
    else byToken.delete(tokenId)
  }
  /** With `isRequired` the bytes are counted, never refused. */
  const reserveFor = (response: ServerResponse, tokenId: string, isRequired = false): Reserve => {
    let size = 0
    let counted = 0
    return (bytes) => {
      size += bytes
      const more = Math.max(0, size - freeBytes) - counted
      if (more === 0) return true
      const isTooMuch = total + more > maxBytes || (byToken.get(tokenId) ?? 0) + more > maxBytes / 2
      if (isTooMuch && !isRequired) {
        add(tokenId, -counted)
        counted = 0
        return false
      }
      if (response.destroyed) return true
      if (counted === 0) response.once('close', () => add(tokenId, -counted))
      counted += more
      add(tokenId, more)
      return true
    }
  }
  return {
    reserveFor,
    state: () => ({ held: total, max: maxBytes }),
    /** Whether the token has used its half. */
    isFull: (tokenId: string) => (byToken.get(tokenId) ?? 0) >= maxBytes / 2,
  }
}
