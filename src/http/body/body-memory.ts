import type { ServerResponse } from 'node:http'

/** Reserves so many bytes more for the body of a request; false when there is no memory for them. */
export type Reserve = (bytes: number) => boolean

export type BodyMemory = ReturnType<typeof createBodyMemory>

/** Never refused: small bodies are read however many large ones wait. */
const freeBytes = 64 * 1024

/** Bounds the memory for bodies of unanswered requests: `maxBytes` in all beyond 64 KiB each, half of it per token. */
export function createBodyMemory(maxBytes: number) {
  const byToken = new Map<string, number>()
  let total = 0
  const add = (tokenId: string, bytes: number) => {
    total += bytes
    const own = (byToken.get(tokenId) ?? 0) + bytes
    if (own > 0) byToken.set(tokenId, own)
    else byToken.delete(tokenId)
  }
  const reserveFor = (response: ServerResponse, tokenId: string): Reserve => {
    let size = 0
    let counted = 0
    return (bytes) => {
      size += bytes
      const more = Math.max(0, size - freeBytes) - counted
      if (more === 0) return true
      if (total + more > maxBytes || (byToken.get(tokenId) ?? 0) + more > maxBytes / 2) {
        add(tokenId, -counted)
        counted = 0
        return false
      }
      if (counted === 0) response.once('close', () => add(tokenId, -counted))
      counted += more
      add(tokenId, more)
      return true
    }
  }
  return { reserveFor, reserved: () => total }
}
