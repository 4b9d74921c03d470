import type { ServerResponse } from 'node:http'
import { HttpError } from '../request/http-error.ts'

/**
 * Counts further bytes of a request, of its body or its answer, until the response is closed. Throws `unavailable`
 * beyond the budget; required bytes are counted in any case.
 */
export type Reserve = (bytes: number, isRequired?: boolean) => void

export type MemoryBudget = ReturnType<typeof createMemoryBudget>

/** Not counted, for each request: small bodies are read and small answers are sent while large ones wait. */
const freeBytes = 64 * 1024

/** Limits the memory of all open requests, for bodies and unread answers, to `maxBytes`; a token's to half of that. */
export function createMemoryBudget(maxBytes: number) {
  const byToken = new Map<string, number>()
  let total = 0
  const heldBy = (tokenId: string) => byToken.get(tokenId) ?? 0
  const add = (tokenId: string, bytes: number) => {
    total += bytes
    const own = heldBy(tokenId) + bytes
    if (own > 0) byToken.set(tokenId, own)
    else byToken.delete(tokenId)
  }
  const reserveFor = (response: ServerResponse, tokenId: string): Reserve => {
    let size = 0
    let isWatched = false
    const counted = () => Math.max(0, size - freeBytes)
    const release = () => {
      add(tokenId, -counted())
      size = 0
    }
    return (bytes, isRequired = false) => {
      if (response.destroyed) return
      const more = Math.max(0, size + bytes - freeBytes) - counted()
      const isTooMuch = total + more > maxBytes || heldBy(tokenId) + more > maxBytes / 2
      if (more > 0 && isTooMuch && !isRequired) {
        release()
        throw tooMuchMemory()
      }
      size += bytes
      if (more === 0) return
      add(tokenId, more)
      if (!isWatched) response.once('close', release)
      isWatched = true
    }
  }
  return {
    reserveFor,
    state: () => ({ held: total, max: maxBytes }),
    /** Throws `unavailable` if the token has used its half: required bytes may exceed it. */
    requireRoom: (tokenId: string) => {
      if (heldBy(tokenId) >= maxBytes / 2) throw tooMuchMemory()
    },
  }
}

function tooMuchMemory(): HttpError {
  return new HttpError('unavailable', 'the open requests hold too much memory; read their answers, then retry')
}
