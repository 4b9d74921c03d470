import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { feedPosition } from '../../src/catalogue/changes/cursor.ts'
import { ListenerGroup } from '../../src/live/listener-group.ts'
import type { NewChanges } from '../../src/live/new-changes.ts'
import { streamEvents } from '../../src/live/stream-events.ts'
import { createStreams } from '../../src/live/streams.ts'
import { change } from './support/change.ts'

const mebibyte = 1024 * 1024

function pageOf(changes: NewChanges['changes']): NewChanges {
  const position = { ...feedPosition(7, changes.length), ledger: '1' }
  const asOf = { time: new Date(), nextTx: 8n }
  return { changes, next: position, seen: position, durable: position, hasMore: false, asOf }
}

it('slow streams of one store share the bytes that wait for them, whatever they filter', async () => {
  const scopes = new Set(['read'] as const)
  const caller = { tokenId: 'id', tokenName: 'reader', scopes, viewer: { stores: undefined } }
  const streams = createStreams(async () => caller, { ofToken: 100, unreadBytes: Number.POSITIVE_INFINITY })
  const group = new ListenerGroup()
  const after = { ...feedPosition(7, 0), ledger: '1' }
  const hub = {
    read: async () => pageOf([]),
    listen: (listener: Parameters<ListenerGroup['add']>[0]) => group.add(listener, after),
    leave: (listener: Parameters<ListenerGroup['add']>[0]) => group.delete(listener),
  }
  const open = async (i: number) => {
    const stream = streams.open(caller, 'Bearer token')
    const filter = { operations: ['updateProducts', `other ${i}`] }
    const begin = await streamEvents(hub, stream, { stores: ['A'], filter, after })
    begin(new Writable({ write: () => {} }))
    return stream
  }
  const all = await Promise.all(Array.from({ length: 100 }, (_, i) => open(i)))
  const items = Array.from({ length: 500 }, (_, i): [string, null] => [`${'c'.repeat(200)}${i}`, null])
  const changes = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seq) =>
    change('product.updated', items, { storeUuid: 'A', seq: String(seq) }),
  )
  const before = process.memoryUsage().arrayBuffers
  await group.notify(pageOf(changes))
  expect(Math.min(...all.map(({ unreadBytes }) => unreadBytes))).toBeGreaterThan(mebibyte / 2)
  expect(all.filter(({ isClosed }) => isClosed)).toEqual([])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * mebibyte)
  for (const stream of all) stream.cut()
})
