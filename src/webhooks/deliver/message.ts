import type { Change } from '../../catalogue/changes/change.ts'
import { textOfPosition } from '../../catalogue/changes/cursor.ts'
import { ownVersion } from '../../database/version.ts'
import { type Event, eventOf } from '../../live/event.ts'
import { type EventFilter, matching } from '../../live/event-filter.ts'
import { remembering } from '../../live/remembering.ts'
import { signatureOf } from '../secret.ts'

/** What a delivery says. */
export interface Message {
  id: string
  type: string
  body: string
}

/** The changes of a delivery. `end`: the position of the last one. */
export interface Batch {
  message: Message
  first: Date
  end: string
}

type ToldEvent = Event & { more?: true }

const maxCodes = 200
const maxBytes = 20 * 1024
/** For what surrounds the events. */
const spareBytes = 256

/**
 * The next delivery of a webhook: the first of the changes that match, with the following ones that match and are of
 * its type as far as there is room, but none beyond `pending`. Takes the changes that it has looked at from the list.
 */
export function takeBatch(
  changes: Change[],
  { filter, pending, ledger }: { filter: EventFilter; pending: string | null; ledger: string },
): Batch | undefined {
  const events: ToldEvent[] = []
  let [codes, bytes, end] = [0, spareBytes, '']
  for (let change = changes[0]; change && end !== pending; change = changes[0]) {
    const position = textOfPosition({ ...change, ledger })
    const matched = matching(change, filter)
    if (matched) {
      const { event, size } = toldOf(matched)
      const hasRoom = codes + event.codes.length <= maxCodes && bytes + size <= maxBytes
      if (events.length > 0 && (event.type !== events[0]?.type || !hasRoom)) break
      events.push(event)
      codes += event.codes.length
      bytes += size
      end = position
    } else if (pending === position) end = pending
    changes.shift()
  }
  const [first] = events
  return first && { message: messageOf(first, events), first: new Date(first.at), end }
}

/** Webhooks that are told of the same changes share the work. */
const toldOf = remembering((change: Change) => {
  const event = shortened(eventOf(change))
  return { event, size: Buffer.byteLength(JSON.stringify(event)) + 1 }
})

function messageOf(first: ToldEvent, events: readonly ToldEvent[]): Message {
  const last = events.at(-1) ?? first
  const data = events.length === 1 ? first : { changes: events }
  return {
    id: `${first.cursor}:${last.cursor}`,
    type: first.type,
    body: JSON.stringify({ type: first.type, timestamp: last.at, data }),
  }
}

/** The message of one event. */
export function messageOfEvent(event: Event): Message {
  const told = shortened(event)
  return messageOf(told, [told])
}

/** The headers of a delivery now, signed by each of the secrets. */
export function signedHeaders({ id, body }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1_000)
  return {
    'content-type': 'application/json',
    'user-agent': `catalogue-gateway/${ownVersion()}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf({ id, timestamp, body }, secrets),
  }
}

/** A message that is about no change. */
export function noticeOf(type: 'webhook.ping' | 'webhook.gap', id: string, data: object): Message {
  const timestamp = new Date().toISOString()
  return { id, type, body: JSON.stringify({ type, timestamp, data: { type, at: timestamp, ...data } }) }
}

/** The event with the first codes, and the keys that there is room for. */
function shortened(event: Event): ToldEvent {
  const room = maxBytes - spareBytes - Buffer.byteLength(JSON.stringify({ ...event, codes: [], keys: [], more: true }))
  const keys = within(event.keys, maxCodes, room / 2)
  const codes = within(event.codes, maxCodes, room - Buffer.byteLength(JSON.stringify(keys)))
  const isWhole = keys.length === event.keys.length && codes.length === event.codes.length
  return isWhole ? event : { ...event, keys, codes, more: true }
}

function within(texts: readonly string[], max: number, maxBytes: number): string[] {
  let bytes = 2
  const end = texts.findIndex((text, i) => {
    bytes += Buffer.byteLength(JSON.stringify(text)) + 1
    return i >= max || bytes > maxBytes
  })
  return end < 0 ? [...texts] : texts.slice(0, end)
}
