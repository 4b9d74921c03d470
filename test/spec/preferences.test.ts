import { expect } from 'vitest'
import { define, newStore, storeBody, storeWithAssets, storeWithProducts } from '../support/factories.ts'
import { graphql, requirements, rest } from './requirement.ts'

const codes = ['a', 'b', 'c']
const patches = codes.map((product_code) => ({ product_code, Color: 'red' }))
const guard = (most: number | string) => ({ prefer: `max-affected=${most}` })
const storeWithThree = (gateway: Parameters<typeof storeWithAssets>[0]) =>
  storeWithAssets(gateway, ['A 1', 'B 1', 'C 1'])

requirements('preferences of writes', (gateway) => {
  const call = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const reply = await gateway.call(`/v1${path}`, { method, body, headers })
    const { data } = reply.json as { data: Record<string, unknown> }
    return { http: reply.status, applied: reply.headers['preference-applied'], data }
  }
  const refused = (most: number, count: number) => ({
    http: 412,
    data: {
      error_info: [
        {
          reason: 'too_many_affected',
          details: `the write may change at most ${most} (max-affected); it would change ${count}, and nothing was changed`,
          field: 'Prefer',
        },
      ],
    },
  })
  const mutate = (document: string, variables: object, prefer: string, more: Record<string, string> = {}) =>
    gateway.call('/graphql', { method: 'POST', body: { query: document, variables }, headers: { prefer, ...more } })
  const attributesIn = async (store: string) => {
    const { data } = await call('GET', `/products?store_uuid=${store}`, undefined)
    return Object.values(data.products as Record<string, { Color?: string }>).map(({ Color }) => Color)
  }

  return {
    'PREFER-01 MUST refuse a write that would change more than max-affected with 412, and change nothing': rest(
      async () => {
        const store = await storeWithProducts(gateway, codes)
        const put = (most: number, query = '') =>
          call('PUT', `/products?store_uuid=${store}${query}`, patches, guard(most))
        expect(await put(2)).toMatchObject(refused(2, 3))
        expect(await put(2, '&dry_run=true')).toMatchObject(refused(2, 3))
        expect(await attributesIn(store)).toEqual([undefined, undefined, undefined])
        expect(await put(3)).toMatchObject({ http: 200, applied: 'max-affected=3', data: { updated_skus: codes } })
        expect(await attributesIn(store)).toEqual(['red', 'red', 'red'])
      },
    ),
    'PREFER-02 MUST count what is created, deleted, unlinked, placed and reverted': rest(async () => {
      const store = await storeWithThree(gateway)
      const of = `?store_uuid=${store}`
      const image = { 'Image URL 1': 'https://cdn.example/x' }
      const group = { store_uuid: store, parent_code: '1', channel: 'SMP' }
      const created = await gateway.call(`/v1/products${of}`, { method: 'POST', body: patches })
      const id = String(created.headers['x-request-id'])
      const none = guard(0)
      expect(await call('POST', `/products${of}`, [{ product_code: 'd' }], none)).toMatchObject(refused(0, 1))
      expect(await call('POST', `/assets${of}`, [{ parent_code: '2', assets: image }], none)).toMatchObject(
        refused(0, 1),
      )
      expect(await call('POST', '/assets/unlink', [group], guard(2))).toMatchObject(refused(2, 3))
      expect(await call('DELETE', '/assets', [group], guard(2))).toMatchObject(refused(2, 3))
      expect(await call('POST', `/requests/${id}/revert${of}`, undefined, guard(2))).toMatchObject(refused(2, 3))
      expect(await call('POST', '/stores', storeBody(), none)).toMatchObject(refused(0, 1))
      const { data } = await call('GET', `/assets${of}`, undefined)
      expect(data).toMatchObject({ total_groups: 1, assets: { 1: { assets: [{}, {}, {}] } } })
      expect(await attributesIn(store)).toEqual(['red', 'red', 'red'])
    }),
    'PREFER-03 MUST refuse a max-affected that it cannot read, and ignore it on reads': rest(async () => {
      const store = await storeWithProducts(gateway, codes)
      const faults = ['max-affected', 'max-affected=', 'max-affected=-1', 'max-affected=1.5', 'max-affected=1e3']
      for (const prefer of [...faults, 'max-affected=9999999999', 'wait; max-affected=2', '=, max-affected=2']) {
        const answer = await call('PUT', `/products?store_uuid=${store}`, patches, { prefer })
        expect([prefer, answer]).toMatchObject([prefer, { http: 400, data: { error_info: [{ field: 'Prefer' }] } }])
      }
      expect(await attributesIn(store)).toEqual([undefined, undefined, undefined])
      expect(await call('GET', `/products?store_uuid=${store}`, undefined, guard('x'))).toMatchObject({ http: 200 })
    }),
    'PREFER-08 MUST refuse an import that it cannot count, and advise a dry run unless it is one': rest(async () => {
      const path = `/imports?store_uuid=${await newStore(gateway)}&format=csv`
      const refusal = 'max-affected cannot be checked before an import has run: leave it out'
      for (const [query, details] of [
        ['', `${refusal}, or use dry_run first`],
        ['&dry_run=true', refusal],
      ] as const) {
        const answer = await call('POST', path + query, 'sku\nA\n', guard(5))
        expect(answer).toMatchObject({ http: 400, data: { error_info: [{ field: 'Prefer', details }] } })
      }
    }),
    'PREFER-04 MUST leave the codes that succeeded out of a minimal answer, and no failure': rest(async () => {
      const store = await storeWithProducts(gateway, codes)
      await define(gateway, store, [{ name: 'Size', type: 'NUMBER' }])
      const body = [...patches, { product_code: 'none' }, { product_code: 'a', Size: 'x' }]
      const prefer = 'return=minimal, max-affected=5'
      const put = await call('PUT', `/products?store_uuid=${store}`, body, { prefer })
      expect(put).toEqual({
        http: 200,
        applied: 'max-affected=5, return=minimal',
        data: { store_uuid: store, unavailable_skus: ['none'], failed_products: { a: { Size: expect.any(String) } } },
      })
      const minimal = { prefer: 'return=minimal' }
      const post = await call('POST', `/products?store_uuid=${store}`, [...patches, { product_code: 'd' }], minimal)
      expect(post).toEqual({ http: 200, applied: 'return=minimal', data: { store_uuid: store, failed_products: {} } })
      const other = await call('PUT', `/products?store_uuid=${store}`, patches, { prefer: 'return=representation' })
      expect(other).toMatchObject({ applied: undefined, data: { updated_skus: codes } })
    }),
    'PREFER-05 MUST not keep the refusal for an Idempotency-Key, and keep the first answer': rest(async () => {
      const store = await storeWithProducts(gateway, codes)
      const put = (most: number) => {
        const headers = { ...guard(most), 'idempotency-key': `guarded-${store}` }
        return call('PUT', `/products?store_uuid=${store}`, patches, headers)
      }
      expect(await put(1)).toMatchObject(refused(1, 3))
      expect(await put(3)).toMatchObject({ http: 200, data: { updated_skus: codes } })
      expect(await put(1)).toMatchObject({ http: 200, applied: undefined, data: { updated_skus: codes } })
    }),
    'PREFER-06 MUST guard a mutation of one field, and count what it changes': graphql(async () => {
      const store = await storeWithProducts(gateway, codes)
      const remove =
        'mutation ($store: ID!, $codes: [String!]!) { result: deleteProducts(storeUuid: $store, productCodes: $codes) { deletedSkus } }'
      const variables = { store, codes: [...codes, 'none'] }
      expect((await mutate(remove, variables, 'max-affected=2')).json).toMatchObject({
        data: null,
        errors: [{ extensions: { code: 'too_many_affected', errorInfo: [{ field: 'Prefer' }] } }],
        extensions: { affected: 3 },
      })
      expect(await attributesIn(store)).toHaveLength(3)
      const twice =
        'mutation ($store: ID!) { a: updateStore(storeUuid: $store, input: {}) { storeUuid } b: updateStore(storeUuid: $store, input: {}) { storeUuid } }'
      for (const [document, prefer] of [
        [twice, 'max-affected=5'],
        [remove, 'max-affected=x'],
      ] as const) {
        const { status, json } = await mutate(document, variables, prefer)
        expect([status, json]).toMatchObject([400, { errors: [{ extensions: { code: 'invalid_request' } }] }])
      }
      const removed = await mutate(remove, variables, 'max-affected=3', { accept: 'application/graphql-response+json' })
      expect(removed.headers['preference-applied']).toBe('max-affected=3')
      expect(removed.json).toMatchObject({ data: { result: { deletedSkus: codes } }, extensions: { affected: 3 } })
    }),
    'PREFER-07 MUST guard definitions and the reading of a payload, and refuse an import that it cannot count': graphql(
      async () => {
        const store = await newStore(gateway)
        const defining = `mutation ($store: ID!) { result: defineAttributes(storeUuid: $store, definitions:
          [{ name: "A", type: TEXT }, { name: "B", type: TEXT }]) { name violations { productCount } } }`
        const importing = `mutation ($store: ID!) { startImport(storeUuid: $store, input: { format: CSV, content: "sku\\nA" }) { jobId } }`
        const codeOf = async (document: string) => {
          const { json } = await mutate(document, { store }, 'max-affected=1')
          return (json as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code
        }
        expect([await codeOf(defining), await codeOf(importing)]).toEqual(['too_many_affected', 'invalid_request'])
        const starting = 'mutation ($store: ID!) { startExport(storeUuid: $store) { jobId } }'
        const deleting = 'mutation ($job: ID!) { deleteJob(jobId: $job) { jobId } }'
        const exported = async (prefer: string) => (await mutate(starting, { store }, prefer)).json
        const refusal = { errors: [{ extensions: { code: 'too_many_affected' } }], extensions: { affected: 1 } }
        expect(await exported('max-affected=0')).toMatchObject(refusal)
        const started = await exported('max-affected=1')
        expect(started).toMatchObject({ extensions: { affected: 1 } })
        const job = (started as { data: { startExport: { jobId: string } } }).data.startExport.jobId
        const remove = async (id: string) => (await mutate(deleting, { job: id }, 'max-affected=0')).json
        expect(await remove(job)).toMatchObject(refusal)
        expect(await remove(store)).toMatchObject({ data: { deleteJob: null }, extensions: { affected: 0 } })
        const jobs = `query ($store: ID!) { store(storeUuid: $store) { jobs { nodes { jobId } } } }`
        expect((await mutate(jobs, { store }, '')).json).toEqual(
          expect.objectContaining({ data: { store: { jobs: { nodes: [{ jobId: job }] } } } }),
        )
        const { data } = (
          await mutate(
            'query ($store: ID!) { store(storeUuid: $store) { attributeDefinitions { name } } }',
            { store },
            '',
          )
        ).json as { data: unknown }
        expect(data).toEqual({ store: { attributeDefinitions: [] } })
      },
    ),
  }
})
