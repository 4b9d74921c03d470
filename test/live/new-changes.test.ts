import { expect, it } from 'vitest'
import type { Change } from '../../src/catalogue/changes/change.ts'
import type { LedgerPosition } from '../../src/catalogue/changes/cursor.ts'
import { listChanges } from '../../src/catalogue/changes/list-changes.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { eventOf } from '../../src/live/event.ts'
import { latestPosition, maxKeptBytes, readNewChanges } from '../../src/live/new-changes.ts'
import { addChange, itemsOf } from '../catalogue/changes/ledger-rows.ts'
import { restData } from '../support/clients/rest-client.ts'
import { settled } from '../support/database/changes.ts'
import { addAssets, addProducts, newStore, storeIn } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { Random } from '../support/random.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const nameOf = ({ tx, seq }: Pick<Change, 'tx' | 'seq'>) => `${tx}/${seq}`

it('new changes of several stores are those of their feeds in one order, with writers and a long transaction', async (test) => {
  needsPrimary(test, 'writes go past the client')
  const { db, catalogue } = gateway.database
  const stores = await Promise.all(['A', 'B', 'C', 'long'].map(() => storeIn(catalogue)))
  const origin = { requestId: 'r', actor: 'writer', via: 'rest', operation: 'upsertProducts' } as const
  await settled(gateway.database)
  const start = await latestPosition(db, stores)
  const writeOne = (store: string, productCode: string) =>
    inTransaction({ ...catalogue, origin }, (work) => upsertProducts(work, store, [{ productCode }]))
  const { promise: end, resolve: endLong } = Promise.withResolvers<void>()
  const long = inTransaction({ ...catalogue, origin }, async (work) => {
    await upsertProducts(work, stores[3] ?? '', [{ productCode: 'long' }])
    await end
  })
  let areDone = false
  const writers = [1, 2, 3, 4].map(async (number) => {
    const random = new Random(number)
    for (let i = 0; i < 20; i++) await writeOne(stores[random.below(3)] ?? '', `${number}-${i}`)
  })
  const writing = Promise.all(writers).then(async () => {
    endLong()
    await long
    await settled(gateway.database)
    areDone = true
  })
  const read: string[] = []
  let position: LedgerPosition = start
  let since: Date | undefined
  for (let wasDone = false; ; wasDone = areDone) {
    const { changes, next, asOf } = await readNewChanges(db, stores, position, { since })
    read.push(...changes.map(nameOf))
    if (wasDone && changes.length === 0) break
    position = next
    since ??= new Date(asOf.time.getTime() - 60_000)
  }
  await writing
  const feeds = await Promise.all(stores.map((store) => listChanges(catalogue, store, {}, { limit: 1_000 })))
  const byPosition = (one: Change, other: Change) =>
    Number(BigInt(one.tx) - BigInt(other.tx)) || Number(one.seq) - Number(other.seq)
  expect(read).toEqual(
    feeds
      .flatMap(({ changes }) => changes)
      .sort(byPosition)
      .map(nameOf),
  )
  expect(read).toHaveLength(81)
})

it('pages of new changes end at a bound, and continue', async () => {
  const { db, catalogue } = gateway.database
  const store = await storeIn(catalogue)
  const start = await latestPosition(db, [store])
  for (let i = 0; i < 8; i++) await addChange(db, { store, items: itemsOf(2_000, 'c'.repeat(200)) })
  await settled(gateway.database)
  const first = await readNewChanges(db, [store], start)
  expect([first.changes.length, first.hasMore]).toEqual([4, true])
  const second = await readNewChanges(db, [store], first.next)
  expect([second.changes.length, second.hasMore]).toEqual([4, false])
  const short = await readNewChanges(db, [store], start, { maxBytes: maxKeptBytes })
  expect([short.changes.length, short.hasMore]).toEqual([1, true])
})

it('the latest position is after all changes, and one of another database is expired', async () => {
  const { db, catalogue } = gateway.database
  const store = await storeIn(catalogue)
  await addProducts(gateway, store, ['A'])
  await settled(gateway.database)
  const latest = await latestPosition(db, [store])
  expect((await readNewChanges(db, [store], latest)).changes).toEqual([])
  await expect(readNewChanges(db, [store], { ...latest, ledger: '00000000' })).rejects.toMatchObject({
    code: 'cursor_expired',
  })
})

it('an event has the same members as the change in GET /v1/changes', async () => {
  const store = await newStore(gateway)
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'blue' } }])
  await addAssets(gateway, store, ['1 A', ['2', 'A', { channel: 'channel_value_1' }]])
  await settled(gateway.database)
  const changes = (await restData(gateway, `GET /changes?store_uuid=${store}`)).changes as unknown[]
  const listed = await listChanges(gateway.database.catalogue, store, {}, { limit: 100 })
  expect(changes.length).toBeGreaterThan(3)
  expect(listed.changes.map(eventOf)).toEqual(changes)
  expect(
    listed.changes
      .map(eventOf)
      .find(({ type }) => type === 'link.created')
      ?.keys.toSorted(),
  ).toEqual(['SMP', 'channel_value_1'])
})
