import type { RequestContext } from './context.ts'

/** A request does not get a slot. PostgreSQL uses this code when it has too many clients. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot'
  readonly code = '53300'
}

export interface FairQueueOptions {
  slots: number
  slotsPerToken?: number
  maxWaiting: number
  /** How long a request may wait, in ms; 0: without end. */
  maxWaitMs: number
}

interface Entry {
  tokenId: string
  end(outcome: 'slot' | NoSlot): void
}

/** Shares slots among tokens in rotation. A full queue drops the last request of the token that has the most. */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>
  readonly #lines = new Map<string, Entry[]>()
  readonly #held = new Map<string, number>()
  #free: number
  #waiting = 0

  constructor(options: FairQueueOptions) {
    this.#options = { slotsPerToken: options.slots, ...options }
    this.#free = options.slots
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Resolves with the function that releases the slot. An aborted request leaves the queue. Throws `NoSlot`. */
  async acquire({ tokenId = '', signal }: Partial<RequestContext> = {}): Promise<() => void> {
    if (this.#free > 0 && this.#mayHold(tokenId)) return this.#give(tokenId)
    this.#makeRoom(tokenId)
    return this.#wait(tokenId, signal)
  }

  /** Work without a token is the gateway's own. */
  #mayHold(tokenId: string): boolean {
    return tokenId === '' || (this.#held.get(tokenId) ?? 0) < this.#options.slotsPerToken
  }

  #give(tokenId: string): () => void {
    this.#free--
    this.#held.set(tokenId, (this.#held.get(tokenId) ?? 0) + 1)
    let isReleased = false
    return () => {
      if (!isReleased) this.#release(tokenId)
      isReleased = true
    }
  }

  #release(tokenId: string): void {
    this.#free++
    const held = (this.#held.get(tokenId) ?? 0) - 1
    if (held > 0) this.#held.set(tokenId, held)
    else this.#held.delete(tokenId)
    for (const [next, line] of this.#lines) {
      const [entry] = line
      if (!entry || !this.#mayHold(next)) continue
      this.#remove(entry)
      // The token goes to the end of the round.
      if (this.#lines.delete(next)) this.#lines.set(next, line)
      entry.end('slot')
      return
    }
  }

  #makeRoom(tokenId: string): void {
    const { maxWaiting } = this.#options
    if (this.#waiting < maxWaiting) return
    const own = this.#lines.get(tokenId)?.length ?? 0
    const longest = [...this.#lines.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    const last = longest.length > own ? longest.at(-1) : undefined
    if (!last) throw new NoSlot(`at most ${maxWaiting} requests may wait`)
    this.#remove(last)
    last.end(new NoSlot('evicted from the queue: the token has the most waiting requests'))
  }

  #wait(tokenId: string, signal: AbortSignal | undefined): Promise<() => void> {
    const { maxWaitMs } = this.#options
    if (signal?.aborted) throw new NoSlot('the client has left')
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const stop = (reason: string) => {
      this.#remove(entry)
      entry.end(new NoSlot(reason))
    }
    const timer = maxWaitMs > 0 ? setTimeout(stop, maxWaitMs, `no slot was free for ${maxWaitMs} ms`) : undefined
    const leave = () => stop('the client has left')
    signal?.addEventListener('abort', leave)
    const entry: Entry = {
      tokenId,
      end: (outcome) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        if (outcome === 'slot') resolve(this.#give(tokenId))
        else reject(outcome)
      },
    }
    const line = this.#lines.get(tokenId)
    if (line) line.push(entry)
    else this.#lines.set(tokenId, [entry])
    this.#waiting++
    return promise
  }

  #remove(entry: Entry): void {
    const line = this.#lines.get(entry.tokenId) ?? []
    const at = line.indexOf(entry)
    if (at < 0) return
    line.splice(at, 1)
    this.#waiting--
    if (line.length === 0) this.#lines.delete(entry.tokenId)
  }
}
