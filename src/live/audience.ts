import type { Change } from '../catalogue/changes/change.ts'
import { type FeedPosition, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import { createPauses } from '../request/pauses.ts'
import { matching } from './event-filter.ts'
import type { Listener } from './listener.ts'
import type { NewChanges } from './new-changes.ts'

/** Of all stores. */
const everyStore = ''

/** Listeners that are told together of the same changes: each of those of its stores that match its filter. */
export class Audience {
  /** With the position up to which each was told before it came, and its filter as text. */
  readonly #members = new Map<Listener, { after: FeedPosition; filterText: string }>()
  readonly #byStore = new Map<string, Set<Listener>>()

  get size(): number {
    return this.#members.size
  }

  /** The stores of all of them; undefined: every store. */
  get stores(): string[] | undefined {
    return this.#byStore.has(everyStore) ? undefined : [...this.#byStore.keys()]
  }

  add(listener: Listener, after: FeedPosition): void {
    this.#members.set(listener, { after, filterText: JSON.stringify(listener.filter) })
    for (const store of listener.stores ?? [everyStore]) {
      this.#byStore.set(store, (this.#byStore.get(store) ?? new Set()).add(listener))
    }
  }

  delete(listener: Listener): void {
    if (!this.#members.delete(listener)) return
    for (const store of listener.stores ?? [everyStore]) {
      const others = this.#byStore.get(store)
      others?.delete(listener)
      if (others?.size === 0) this.#byStore.delete(store)
    }
  }

  async tell({ changes, durable }: NewChanges): Promise<void> {
    const pause = createPauses()
    for (const change of changes) {
      const position = feedPosition(change.tx, change.seq)
      // Those with the same filter are told of the same object, which is made into text once.
      const byFilter = new Map<string, Change | undefined>()
      for (const listener of this.#listenersTo(change.storeUuid)) {
        const member = this.#members.get(listener)
        if (!member || !isBefore(member.after, position)) continue
        const { filterText } = member
        if (!byFilter.has(filterText)) byFilter.set(filterText, matching(change, listener.filter))
        const own = byFilter.get(filterText)
        if (own) listener.tell(own)
        await pause()
      }
    }
    for (const listener of this.#members.keys()) listener.reached(durable)
  }

  /** They cannot be told of further changes. */
  end(): void {
    for (const listener of [...this.#members.keys()]) listener.end()
  }

  #listenersTo(store: string): Listener[] {
    return [...(this.#byStore.get(store) ?? []), ...(this.#byStore.get(everyStore) ?? [])]
  }
}
