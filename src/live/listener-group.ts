import { hash } from 'node:crypto'
import type { Change } from '../catalogue/changes/change.ts'
import { type FeedPosition, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import { createPauses } from '../request/pauses.ts'
import { matching } from './event-filter.ts'
import type { Listener } from './listener.ts'
import type { NewChanges } from './new-changes.ts'

/** Listeners that are notified of the changes of one page: each of those of its stores that match its filter. */
export class ListenerGroup {
  /** With the position that each had reached when it was added, and the hash of its stores and filter. */
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

  async notify({ changes, durable }: NewChanges): Promise<void> {
    const pause = createPauses()
    // Listeners with the same stores and filter get the same list.
    const lists = new Map<string, readonly Change[]>()
    const placesOf = Map.groupBy(changes.keys(), (i) => changes[i]?.storeUuid)
    const wantedBy = ({ stores, filter }: Listener, from: number) => {
      const places = stores?.flatMap((store) => placesOf.get(store) ?? []).sort((one, other) => one - other)
      const own = places?.flatMap((i) => (i >= from && changes[i]) || []) ?? changes.slice(from)
      return own.flatMap((change) => matching(change, filter) ?? [])
    }
    for (const [listener, { after, wanted }] of this.#members) {
      const start = changes.findIndex(({ tx, seq }) => isBefore(after, feedPosition(tx, seq)))
      if (start >= 0) {
        const key = `${start} ${wanted}`
        const list = lists.get(key) ?? wantedBy(listener, start)
        lists.set(key, list)
        if (list.length > 0) listener.notify(list)
      }
      listener.reached(durable)
      await pause()
    }
  }

  /** They cannot be notified of further changes. */
  cut(): void {
    for (const listener of [...this.#members.keys()]) listener.cut()
  }

  /** There are too many stores: their clients are to name some. */
  cutThoseOfAllStores(): void {
    for (const listener of [...this.#members.keys()]) if (!listener.stores) listener.cut()
  }
}

function storesOf(listeners: readonly Listener[]): string[] | undefined {
  const stores = listeners.map((listener) => listener.stores)
  return stores.includes(undefined) ? undefined : [...new Set(stores.flatMap((some) => some ?? []))]
}
