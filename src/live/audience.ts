import { hash } from 'node:crypto'
import type { Change } from '../catalogue/changes/change.ts'
import { type FeedPosition, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import { createPauses } from '../request/pauses.ts'
import { matching } from './event-filter.ts'
import type { Listener } from './listener.ts'
import type { NewChanges } from './new-changes.ts'

/** Listeners that are told together of the same changes: each of those of its stores that match its filter. */
export class Audience {
  /** With the position up to which each was told before it came, and the hash of what it wants. */
  readonly #members = new Map<Listener, { after: FeedPosition; wanted: string }>()
  #stores: { all: string[] | undefined } | undefined

  get size(): number {
    return this.#members.size
  }

  /** The stores of all of them; undefined: every store. */
  get stores(): string[] | undefined {
    this.#stores ??= { all: storesOf([...this.#members.keys()]) }
    return this.#stores.all
  }

  add(listener: Listener, after: FeedPosition): void {
    const wanted = hash('sha256', JSON.stringify([listener.stores ?? null, listener.filter]))
    this.#members.set(listener, { after, wanted })
    this.#stores = undefined
  }

  delete(listener: Listener): void {
    if (this.#members.delete(listener)) this.#stores = undefined
  }

  async tell({ changes, durable }: NewChanges): Promise<void> {
    const pause = createPauses()
    // Those that want the same are told of the same list.
    const lists = new Map<string, readonly Change[]>()
    const placesOf = Map.groupBy(changes.keys(), (i) => changes[i]?.storeUuid)
    const wantedBy = ({ stores, filter }: Listener, from: number) => {
      const places = stores?.flatMap((store) => placesOf.get(store) ?? []).sort((one, other) => one - other)
      const own = places?.flatMap((i) => (i >= from && changes[i]) || []) ?? changes.slice(from)
      return own.flatMap((change) => matching(change, filter) ?? [])
    }
    for (const [listener, { after, wanted }] of this.#members) {
      const told = changes.findIndex(({ tx, seq }) => isBefore(after, feedPosition(tx, seq)))
      if (told >= 0) {
        const key = `${told} ${wanted}`
        const list = lists.get(key) ?? wantedBy(listener, told)
        lists.set(key, list)
        if (list.length > 0) listener.tell(list)
      }
      listener.reached(durable)
      await pause()
    }
  }

  /** They cannot be told of further changes. */
  end(): void {
    for (const listener of [...this.#members.keys()]) listener.end()
  }

  /** There are too many stores: their clients are to name some. */
  endThoseOfAllStores(): void {
    for (const listener of [...this.#members.keys()]) if (!listener.stores) listener.end()
  }
}

function storesOf(listeners: readonly Listener[]): string[] | undefined {
  const stores = listeners.map((listener) => listener.stores)
  return stores.includes(undefined) ? undefined : [...new Set(stores.flatMap((some) => some ?? []))]
}
