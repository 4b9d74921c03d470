import { type Change, typeOf } from '../../catalogue/changes/change.ts'
import { textOfPosition } from '../../catalogue/changes/cursor.ts'
import { ownVersion } from '../../database/version.ts'
import { memoized } from '../../lazy.ts'
import { type Event, eventOf } from '../../live/event.ts'
import { type EventFilter, matching } from '../../live/event-filter.ts'
import { signatureOf } from '../secret.ts'

/** What a delivery says. */
export interface Message {
  id: string
  type: string
  body: string
}

/** The changes of a delivery. */
export interface Batch {
  message: Message
  /** The time of the first one. */
  first: Date
  /** The position of the last one. */
  end: string
  /** Whether one of them is too large to be in a delivery as a whole. */
  isLarge: boolean
}

/** An event as JSON. */
interface Encoded {
  event: Event & { more?: true }
  text: string
  bytes: number
}

const maxCodes = 200
const maxBytes = 20 * 1024
/** For what surrounds the events. */
const spareBytes = 256

/** Deliveries of a time slice at most. */
export const maxDeliveries = 20

/**
 * The first deliveries of those changes that match. Consecutive changes of a type are joined as far as there is room,
 * but none after `pending`, where an earlier attempt has ended.
 */
export function batchesOf(
  changes: readonly Change[],
  { filter, pending, ledger }: { filter: EventFilter; pending: string | null; ledger: string },
): Batch[] {
  const batches: { encoded: [Encoded, ...Encoded[]]; codes: number; bytes: number; end: string }[] = []
  for (const change of changes) {
    const matched = matching(change, filter)
    if (!matched) continue
    const last = batches.at(-1)
    const end = textOfPosition({ ...change, ledger })
    if (last && last.end !== pending && last.encoded[0].event.type === typeOf(matched)) {
      const next = encodedLater(matched)
      const [codes, bytes] = [last.codes + next.event.codes.length, last.bytes + next.bytes]
      if (codes <= maxCodes && bytes <= maxBytes) {
        last.encoded.push(next)
        Object.assign(last, { codes, bytes, end })
        continue
      }
    }
    if (batches.length === maxDeliveries) break
    const first = encodedFirst(matched)
    batches.push({ encoded: [first], codes: first.event.codes.length, bytes: spareBytes + first.bytes, end })
  }
  return batches.map(({ encoded, end }) => ({
    message: messageOf(encoded),
    first: new Date(encoded[0].event.at),
    end,
    isLarge: encoded.some(({ event }) => event.more),
  }))
}

/** The webhooks of a store that receive the same change share its JSON. */
const encodedFirst = memoized((change: Change) => encode(shortened(eventOf(change))))

/** A change that a delivery cannot have whole has no codes there after another one: the feed is read for it anyway. */
const encodedLater = memoized((change: Change) => {
  const first = encodedFirst(change)
  return first.event.more ? encode({ ...first.event, codes: [], keys: [] }) : first
})

function encode(event: Encoded['event']): Encoded {
  const text = JSON.stringify(event)
  return { event, text, bytes: Buffer.byteLength(text) + 1 }
}

function messageOf(encoded: readonly [Encoded, ...Encoded[]]): Message {
  const [{ event, text }] = encoded
  const last = encoded.at(-1)?.event ?? event
  const data = encoded.length === 1 ? text : `{"changes":[${encoded.map((one) => one.text).join()}]}`
  const head = JSON.stringify({ type: event.type, timestamp: last.at })
  return { id: `${event.cursor}:${last.cursor}`, type: event.type, body: `${head.slice(0, -1)},"data":${data}}` }
}

/** The message of one event. */
export function messageOfEvent(event: Event): Message {
  return messageOf([encode(shortened(event))])
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
function shortened(event: Event): Encoded['event'] {
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
