import { expect } from 'vitest'
import { assetIdsByGroup, type Client, failuresOf, type Item } from '../support/clients/client.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { storeWithAssets, unknownStore, urlOf } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { type Requirement, rest } from './requirement.ts'

/** An operation whose items choose assets or links of a store. */
interface Selecting {
  operation: 'DELETE /assets' | 'POST /assets/unlink'
  method: 'deleteAssets' | 'unlinkAssets'
  /** What counts the successes in its answer. */
  counter: 'deleted_count' | 'unlinked'
  notFound: 'asset_not_found' | 'link_not_found'
  /** What each of its items names besides the store. */
  where: Item
}

export const deleting: Selecting = {
  operation: 'DELETE /assets',
  method: 'deleteAssets',
  counter: 'deleted_count',
  notFound: 'asset_not_found',
  where: {},
}

export const unlinking: Selecting = {
  operation: 'POST /assets/unlink',
  method: 'unlinkAssets',
  counter: 'unlinked',
  notFound: 'link_not_found',
  where: { parent_code: 'P', channel: 'SMP' },
}

export const otherChannel = 'channel_value_1'

/** A store: `a` and `b` are in several groups, `c` in one, `v` is a video, `r` is on another channel only. */
export async function shop(gateway: TestGateway): Promise<string> {
  const other = { channel: otherChannel }
  return storeWithAssets(gateway, [
    'a P',
    'b P',
    'c P',
    ['v', 'P', { assetFormat: 'video' }],
    ['b', 'P', other],
    ['a', 'P', other],
    'a Q',
    'b Q',
    ['r', 'R', other],
  ])
}

/** What both operations must do with their items. A key begins with the numbers in the two lists. */
export function selectorRequirements(gateway: TestGateway, selecting: Selecting): Record<string, Requirement> {
  const { operation, method, counter, notFound, where } = selecting
  const send = (client: Client, body: unknown) => client[method](body)
  const item = (store: string, rest: Item) => ({ store_uuid: store, ...where, ...rest })
  const answer = (done: number, failed = 0) => ({ data: { [counter]: done, failed } })
  const nothing = { data: { [counter]: 0, failed: 0, error_info: [] } }

  const rows: Record<string, Requirement> = {
    '01/01 MUST answer with its count, failed and error_info, and nothing else': async (client) => {
      const outcome = await send(client, [item(await shop(gateway), { asset_id: ['a'] })])
      expect(outcome).toEqual({ data: { [counter]: 1, failed: 0, error_info: [] } })
    },
    '02/02 MUST write [{}] for error_info where there is nothing to report': rest(async () => {
      const store = await shop(gateway)
      for (const body of [[], [item(store, { asset_id: ['a'] })], [item(store, { asset_id: [] })]])
        expect((await callRest(gateway, operation, body)).text).toMatch(/"failed":0,"error_info":\[\{\}\]\}\}$/)
    }),
    '10/10 MUST choose nothing and fail nothing for an empty asset_id list, whatever else is given': async (client) => {
      const store = await shop(gateway)
      const before = await assetIdsByGroup(client, store)
      const empty = item(store, { asset_id: [] })
      const body = [empty, { ...empty, parent_code: 'P' }, { ...empty, channel: 'SMP', parent_code: 'nowhere' }]
      expect(await send(client, body)).toEqual(nothing)
      expect(await assetIdsByGroup(client, store)).toEqual(before)
    },
    '13/15 MUST count an id that is named twice once, found or not, in one item or several': async (client) => {
      const store = await shop(gateway)
      const outcome = await send(client, [
        item(store, { asset_id: ['a', 'x', 'a', 'x'] }),
        item(store.toUpperCase(), { asset_id: ['x', 'a'] }),
        item(store, { asset_id: 'a' }),
      ])
      expect(outcome).toMatchObject(answer(1, 1))
      expect(failuresOf(outcome)).toMatchObject([{ reason: notFound, index: 0, asset_id: 'x' }])
    },
    [`15/11 MUST fail each id that is named and not found, as ${notFound} with its index, and go ahead with the others`]:
      async (client) => {
        const store = await shop(gateway)
        const place = { channel: 'SMP', parent_code: 'P' }
        const outcome = await send(client, [
          item(store, { asset_id: ['a'] }),
          item(store, { asset_id: ['x', 'b', 'A', ''], ...place }),
        ])
        expect(outcome).toMatchObject(answer(2, 3))
        const failure = {
          reason: notFound,
          details: expect.stringMatching(/\S/),
          index: 1,
          store_uuid: store,
          ...place,
        }
        expect(failuresOf(outcome)).toEqual(['x', 'A', ''].map((id) => ({ ...failure, asset_id: id })))
      },
    [`16/13 MUST fail an item without ids that matches nothing once, as ${notFound}`]: async (client) => {
      const nowhere = [
        { parent_code: 'nowhere' },
        { channel: 'nowhere' },
        { parent_code: 'R', channel: 'SMP' },
        { parent_code: '' },
        { parent_code: '', channel: '' },
        { parent_code: 'nowhere' },
      ]
      const store = await shop(gateway)
      const body = nowhere.map((rest) => item(store, rest))
      const outcome = await send(client, body)
      expect(outcome).toMatchObject(answer(0, body.length))
      expect(failuresOf(outcome)).toMatchObject(body.map((_, index) => ({ reason: notFound, index })))
    },
    '17/14 MUST fail an item of an unknown store as store_not_found with HTTP 200, once for each id, and go ahead with the others':
      async (client) => {
        const unknown = unknownStore()
        const outcome = await send(client, [
          item(unknown, { asset_id: ['a', 'b', 'a'] }),
          item('no-uuid', { parent_code: 'P' }),
          item(await shop(gateway), { asset_id: 'a' }),
        ])
        expect(outcome).toMatchObject(answer(1, 3))
        expect(failuresOf(outcome)).toMatchObject([
          { reason: 'store_not_found', index: 0, store_uuid: unknown, asset_id: 'a' },
          { reason: 'store_not_found', index: 0, store_uuid: unknown, asset_id: 'b' },
          { reason: 'store_not_found', index: 1, store_uuid: 'no-uuid', parent_code: 'P' },
        ])
      },
    '18/18 MUST succeed with zeros for an empty array': async (client) => {
      expect(await send(client, [])).toEqual(nothing)
    },
    '19/07 MUST refuse a body that is not an array, and a missing one, which never means everything': rest(async () => {
      const store = await shop(gateway)
      for (const body of [item(store, { asset_id: ['a'] }), 'null', `"${store}"`, '1', '', undefined])
        expect(await callRest(gateway, operation, body), String(body)).toMatchObject({ reason: 'invalid_request' })
    }),
    '20/06 MUST refuse a request with a missing or wrongly typed field, name each such item, and apply nothing': rest(
      async (client) => {
        const store = await shop(gateway)
        const before = await assetIdsByGroup(client, store)
        const good = item(store, { asset_id: 'a' })
        const bad = [
          {},
          { ...good, store_uuid: null },
          { ...good, store_uuid: 5 },
          { ...good, channel: 5 },
          { ...good, channel: ['SMP'] },
          { ...good, parent_code: {} },
          { ...good, asset_id: 5 },
          { ...good, asset_id: { 0: 'a' } },
          { ...good, asset_id: ['a', 5] },
          { ...good, asset_id: [null] },
          { ...good, asset_id: [['a']] },
          null,
          'a',
          [good],
        ]
        const { reason, entries = [] } = await callRest(gateway, operation, [good, ...bad, good])
        expect(reason).toBe('invalid_request')
        expect([...new Set(entries.map(({ index }) => index))]).toEqual(bad.map((_, i) => i + 1))
        for (const { index, details } of entries) expect(details).toContain(`item ${index}`)
        expect(await assetIdsByGroup(client, store)).toEqual(before)
      },
    ),
    '22/20 MUST refuse text that could not be stored unchanged, in any field, and apply nothing': async (client) => {
      const store = await shop(gateway)
      const before = await assetIdsByGroup(client, store)
      const good = item(store, { asset_id: 'a' })
      for (const bad of ['\0', 'x\ud800', '\udc00']) {
        for (const field of ['store_uuid', 'channel', 'parent_code', 'asset_id']) {
          const outcome = await send(client, [good, { ...good, [field]: bad }])
          expect(outcome, field).toMatchObject({ reason: 'invalid_request', entries: [{ index: 1 }] })
        }
        const listed = await send(client, [good, { ...good, asset_id: ['b', bad] }])
        expect(listed).toMatchObject({ reason: 'invalid_request' })
      }
      expect(await assetIdsByGroup(client, store)).toEqual(before)
    },
    '23/17 MUST leave positions without gaps': async (client) => {
      const store = await storeWithAssets(
        gateway,
        ['a', 'b', 'c', 'd', 'e'].map((id) => [id, 'P']),
      )
      await send(client, [item(store, { asset_id: ['a', 'd'] })])
      const assets = ['b', 'c', 'e'].map((id, i) => ({ asset_id: id, [`Image URL ${i + 1}`]: urlOf(id) }))
      expect(await client.listAssets({ store_uuid: store })).toMatchObject({ data: { groups: [{ assets }] } })
    },
    '24/21 MUST not touch assets and links of the same names in another store': async (client) => {
      const [store, elsewhere] = [await shop(gateway), await shop(gateway)]
      const before = await assetIdsByGroup(client, elsewhere)
      const chosen = [{ asset_id: ['a'] }, { parent_code: 'P' }, { channel: 'SMP' }]
      const body = chosen.map((rest) => item(store, rest))
      expect(await send(client, body)).toMatchObject(answer(4))
      expect(await assetIdsByGroup(client, elsewhere)).toEqual(before)
    },
    [`26/22 MUST answer ${notFound} for what was removed before`]: async (client) => {
      const body = [item(await shop(gateway), { asset_id: 'a' })]
      await send(client, body)
      const outcome = await send(client, body)
      expect(outcome).toMatchObject(answer(0, 1))
      expect(failuresOf(outcome)).toMatchObject([{ reason: notFound, asset_id: 'a' }])
    },
  }
  return Object.fromEntries(
    Object.entries(rows).map(([key, requirement]) => {
      const [, inDelete, inUnlink, sentence] = /^(\d\d)\/(\d\d) (.*)$/.exec(key) ?? []
      const id = selecting === deleting ? `ASSETS-DELETE-${inDelete}` : `ASSETS-UNLINK-${inUnlink}`
      return [`${id} ${sentence}`, requirement]
    }),
  )
}
