import { expect, it } from 'vitest'
import type { Change } from '../../src/catalogue/changes/change.ts'
import { feedPosition } from '../../src/catalogue/changes/cursor.ts'
import type { Listener } from '../../src/live/listener.ts'
import { ListenerGroup } from '../../src/live/listener-group.ts'
import { change } from './support/change.ts'

/** A listener, and what it receives: one list for each call. */
function listener(stores: string[] | undefined, codePrefix?: string) {
  const received: (readonly Change[])[] = []
  const own: Listener = {
    ...{ stores, filter: { codePrefix }, share: { tenant: 't', tokenId: 'i' } },
    ...{ notify: (changes) => received.push(changes), ready: () => undefined, reached: () => {}, cut: () => {} },
  }
  return { own, received }
}

const created = (storeUuid: string, seq: number) =>
  change('product.created', [[`${storeUuid}${seq}`, null]], { storeUuid, seq: String(seq) })

const namesOf = (lists: readonly (readonly Change[])[]) => lists.map((list) => list.flatMap(({ codes }) => codes))

it('each is notified once of the changes of its stores that match and that it does not know', async () => {
  const group = new ListenerGroup()
  const [first, second] = [listener(['A', 'B']), listener(['A', 'B'])]
  const [ofAll, ofB, ofPrefix] = [listener(undefined), listener(['B']), listener(['A', 'B'], 'A')]
  const [late, none] = [listener(['A', 'B']), listener(['D'])]
  for (const { own } of [first, second, ofAll, ofB, ofPrefix, none]) group.add(own, feedPosition(7, 0))
  group.add(late.own, feedPosition(7, 2))
  const changes = [created('A', 1), created('B', 2), created('C', 3), created('A', 4)]
  const position = { ...feedPosition(7, 4), ledger: '1' }
  const asOf = { time: new Date(), nextTx: 8n }
  await group.notify({ changes, next: position, seen: position, durable: position, hasMore: false, asOf })
  expect([first, ofAll, ofB, ofPrefix, late, none].map(({ received }) => namesOf(received))).toEqual([
    [['A1', 'B2', 'A4']],
    [['A1', 'B2', 'C3', 'A4']],
    [['B2']],
    [['A1', 'A4']],
    [['A4']],
    [],
  ])
  // Those that want the same are notified by one list: its text is made once.
  expect(second.received[0]).toBe(first.received[0])
})

it('its stores are those of all, or every store', () => {
  const group = new ListenerGroup()
  const all = listener(undefined)
  for (const { own } of [listener(['A', 'B']), listener(['B', 'C'])]) group.add(own, feedPosition(7, 0))
  expect(group.stores).toEqual(['A', 'B', 'C'])
  group.add(all.own, feedPosition(7, 0))
  expect(group.stores).toBeUndefined()
  group.delete(all.own)
  expect(group.stores).toEqual(['A', 'B', 'C'])
})
