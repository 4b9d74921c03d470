import type { ServerResponse } from 'node:http'

/** Holds so many bytes more until the response is closed; false when there is no memory for them. */
export type Reserve = (bytes: number) => boolean

export type HeldMemory = ReturnType<typeof createHeldMemory>

/** Never refused: small bodies are read, and small answers sent, however many large ones wait. */
const freeBytes = 64 * 1024

/**
 * Bounds the memory that open requests hold, for their bodies or for answers that are not read yet: `maxBytes` in all
 * beyond 64 KiB each, half of it per token.
 */
export function createHeldMemory(maxBytes: number) {
  const byToken = new Map<string, number>()
  let total = 0
  const add = (tokenId: string, bytes: number) => {
    total += bytes
    const own = (byToken.get(tokenId) ?? 0) + bytes
    if (own > 0) byToken.set(tokenId, own)
    else byToken.delete(tokenId)
  }
  /** `isRequired`: the bytes are held in any case. */
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
    state: () => ({ held: total, most: maxBytes }),
    /** Whether the token holds all that it may. */
    isFull: (tokenId: string) => (byToken.get(tokenId) ?? 0) >= maxBytes / 2,
  }
}
