import type { ServerResponse } from 'node:http'
import { requestScope } from '../request-scope.ts'

/** Takes so many bytes more for the body of a request; false when there is no room for them. */
export type TakeRoom = (bytes: number) => boolean

/** Makes the way to take room for the body of the request that gets this response. */
export type RoomOf = (response: ServerResponse) => TakeRoom

/** What is never refused: light bodies are let in however many large ones wait. */
const free = 64 * 1024

/**
 * Bounds the memory of the bodies that wait for their answers: beyond the first 64 KiB of each, all of them together have `most` bytes, and those of one
 * token half of that. Room is taken for what a request announces, else for
 * what has come in, and given back when the answer has been sent: whoever is let in can finish.
 */
export function createBodyMemory(most: number): { roomOf: RoomOf; held(): number } {
  const heldBy = new Map<string, number>()
  let held = 0
  const add = (caller: string, bytes: number) => {
    held += bytes
    const own = (heldBy.get(caller) ?? 0) + bytes
    if (own > 0) heldBy.set(caller, own)
    else heldBy.delete(caller)
  }
  const roomOf: RoomOf = (response) => {
    const caller = requestScope.getStore()?.tokenId ?? ''
    let size = 0
    let counted = 0
    return (bytes) => {
      size += bytes
      const more = Math.max(0, size - free) - counted
      if (more === 0) return true
      if (held + more > most || (heldBy.get(caller) ?? 0) + more > most / 2) {
        add(caller, -counted)
        counted = 0
        return false
      }
      if (counted === 0) response.once('close', () => add(caller, -counted))
      counted += more
      add(caller, more)
      return true
    }
  }
  return { roomOf, held: () => held }
}
