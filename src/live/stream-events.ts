import type { Writable } from 'node:stream'
import type { Change } from '../catalogue/changes/change.ts'
import { cursorOf, feedPosition, isBefore } from '../catalogue/changes/cursor.ts'
import { memoized } from '../lazy.ts'
import { eventOf } from './event.ts'
import type { Feed } from './feed.ts'
import type { Hub } from './hub.ts'
import type { Listener } from './listener.ts'
import type { Stream } from './stream.ts'

/** After how long a client connects again: then a process that stops has closed its port. */
const retryMs = 3_000

/** Prepares a stream of events. The result writes them. Throws `cursor_expired`. */
export async function streamEvents(
  hub: Hub,
  stream: Stream,
  { stores, filter, after }: Feed,
): Promise<(out: Writable) => void> {
  const first = await hub.read(stores, after)
  let at = after
  const listener: Listener = {
    stores,
    filter,
    share: stream.share,
    notify: (changes) => {
      const last = changes.at(-1)
      if (last) at = { ...feedPosition(last.tx, last.seq), ledger: at.ledger }
      stream.send(...changes.map(textOf))
    },
    ready: () => stream.drained(),
    reached: (position) => {
      if (isBefore(at, position)) at = position
    },
    cut: () => stream.cut(),
  }
  // With data: common parsers ignore an id without, and the client would miss changes before its first event.
  const position = () => `event: position\nid: ${cursorOf(at.ledger, at)}\ndata: {}\n\n`
  return (out) => {
    const goodbye = 'event: goodbye\ndata: {}\n\n'
    stream.begin(out, { heartbeat: position, goodbye }, `retry: ${retryMs}\n${position()}`)
    stream.onClose(() => hub.leave(listener))
    if (!stream.isClosed) hub.listen(listener, first)
  }
}

/** All streams that have a change are sent the same bytes. */
const textOf = memoized((change: Change) =>
  Buffer.from(`id: ${change.cursor}\ndata: ${JSON.stringify(eventOf(change))}\n\n`),
)
