import { Readable } from 'node:stream'
import type { Change } from '../catalogue/changes/change.ts'
import type { Feed } from './feed.ts'
import type { Hub } from './hub.ts'
import type { Listener } from './listener.ts'
import type { Stream } from './stream.ts'

/** A client that lets more changes wait is cut. */
const maxWaiting = 1_000
/** With so many waiting, it does not catch up any further. */
const highWaterMark = 50

/** The changes of a feed, until the stream is closed. Throws `cursor_expired`. */
export async function openChanges(
  hub: Hub,
  stream: Stream,
  { stores, filter, after }: Feed,
): Promise<AsyncIterable<Change>> {
  const first = await hub.read(stores, after)
  let resume = () => {}
  const source = new Readable({ objectMode: true, highWaterMark, read: () => resume() })
  const listener: Listener = {
    stores,
    filter,
    share: stream.share,
    tell: (changes) => {
      for (const change of changes) source.push(change)
      if (source.readableLength > maxWaiting) stream.cut()
    },
    ready: () => {
      if (source.readableLength < highWaterMark || source.destroyed) return undefined
      return new Promise((resolve) => {
        resume = resolve
      })
    },
    reached: () => {},
    end: () => stream.cut(),
  }
  stream.onClose(() => {
    hub.leave(listener)
    source.destroy()
    resume()
  })
  if (!stream.isClosed) hub.listen(listener, first)
  return source
}
