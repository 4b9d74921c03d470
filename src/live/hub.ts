import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { wholeCatalogue } from '../catalogue/catalogue.ts'
import { isBefore, type LedgerPosition } from '../catalogue/changes/cursor.ts'
import { listStores, maxStores } from '../catalogue/stores/list-stores.ts'
import type { Database } from '../database/tables.ts'
import { CatalogueError, messageOf } from '../errors.ts'
import { FairQueue } from '../fair-share/fair-queue.ts'
import { requestContext } from '../request/context.ts'
import { warnOnce } from '../request/log.ts'
import { createPauses } from '../request/pauses.ts'
import { matching } from './event-filter.ts'
import type { Listener } from './listener.ts'
import { ListenerGroup } from './listener-group.ts'
import { maxKeptBytes, type NewChanges, readNewChanges } from './new-changes.ts'

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
 * Reads the new changes of all stores with listeners, four times a second while there are any, and notifies each
 * listener of its own. A listener first catches up by reads of its own; the next step adds it to the group.
 */
export function createHub(db: Kysely<Database>, log: Logger) {
  const group = new ListenerGroup()
  /** They are to be added to the group; with the position that each has reached. */
  const caughtUp = new Map<Listener, LedgerPosition>()
  const left = new WeakSet<Listener>()
  const catchUps = new FairQueue({ slots: maxCatchUps })
  let reader: Reader | undefined
  let isRunning = false
  /** Whether there may be more stores than a stream of all may have, because they could not be counted since. */
  let mayBeTooMany = false

  const read = (stores: Listener['stores'], after: LedgerPosition) =>
    readNewChanges(db, stores, after, { maxBytes: maxKeptBytes })
  const readMissed = async ({ stores, share }: Listener, after: LedgerPosition) => {
    const release = await catchUps.acquire(share)
    try {
      return await read(stores, after)
    } finally {
      release()
    }
  }
  /** Notifies a listener of what it has missed, until it has all. */
  const catchUp = async (listener: Listener, readFirst: () => Promise<NewChanges>): Promise<void> => {
    try {
      const pause = createPauses()
      let page = await readFirst()
      for (;;) {
        for (const change of page.changes) {
          if (left.has(listener)) return
          const own = matching(change, listener.filter)
          if (own) listener.notify([own])
          await listener.ready()
          await pause()
        }
        if (left.has(listener)) return
        listener.reached(page.durable)
        if (!page.hasMore) break
        page = await readMissed(listener, page.seen)
      }
      caughtUp.set(listener, page.seen)
      void run()
    } catch (error) {
      warnOnce(log, 'earlier changes could not be read for a stream', { reason: messageOf(error) })
      listener.cut()
    }
  }
  /** Adds those that have caught up to the group, unless the reader has passed their position meanwhile. */
  const admit = () => {
    for (const [listener, seen] of caughtUp) {
      caughtUp.delete(listener)
      if (group.size === 0) reader = { position: seen, since: undefined, mark: undefined }
      if (reader && isBefore(seen, reader.position)) void catchUp(listener, () => readMissed(listener, seen))
      else {
        group.add(listener, seen)
        // Some may have been created before these changes.
        mayBeTooMany ||= !listener.stores
      }
    }
  }
  /** Returns whether more changes follow at once. */
  const step = async (): Promise<boolean> => {
    admit()
    if (!reader || group.size === 0) return false
    const { position, mark, since } = reader
    const page = await readNewChanges(db, group.stores, position, { since })
    await group.notify(page)
    const isPassed = mark !== undefined && page.seen.tx >= mark.nextTx
    reader = {
      position: page.seen,
      since: isPassed ? new Date(mark.time.getTime() - clockMs) : since,
      mark: mark && !isPassed ? mark : page.asOf,
    }
    mayBeTooMany ||= page.changes.some(({ kind, action }) => kind === 'store' && action === 'created')
    if (!group.stores && mayBeTooMany) {
      if (await hasTooManyStores(db)) group.cutThoseOfAllStores()
      mayBeTooMany = false
    }
    return page.hasMore
  }
  const run = async () => {
    if (isRunning) return
    isRunning = true
    while (caughtUp.size + group.size > 0) {
      const hasMore = await step().catch((error: unknown) => {
        warnOnce(log, 'new changes could not be read for streams', { reason: messageOf(error) })
        if (error instanceof CatalogueError && error.code === 'cursor_expired') group.cut()
        return false
      })
      if (!hasMore) await sleep(everyMs, undefined, { ref: false })
    }
    isRunning = false
  }
  return {
    /** The first changes after a position, for `listen`. Throws `cursor_expired`. */
    read,
    /** Notifies a listener of the changes that were read for it, and of what follows. */
    listen: (listener: Listener, first: NewChanges): void => {
      // The timers and statements are not those of the request.
      requestContext.exit(() => void catchUp(listener, async () => first))
    },
    leave: (listener: Listener): void => {
      left.add(listener)
      caughtUp.delete(listener)
      group.delete(listener)
    },
  }
}

async function hasTooManyStores(db: Kysely<Database>): Promise<boolean> {
  const catalogue = wholeCatalogue(db)
  return (await listStores(catalogue, {}, { limit: maxStores + 1, backwards: false })).length > maxStores
}
