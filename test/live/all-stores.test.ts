import { beforeEach, expect, it } from 'vitest'
import { settled } from '../support/database/changes.ts'
import { addProducts, newStore, storeIn } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { follow } from './support/event-source.ts'

const gateway = useGateway()
beforeEach((test) => needsPrimary(test, 'writes go past the client'))

it('a stream of all stores has the changes of stores that are created later, and none twice', async () => {
  const known = await newStore(gateway)
  await settled(gateway.database)
  const stream = follow(gateway.url, {})
  await stream.opened
  await addProducts(gateway, known, ['A'])
  const codes = () => stream.events.flatMap((event) => event.codes)
  await expect.poll(codes).toEqual(['A'])
  const created = await newStore(gateway)
  await addProducts(gateway, created, ['B'])
  await addProducts(gateway, known, ['C'])
  await expect
    .poll(() =>
      codes()
        .filter((code) => code === 'B' || code === 'C')
        .toSorted(),
    )
    .toEqual(['B', 'C'])
  await addProducts(gateway, created, ['D'])
  await expect.poll(codes).toContain('D')
  const types = stream.events.map(({ type, store_uuid }) => `${type} ${store_uuid === known ? 'known' : 'created'}`)
  expect(types.toSorted()).toEqual([
    'product.created created',
    'product.created created',
    'product.created known',
    'product.created known',
    'store.created created',
  ])
})

it('a client that resumes has the changes of a store that was created before its last event', async () => {
  const known = await newStore(gateway)
  await settled(gateway.database)
  const first = follow(gateway.url, {})
  await first.opened
  await addProducts(gateway, known, ['A'])
  await expect.poll(() => first.events.flatMap(({ codes }) => codes)).toEqual(['A'])
  await addProducts(gateway, await newStore(gateway), ['B'])
  await addProducts(gateway, known, ['C'])
  await expect.poll(() => first.events.flatMap(({ codes }) => codes)).toContain('C')
  first.source.close()
  const second = follow(gateway.url, { after: first.events.at(-1)?.cursor ?? '' })
  await second.opened
  await addProducts(gateway, known, ['D'])
  await expect.poll(() => second.events.flatMap(({ codes }) => codes)).toContain('D')
  const codes = [...first.events, ...second.events].flatMap((event) => event.codes)
  expect(codes).toEqual(['A', '', 'B', 'C', 'D'])
})

it('a stream of all stores ends when they have become too many, and the answer to its client says to name some', async () => {
  const known = await newStore(gateway)
  await settled(gateway.database)
  const [all, one] = [follow(gateway.url, {}), follow(gateway.url, { store_uuid: known })]
  await Promise.all([all.opened, one.opened])
  for (let i = 0; i < 100; i++) await storeIn(gateway.database.catalogue)
  await newStore(gateway)
  await expect.poll(() => all.statuses).toEqual([200, 400])
  await addProducts(gateway, known, ['A'])
  await expect.poll(() => one.events.flatMap(({ codes }) => codes)).toEqual(['A'])
  expect(one.statuses).toEqual([200])
})
