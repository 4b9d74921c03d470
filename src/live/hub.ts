import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Change } from '../catalogue/changes/change.ts'
import { type FeedPosition, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import type { Database } from '../database/tables.ts'
import { CatalogueError, messageOf } from '../errors.ts'
import { FairQueue } from '../fair-share/fair-queue.ts'
import { requestContext } from '../request/context.ts'
import { warnOnceASecond } from '../request/log.ts'
import { createPauses } from '../request/pauses.ts'
import { type EventFilter, matching } from './event-filter.ts'
import { type LedgerPosition, type NewChanges, readNewChanges } from './new-changes.ts'

/** Who is told of the changes of some stores. */
export interface Listener {
  readonly stores: readonly string[]
  readonly filter: EventFilter
  /** Whom it belongs to. */
  readonly share: { tenant: string; tokenId: string }
  tell(change: Change): void
  /** Resolves when it can be told of more; undefined: at once. Only what it has missed waits for it. */
  ready(): Promise<void> | undefined
  /** It has been told of all changes before the position, which may be before an earlier one. */
  reached(position: LedgerPosition): void
  /** It cannot be told of further changes. */
  end(): void
}

export type Hub = ReturnType<typeof createHub>

const everyMs = 250
/** So many listeners read at the same time what they have missed. */
const maxCatchUps = 3
/** A clock of a server may be set back. */
const clockMs = 3_600_000

/** Where the feed has been read to. */
interface Reader {
  position: LedgerPosition
  /** All that follows was written after this time, which saves the search of older days. */
  since: Date | undefined
  /** The time of an earlier read, and the first transaction that had not begun. Once that is read, `since` moves. */
  mark: NewChanges['asOf'] | undefined
}

/**
 * Reads the new changes of all stores with listeners, four times a second while there are any, and tells each listener
 * of its own. A listener first reads what it has missed by itself.
 */
export function createHub(db: Kysely<Database>, log: Logger) {
  const listening = new Map<Listener, { key: string; after: FeedPosition }>()
  const byStore = new Map<string, Set<Listener>>()
  const waiting = new Map<Listener, LedgerPosition>()
  const left = new WeakSet<Listener>()
  const catchUps = new FairQueue({ slots: maxCatchUps, maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: 0 })
  let reader: Reader | undefined
  let isRunning = false

  const remove = (listener: Listener) => {
    waiting.delete(listener)
    if (!listening.delete(listener)) return
    for (const store of listener.stores) {
      const others = byStore.get(store)
      others?.delete(listener)
      if (others?.size === 0) byStore.delete(store)
    }
  }
  /** Adds a listener that has all changes before the position, unless the position has been passed. */
  const admit = (listener: Listener, seen: LedgerPosition) => {
    waiting.delete(listener)
    if (listening.size === 0) reader = { position: seen, since: undefined, mark: undefined }
    if (reader && isBefore(seen, reader.position)) {
      void catchUp(listener, seen)
      return
    }
    listening.set(listener, { key: JSON.stringify(listener.filter), after: seen })
    for (const store of listener.stores) {
      const others = byStore.get(store) ?? new Set()
      byStore.set(store, others.add(listener))
    }
  }
  const tellAll = async ({ changes, durable }: NewChanges) => {
    const pause = createPauses()
    for (const change of changes) {
      const position = feedPosition(change.tx, change.seq)
      const matched = new Map<string, Change | undefined>()
      for (const listener of [...(byStore.get(change.storeUuid) ?? [])]) {
        const { key, after } = listening.get(listener) ?? {}
        if (key === undefined || !after || !isBefore(after, position)) continue
        if (!matched.has(key)) matched.set(key, matching(change, listener.filter))
        const own = matched.get(key)
        if (own) listener.tell(own)
        await pause()
      }
    }
    for (const listener of listening.keys()) listener.reached(durable)
  }
  /** Returns whether more changes follow at once. */
  const step = async (): Promise<boolean> => {
    for (const [listener, seen] of waiting) admit(listener, seen)
    if (!reader || listening.size === 0) return false
    const { mark, since } = reader
    const page = await readNewChanges(db, [...byStore.keys()], reader.position, since)
    await tellAll(page)
    const isPassed = mark !== undefined && page.seen.tx >= mark.nextTx
    reader = {
      position: page.seen,
      since: isPassed ? new Date(mark.time.getTime() - clockMs) : since,
      mark: mark && !isPassed ? mark : page.asOf,
    }
    return page.hasMore
  }
  const run = async () => {
    if (isRunning) return
    isRunning = true
    while (waiting.size + listening.size > 0) {
      const hasMore = await step().catch((error: unknown) => {
        warnOnceASecond(log, 'new changes could not be read for streams', { reason: messageOf(error) })
        if (error instanceof CatalogueError && error.code === 'cursor_expired') {
          for (const listener of listening.keys()) listener.end()
        }
        return false
      })
      if (!hasMore) await sleep(everyMs, undefined, { ref: false })
    }
    isRunning = false
  }
  const readMissed = async ({ stores, share }: Listener, after: LedgerPosition) => {
    const release = await catchUps.acquire(share)
    try {
      return await readNewChanges(db, stores, after)
    } finally {
      release()
    }
  }
  /** Tells a listener of what follows a position, until it can listen with the others. */
  const catchUp = async (listener: Listener, after: LedgerPosition, first?: NewChanges): Promise<void> => {
    try {
      const pause = createPauses()
      for (let page = first ?? (await readMissed(listener, after)); !left.has(listener); ) {
        for (const change of page.changes) {
          const own = matching(change, listener.filter)
          if (own) listener.tell(own)
          await listener.ready()
          await pause()
          if (left.has(listener)) return
        }
        listener.reached(page.durable)
        if (!page.hasMore) {
          waiting.set(listener, page.seen)
          break
        }
        page = await readMissed(listener, page.seen)
      }
      void run()
    } catch (error) {
      warnOnceASecond(log, 'earlier changes could not be read for a stream', { reason: messageOf(error) })
      listener.end()
    }
  }
  return {
    /** The first changes after a position. Throws `cursor_expired`. */
    read: (stores: readonly string[], after: LedgerPosition) => readNewChanges(db, stores, after),
    /** Tells a listener of the changes that were read for it, and of what follows. */
    listen: (listener: Listener, first: NewChanges): void => {
      // The timers and statements are not those of the request.
      requestContext.exit(() => void catchUp(listener, first.seen, first))
    },
    leave: (listener: Listener): void => {
      left.add(listener)
      remove(listener)
    },
  }
}
