import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { measureStores } from '../../../src/catalogue/dashboards/measures.ts'
import { addAssets, addProducts, query, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { setRequirements, settled } from './support.ts'

const gateway = useGateway()
const hour = 3_600_000

interface Point {
  time: number
  timeIso: string
  value: number | null
  label: string
  storeUuid: string | null
}

const series = async (args: string, stores: readonly string[]) => {
  const document = `query ($stores: [ID!]) { result: series(storeUuids: $stores, ${args}) {
    time timeIso value label storeUuid } }`
  return (await query<Point[]>(gateway, document, { stores })).result
}

it('fills each interval up to now, whatever form the times have', async () => {
  const store = await storeWithProducts(gateway, ['A', 'B'])
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red', Size: '1' } }])
  const now = Date.now()
  const from = now - 3 * hour
  for (const time of [`${from}`, `"${from}"`, `"${new Date(from).toISOString()}"`]) {
    const points = await series(`metric: CHANGES, from: ${time}, to: ${now}, interval: "1h"`, [store])
    expect(points).toHaveLength(4)
    expect(points.map(({ time }) => time)).toEqual(points.map((_, i) => Math.floor(from / hour + i) * hour))
    expect(points.map(({ timeIso }) => Date.parse(timeIso))).toEqual(points.map(({ time }) => time))
    expect(points.reduce((sum, { value }) => sum + (value ?? 0), 0)).toBe(5)
    expect(points[0]).toMatchObject({ value: 0, label: 'CHANGES', storeUuid: null })
  }
})

it('tells stores, operations and channels apart, and adds up what is not told apart', async () => {
  const one = await storeWithProducts(gateway, ['A', 'B'])
  const other = await storeWithProducts(gateway, ['C'])
  const title = { code: 'title', kind: 'ATTRIBUTE' as const, attribute: 'Title' }
  for (const store of [one, other]) {
    await setRequirements(gateway, store, 'SMP', [title])
    await setRequirements(gateway, store, 'channel_value_1', [{ ...title, severity: 'RECOMMENDED' }])
    await settled(gateway, store, 'SMP')
    await settled(gateway, store, 'channel_value_1')
  }
  const now = Date.now()
  const lastOf = async (args: string) => {
    const points = await series(`${args}, from: ${now - hour}, to: ${now}, interval: "1h"`, [one, other])
    return Object.fromEntries(points.map(({ label, value, storeUuid }) => [`${label} ${storeUuid}`, value]))
  }
  expect(await lastOf('metric: PRODUCTS')).toEqual({ 'PRODUCTS null': 3 })
  expect(Object.values(await lastOf('metric: PRODUCTS, by: [STORE]'))).toEqual([2, 1])
  expect(await lastOf('metric: READY_PRODUCTS, by: [CHANNEL]')).toEqual({ 'SMP null': 0, 'channel_value_1 null': 3 })
  expect(await lastOf('metric: READY_PRODUCTS')).toEqual({ 'READY_PRODUCTS null': 3 })
  const writes = await series(`metric: WRITES, by: [OPERATION], from: ${now - hour}, to: ${now}`, [one, other])
  const total = (label: string) =>
    writes.filter((point) => point.label === label).reduce((sum, { value }) => sum + (value ?? 0), 0)
  expect([total('createStore'), total('upsertProducts')]).toEqual([2, 2])
  expect(await lastOf('metric: IMPORTED_ROWS')).toEqual({ 'IMPORTED_ROWS null': 0 })
})

it('tells statuses, and channels and formats of groups apart', async () => {
  const store = await storeWithProducts(gateway, ['A', 'B'])
  await addAssets(gateway, store, [
    '1 A',
    '2 B',
    ['3', 'A', { assetFormat: 'video' }],
    ['4', 'A', { channel: 'channel_value_1' }],
  ])
  await setRequirements(gateway, store, 'SMP', [{ code: 'title', kind: 'ATTRIBUTE', attribute: 'Title' }])
  await settled(gateway, store, 'SMP')
  const now = Date.now()
  const lastOf = async (args: string) => {
    const points = await series(`${args}, from: ${now - hour}, to: ${now}, interval: "1h"`, [store])
    return Object.fromEntries(points.map(({ label, value }) => [label, value]))
  }
  expect(await lastOf('metric: PRODUCTS, by: [STATUS]')).toEqual({ NEW: 2 })
  expect(await lastOf('metric: GROUPS')).toEqual({ GROUPS: 4 })
  expect(await lastOf('metric: GROUPS, by: [FORMAT]')).toEqual({ image: 3, video: 1 })
  expect(await lastOf('metric: GROUPS, by: [FORMAT, CHANNEL]')).toEqual({
    'image/SMP': 2,
    'image/channel_value_1': 1,
    'video/SMP': 1,
  })
})

it('stores the numbers of a store without requirements, of each hour and day with a change', async () => {
  const store = await storeWithProducts(gateway, ['A', 'B'])
  await addAssets(gateway, store, [['1', 'A']])
  const { catalogue, db } = gateway.database
  const now = Date.now()
  const valuesOf = async (args: string, interval: string, from: number) => {
    const points = await series(`${args}, from: ${from}, to: ${now}, interval: "${interval}"`, [store])
    return points.map(({ value }) => value)
  }
  expect(await valuesOf('metric: PRODUCTS', '1h', now - 2 * hour)).toEqual([null, null, 2])
  await measureStores(catalogue, new Date(now - 3 * hour))
  await addProducts(gateway, store, ['C'])
  await measureStores(catalogue, new Date(now - hour))
  await measureStores(catalogue, new Date(now))
  await addProducts(gateway, store, ['D'])
  expect(await valuesOf('metric: PRODUCTS', '1h', now - 4 * hour)).toEqual([null, 2, 2, 3, 4])
  expect(await valuesOf('metric: PRODUCTS, by: [STATUS]', '1d', now)).toEqual([4])
  expect(await valuesOf('metric: GROUPS', '1h', now - 2 * hour)).toEqual([1, 1, 1])
  const stored = sql`select value from measure
    where store_uuid = ${store} and metric = 'PRODUCTS' and grain = 'hour' order by at`
  expect((await stored.execute(db)).rows).toEqual([{ value: '2' }, { value: '3' }])
})

it('ends the ready products of a channel whose requirements are removed', async () => {
  const store = await storeWithProducts(gateway, ['A', 'B'])
  await setRequirements(gateway, store, 'SMP', [{ code: 'new', kind: 'STATUS', pattern: 'new' }])
  await settled(gateway, store, 'SMP')
  const now = Date.now()
  await measureStores(gateway.database.catalogue, new Date(now - hour))
  const values = async () => {
    const points = await series(`metric: READY_PRODUCTS, from: ${now - hour}, to: ${now}, interval: "1h"`, [store])
    return points.map(({ value }) => value)
  }
  expect(await values()).toEqual([2, 2])
  await setRequirements(gateway, store, 'SMP', [])
  await expect.poll(values).toEqual([2, 0])
})

it('stores the numbers of the other stores where those of one fail', async () => {
  const stores = [await storeWithProducts(gateway, ['A']), await storeWithProducts(gateway, ['A'])]
  const { catalogue, db } = gateway.database
  const { rows } = await sql<{ uuid: string }>`select store_uuid as uuid from store`.execute(db)
  const first = rows.map(({ uuid }) => uuid).find((uuid) => stores.includes(uuid)) ?? ''
  await using client = await gateway.database.client()
  await client.query(`alter table measure add constraint refused check (store_uuid <> '${first}') not valid`)
  await expect(measureStores(catalogue, new Date())).rejects.toThrow('refused')
  await client.query('alter table measure drop constraint refused')
  const stored = sql<{ uuid: string }>`
    select distinct store_uuid as uuid from measure where store_uuid = any(${stores}::uuid[])`
  expect((await stored.execute(db)).rows).toEqual(stores.filter((uuid) => uuid !== first).map((uuid) => ({ uuid })))
})

it('deletes hours after 14 days, but for the value that holds until the first kept one', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const { catalogue, db } = gateway.database
  const last = new Date().setUTCHours(23, 59, 0, 0)
  const day = 24 * hour
  for (const [i, days] of [20, 19, 18, 1].entries()) {
    await measureStores(catalogue, new Date(last - days * day - hour))
    await addProducts(gateway, store, [`B${i}`])
  }
  await measureStores(catalogue, new Date(last))
  const stored = sql`select value from measure
    where store_uuid = ${store} and metric = 'PRODUCTS' and grain = 'hour' order by at`
  expect((await stored.execute(db)).rows).toEqual([{ value: '3' }, { value: '4' }, { value: '5' }])
})

it('refuses too many points, and dimensions that a metric does not have', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const refusal = async (args: string) => {
    const { errors } = await gateway.graphql(`{ series(storeUuids: ["${store}"], ${args}) { time } }`)
    return errors?.[0]?.message
  }
  expect(await refusal('metric: CHANGES, from: 0, to: 60000000, interval: "1m"')).toBe(
    'interval must make at most 500 points; these are 1001: choose a longer one, or a shorter time',
  )
  expect(await refusal('metric: PRODUCTS, by: [ACTOR], from: 0, to: 1')).toBe(
    'by of PRODUCTS must be some of STORE, STATUS; got ACTOR',
  )
  expect(await refusal('metric: PRODUCTS, from: 1, to: 0, interval: "30m"')).toBe(
    'to must not be before from; got 1970-01-01T00:00:00.000Z, and from 1970-01-01T00:00:00.001Z; interval of PRODUCTS must be a multiple of 60m; got 30m',
  )
  expect(await refusal('metric: WRITES, from: "yesterday", to: 0')).toBe(
    'Instant must be a time as RFC 3339, or milliseconds since 1970; got "yesterday"',
  )
})
