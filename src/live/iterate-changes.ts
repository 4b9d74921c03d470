import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web'
import type { Change } from '../catalogue/changes/change.ts'
import type { Feed } from './feed.ts'
import type { Hub } from './hub.ts'
import type { Listener } from './listener.ts'
import type { Stream } from './stream.ts'

/** A client with changes of more items unread is cut. */
const maxUnread = 200_000
/** With so many unread, it does not catch up any further. */
const highWaterMark = 10_000
/** A change without items takes as much memory as some of them. */
const size = ({ codes }: Change) => 10 + codes.length

/** The changes of a feed, until the stream is closed. Throws `cursor_expired`. */
export async function iterateChanges(
  hub: Hub,
  stream: Stream,
  { stores, filter, after }: Feed,
): Promise<AsyncIterable<Change>> {
  const first = await hub.read(stores, after)
  let resume = () => {}
  let source: ReadableStreamDefaultController<Change> | undefined
  const room = () => source?.desiredSize ?? 0
  const start = (controller: ReadableStreamDefaultController<Change>) => {
    source = controller
  }
  const steps = { start, pull: () => resume(), cancel: () => stream.cut() }
  const changes = new ReadableStream<Change>(steps, { highWaterMark, size })
  const listener: Listener = {
    stores,
    filter,
    share: stream.share,
    notify: (own) => {
      for (const change of own) {
        if (stream.isClosed) return
        if (room() < -maxUnread) stream.cut()
        else source?.enqueue(change)
      }
    },
    ready: () => {
      if (room() > 0 || stream.isClosed) return undefined
      return new Promise((resolve) => {
        resume = resolve
      })
    },
    reached: () => {},
    cut: () => stream.cut(),
  }
  stream.onClose(() => {
    hub.leave(listener)
    source?.error(new Error('the stream is closed'))
    resume()
  })
  if (!stream.isClosed) hub.listen(listener, first)
  return changes
}
