import type { Writable } from 'node:stream'
import type { Change } from '../catalogue/changes/change.ts'
import { cursorOf, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import { eventOf } from './event.ts'
import type { EventFilter } from './event-filter.ts'
import type { Hub, Listener } from './hub.ts'
import type { LedgerPosition } from './new-changes.ts'
import type { Stream } from './stream.ts'

/** After how long a client connects again: then a process that stops has closed its port. */
const retryMs = 3_000

/** The head of an answer of server-sent events. Proxies must not collect them. */
export const eventStreamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }

/** Prepares a stream of events from a position on. The result writes them. Throws `cursor_expired`. */
export async function openEvents(
  hub: Hub,
  stream: Stream,
  { stores, filter, after }: { stores: readonly string[]; filter: EventFilter; after: LedgerPosition },
): Promise<(out: Writable) => void> {
  const first = await hub.read(stores, after)
  let at = after
  const listener: Listener = {
    stores,
    filter,
    tell: (change) => {
      at = { ...feedPosition(change.tx, change.seq), ledger: at.ledger }
      stream.send(textOf(change))
    },
    ready: () => stream.drained(),
    reached: (position) => {
      if (isBefore(at, position)) at = position
    },
    end: () => stream.cut(),
  }
  // With data: common parsers ignore an id without, and the client would miss changes before its first event.
  const position = () => `event: position\nid: ${cursorOf(at.ledger, at)}\ndata: {}\n\n`
  const forms = { heartbeat: position, goodbye: 'event: goodbye\ndata: {}\n\n' }
  return (out) => {
    stream.begin(out, forms, `retry: ${retryMs}\n${position()}`)
    stream.onClose(() => hub.leave(listener))
    if (!stream.isClosed) hub.listen(listener, first)
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
