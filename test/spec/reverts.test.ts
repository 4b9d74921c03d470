import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { revert } from '../catalogue/changes/revert-support.ts'
import { withRequestId } from '../support/clients/caller.ts'
import type { Item } from '../support/clients/client.ts'
import type { Call } from '../support/clients/http.ts'
import { callRest, queryString, restData } from '../support/clients/rest-client.ts'
import { addProducts, newStore, productOf, storeWithProducts, unknownStore } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { graphql, requirements, rest } from './requirement.ts'

const post = (
  gateway: TestGateway,
  store: string,
  id: string,
  { query = {}, ...call }: Call & { query?: Item } = {},
) => {
  const given = queryString({ store_uuid: store, ...query })
  return callRest(gateway, `POST /requests/${encodeURIComponent(id)}/revert?${given}`, undefined, call)
}

/** A store whose product A was red until the request made it blue. */
async function changed(gateway: TestGateway, request: string = randomUUID(), attributes: Item = { Color: 'blue' }) {
  const store = await storeWithProducts(gateway, [{ productCode: 'A', attributes: { Color: 'red' } }])
  await put(gateway, store, request, attributes)
  return { store, request }
}

const put = (gateway: TestGateway, store: string, request: string, attributes: Item) => {
  const body = [{ product_code: 'A', ...attributes }]
  return withRequestId(gateway, request).call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
}

const attributesOf = async (gateway: TestGateway, store: string) => (await productOf(gateway, store, 'A'))?.attributes
const none = { products: 0, assets: 0, links: 0, definitions: 0, requirements: 0, store_fields: 0 }

requirements('reverting a request', (gateway) => ({
  'REVERT-01 MUST give what the request changed its values from before, and name the revert': rest(async () => {
    const { store, request } = await changed(gateway, 'a request/with % and ü')
    const headers = { 'X-Request-Id': 'the revert' }
    const reply = await post(gateway, store, request, { headers })
    expect(reply.data).toEqual({
      store_uuid: store,
      request_id: 'the revert',
      reverted: { ...none, products: 1 },
      skipped: [],
    })
    expect(reply.headers.link).toBe(`</v1/requests/the%20revert?store_uuid=${store}>; rel="describedby"`)
    expect(await attributesOf(gateway, store)).toEqual({ Color: 'red' })
  }),

  'REVERT-02 MUST let the revert be reverted': rest(async () => {
    const { store, request } = await changed(gateway)
    const { request_id } = (await post(gateway, store, request)).data
    expect((await post(gateway, store, String(request_id))).data).toMatchObject({ reverted: { products: 1 } })
    expect(await attributesOf(gateway, store)).toEqual({ Color: 'blue' })
  }),

  'REVERT-03 MUST show the revert in the receipt of the request, and in its own': rest(async () => {
    const { store, request } = await changed(gateway)
    const { request_id } = (await post(gateway, store, request)).data
    const receipt = async (id: unknown) => restData(gateway, `GET /requests/${id}?store_uuid=${store}`)
    expect(await receipt(request)).toMatchObject({ reverted_by: request_id })
    expect(await receipt(request_id)).toMatchObject({
      operation: 'revertRequest',
      via: 'rest',
      changes: [{ reverts: request, kind: 'product', action: 'updated', codes: ['A'] }],
    })
  }),

  'REVERT-04 MUST skip, refuse or overwrite what changed since, as it is asked': rest(async () => {
    const { store, request } = await changed(gateway, undefined, { Color: 'blue', Size: 'M' })
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'green' } }])
    const by = (policy: string) =>
      post(gateway, store, request, { query: { if_changed_since: policy, dry_run: 'true' } })
    const refused = await by('fail')
    expect([refused.status, refused.data]).toEqual([
      409,
      {
        error_info: [
          {
            reason: 'not_revertible',
            details: 'the attribute "Color" of the product "A" was changed since by another request',
          },
        ],
      },
    ])
    const item = { kind: 'product', code: 'A', key: 'Color', reason: 'changed_since' }
    expect((await by('skip')).data).toMatchObject({ reverted: { products: 1 }, skipped: [item] })
    expect((await by('overwrite')).data).toMatchObject({ reverted: { products: 1 }, skipped: [] })
    expect((await post(gateway, store, request)).data).toMatchObject({ skipped: [item] })
    expect(await attributesOf(gateway, store)).toEqual({ Color: 'green' })
  }),

  'REVERT-05 MUST refuse a request that is reverted already, unless it overwrites': rest(async () => {
    const { store, request } = await changed(gateway)
    await post(gateway, store, request)
    const again = await post(gateway, store, request)
    expect([again.status, again.reason]).toEqual([409, 'not_revertible'])
    const overwriting = await post(gateway, store, request, { query: { if_changed_since: 'overwrite' } })
    expect(overwriting.data).toMatchObject({ reverted: none })
  }),

  'REVERT-06 MUST answer 404 for a request without changes in the store, and for a store that the token cannot see':
    rest(async () => {
      const { store, request } = await changed(gateway)
      const other = await newStore(gateway)
      const { secret: token } = await newToken(gateway, { scopes: ['WRITE'], stores: [other] })
      const unchanged = [await post(gateway, store, 'unknown'), await post(gateway, other, request)]
      for (const reply of unchanged) expect([reply.status, reply.reason]).toEqual([404, 'request_not_found'])
      const unknown = [
        await post(gateway, unknownStore(), request),
        await post(gateway, 'no uuid', request),
        await post(gateway, store, request, { token }),
      ]
      for (const reply of unknown) expect([reply.status, reply.reason]).toEqual([404, 'store_not_found'])
      expect(await attributesOf(gateway, store)).toEqual({ Color: 'blue' })
    }),

  'REVERT-07 MUST revert in its own store for a limited token': rest(async () => {
    const { store, request } = await changed(gateway)
    const { secret: token } = await newToken(gateway, { scopes: ['WRITE'], stores: [store] })
    expect((await post(gateway, store, request, { token })).data).toMatchObject({ reverted: { products: 1 } })
    expect(await attributesOf(gateway, store)).toEqual({ Color: 'red' })
  }),

  'REVERT-08 MUST take an Idempotency-Key: the second time it answers the same': rest(async () => {
    const { store, request } = await changed(gateway)
    const headers = { 'idempotency-key': randomUUID() }
    const first = await post(gateway, store, request, { headers })
    expect(first.status).toBe(200)
    const second = await post(gateway, store, request, { headers })
    expect(second.data).toEqual(first.data)
    expect(second.headers.link).toBeUndefined()
  }),

  'REVERT-09 MUST change nothing in a dry run': rest(async () => {
    const { store, request } = await changed(gateway)
    const { data } = await post(gateway, store, request, { query: { dry_run: 'true' } })
    expect(data).toMatchObject({ reverted: { products: 1 } })
    expect(await attributesOf(gateway, store)).toEqual({ Color: 'blue' })
    const ofDryRun = await post(gateway, store, String(data.request_id))
    expect([ofDryRun.status, ofDryRun.reason]).toEqual([404, 'request_not_found'])
    expect((await post(gateway, store, request)).status).toBe(200)
  }),

  'REVERT-10 MUST refuse an unknown policy, a body that is not JSON, and the id of the request for the revert': rest(
    async () => {
      const { store, request } = await changed(gateway)
      const replies = [
        await post(gateway, store, request, { query: { if_changed_since: 'SKIP' } }),
        await post(gateway, store, request, { body: '{', headers: { 'content-type': 'application/json' } }),
        await post(gateway, store, request, { headers: { 'X-Request-Id': request } }),
      ]
      for (const reply of replies) expect([reply.status, reply.reason]).toEqual([400, 'invalid_request'])
      expect((await post(gateway, store, request, { body: {} })).status).toBe(200)
    },
  ),

  'REVERT-11 MUST do the same over GraphQL': graphql(async () => {
    const { store, request } = await changed(gateway)
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'green' } }])
    await expect(revert(gateway, store, request, { policy: 'FAIL' })).rejects.toMatchObject({ code: 'not_revertible' })
    expect((await revert(gateway, store, request)).skipped).toEqual([
      { kind: 'PRODUCT', code: 'A', key: 'Color', reason: 'changed_since' },
    ])
    expect(await revert(gateway, store, request, { policy: 'OVERWRITE' })).toMatchObject({ reverted: { products: 1 } })
    expect(await attributesOf(gateway, store)).toEqual({ Color: 'red' })
  }),
}))
