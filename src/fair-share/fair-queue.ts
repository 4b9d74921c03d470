import type { RequestContext } from '../request/context.ts'

/** A request does not get a slot. PostgreSQL uses this code when it has too many clients. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot'
  readonly code = '53300'
}

export interface FairQueueOptions {
  slots: number
  /** By default all. */
  slotsPerTenant?: number
  /** By default without limit. */
  maxWaiting?: number
  /** How long a request may wait, in ms; 0, the default: without end. */
  maxWaitMs?: number
}

/** Who asks for a slot. Work without a tenant is the gateway's own. */
type Asker = Pick<RequestContext, 'tenant' | 'tokenId'>

interface Entry extends Asker {
  end(outcome: 'slot' | NoSlot): void
}

/**
 * Shares slots among tenants in rotation, and those of a tenant among its tokens in rotation. A full queue drops the
 * last request of the token that has the most, of the tenant that has the most.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>
  /** The waiting requests by tenant and token; the next tenant and the next token are the first ones. */
  readonly #lines = new Map<string, Map<string, Entry[]>>()
  readonly #held = new Map<string, number>()
  #free: number
  #waiting = 0

  constructor(options: FairQueueOptions) {
    this.#options = { slotsPerTenant: options.slots, maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: 0, ...options }
    this.#free = options.slots
  }

  get waiting(): number {
    return this.#waiting
  }

  get busy(): number {
    return this.#options.slots - this.#free
  }

  /** Resolves with the function that releases the slot. An aborted request leaves the queue. Throws `NoSlot`. */
  async acquire({ tenant = '', tokenId = '', signal }: Partial<RequestContext> = {}): Promise<() => void> {
    if (this.#free > 0 && this.#mayHold(tenant)) return this.#give(tenant)
    this.#makeRoom({ tenant, tokenId })
    return this.#wait({ tenant, tokenId }, signal)
  }

  #mayHold(tenant: string): boolean {
    return tenant === '' || (this.#held.get(tenant) ?? 0) < this.#options.slotsPerTenant
  }

  #give(tenant: string): () => void {
    this.#free--
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
    let isReleased = false
    return () => {
      if (!isReleased) this.#release(tenant)
      isReleased = true
    }
  }

  #release(tenant: string): void {
    this.#free++
    const held = (this.#held.get(tenant) ?? 0) - 1
    if (held > 0) this.#held.set(tenant, held)
    else this.#held.delete(tenant)
    for (const [next, tokens] of this.#lines) {
      const [entry] = this.#mayHold(next) ? ([...tokens.values()][0] ?? []) : []
      if (!entry) continue
      this.#remove(entry)
      moveToEnd(tokens, entry.tokenId)
      moveToEnd(this.#lines, next)
      entry.end('slot')
      return
    }
  }

  #makeRoom({ tenant, tokenId }: Asker): void {
    const { maxWaiting } = this.#options
    if (this.#waiting < maxWaiting) return
    const largest = longest(this.#lines, tenant, waitingIn)
    const tokens = this.#lines.get(largest)
    const line = tokens?.get(longest(tokens, largest === tenant ? tokenId : '', ({ length }) => length))
    const last = line?.at(-1)
    if (!last || (last.tenant === tenant && last.tokenId === tokenId)) {
      throw new NoSlot(`at most ${maxWaiting} requests may wait`)
    }
    this.#remove(last)
    last.end(new NoSlot('evicted from the queue: the token has the most waiting requests'))
  }

  #wait(asker: Asker, signal: AbortSignal | undefined): Promise<() => void> {
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
      ...asker,
      end: (outcome) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        if (outcome === 'slot') resolve(this.#give(asker.tenant))
        else reject(outcome)
      },
    }
    this.#add(entry)
    return promise
  }

  #add(entry: Entry): void {
    const tokens = this.#lines.get(entry.tenant) ?? new Map<string, Entry[]>()
    const line = tokens.get(entry.tokenId) ?? []
    this.#lines.set(entry.tenant, tokens.set(entry.tokenId, line))
    line.push(entry)
    this.#waiting++
  }

  #remove(entry: Entry): void {
    const tokens = this.#lines.get(entry.tenant)
    const line = tokens?.get(entry.tokenId) ?? []
    const at = line.indexOf(entry)
    if (at < 0) return
    line.splice(at, 1)
    this.#waiting--
    if (line.length === 0) tokens?.delete(entry.tokenId)
    if (tokens?.size === 0) this.#lines.delete(entry.tenant)
  }
}

function moveToEnd<T>(lines: Map<string, T>, key: string): void {
  const value = lines.get(key)
  if (value !== undefined && lines.delete(key)) lines.set(key, value)
}

function waitingIn(tokens: ReadonlyMap<string, readonly Entry[]>): number {
  return [...tokens.values()].reduce((sum, { length }) => sum + length, 0)
}

/** The key of the longest line: `own` unless another one is longer. */
function longest<T>(lines: ReadonlyMap<string, T>, own: string, lengthOf: (line: T) => number): string {
  const mine = lines.get(own)
  let found = { key: own, length: mine === undefined ? 0 : lengthOf(mine) }
  for (const [key, line] of lines) {
    const length = lengthOf(line)
    if (length > found.length) found = { key, length }
  }
  return found.key
}
