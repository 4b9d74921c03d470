import type { Writable } from 'node:stream'
import type { Change } from '../catalogue/changes/change.ts'
import { cursorOf, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import { CatalogueError } from '../errors.ts'
import { eventOf } from './event.ts'
import type { EventFilter } from './event-filter.ts'
import type { Hub, Listener } from './hub.ts'
import type { LedgerPosition } from './new-changes.ts'
import type { Stream } from './stream.ts'

/** After how long a client connects again: then a process that stops has closed its port. */
const retryMs = 3_000

/** The head of an answer of server-sent events. Proxies must not collect them. */
export const eventStreamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }

interface Begin {
  stores: readonly string[]
  filter: EventFilter
  after: LedgerPosition
  /** Of a stream of all stores: finds those that were created meanwhile, too. */
  findStores?: (() => Promise<readonly string[]>) | undefined
}

/** Prepares a stream of events from a position on. The result writes them. Throws `cursor_expired`. */
export async function openEvents(
  hub: Hub,
  stream: Stream,
  { stores, filter, after, findStores }: Begin,
): Promise<(out: Writable) => void> {
  const first = await hub.read(stores, after)
  const progress = { at: after }
  let listener = listenerOf(stream, { stores, filter }, progress)
  let lookedAt = after
  let isLooking = false
  const look = async () => {
    if (!findStores || isLooking || stream.isClosed) return
    isLooking = true
    try {
      const { at } = progress
      const found = await findStores()
      if (found.every((store) => listener.stores.includes(store))) lookedAt = at
      else {
        const missed = await hub.read(found, lookedAt)
        const told = { stores: listener.stores, to: progress.at }
        hub.leave(listener)
        listener = listenerOf(stream, { stores: found, filter, told }, progress)
        progress.at = lookedAt
        if (!stream.isClosed) hub.listen(listener, missed)
      }
    } catch (error) {
      // There are too many stores now: the client learns it when it connects again. Other errors pass.
      if (error instanceof CatalogueError && error.code === 'invalid_request') stream.end()
    } finally {
      isLooking = false
    }
  }
  // With data: common parsers ignore an id without, and the client would miss changes before its first event.
  const position = () => `event: position\nid: ${cursorOf(progress.at.ledger, progress.at)}\ndata: {}\n\n`
  const heartbeat = () => {
    void look()
    return position()
  }
  return (out) => {
    stream.begin(out, { heartbeat, goodbye: 'event: goodbye\ndata: {}\n\n' }, `retry: ${retryMs}\n${position()}`)
    stream.onClose(() => hub.leave(listener))
    if (!stream.isClosed) hub.listen(listener, first)
  }
}

/** `told`: stores whose changes up to a position have been sent. */
function listenerOf(
  stream: Stream,
  given: Pick<Listener, 'stores' | 'filter'> & { told?: { stores: readonly string[]; to: LedgerPosition } },
  progress: { at: LedgerPosition },
): Listener {
  const { stores, filter, told } = given
  return {
    stores,
    filter,
    share: stream.share,
    tell: (change) => {
      const at = { ...feedPosition(change.tx, change.seq), ledger: progress.at.ledger }
      if (told?.stores.includes(change.storeUuid) && !isBefore(told.to, at)) return
      progress.at = at
      stream.send(textOf(change))
    },
    ready: () => stream.drained(),
    reached: (position) => {
      if (isBefore(progress.at, position)) progress.at = position
    },
    end: () => stream.cut(),
  }
}

/** All streams without a filter, and those with the same one, are sent the same bytes. */
const texts = new WeakMap<Change, Buffer>()

function textOf(change: Change): Buffer {
  const known = texts.get(change)
  if (known) return known
  const made = Buffer.from(`id: ${change.cursor}\ndata: ${JSON.stringify(eventOf(change))}\n\n`)
  texts.set(change, made)
  return made
}
