import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { withRequestId } from '../../support/clients/caller.ts'
import type { Item } from '../../support/clients/client.ts'
import type { Call } from '../../support/clients/http.ts'
import { ask } from '../../support/clients/operations.ts'
import { callRest, restData } from '../../support/clients/rest-client.ts'
import { addAssets, addProducts, newStore } from '../../support/factories.ts'
import { needsPrimary } from '../../support/needs-primary.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'
import { addChange } from './ledger-rows.ts'

const gateway = useGateway()
let store: string
beforeEach(async () => {
  store = await newStore(gateway)
})

const put = (requestId: string, body: object[], headers: Record<string, string> = {}) =>
  callRest(withRequestId(gateway, requestId), `PUT /products?store_uuid=${store}`, body, { headers })
const post = (requestId: string, body: object[]) =>
  restData(withRequestId(gateway, requestId), `POST /products?store_uuid=${store}`, body)
const mutate = (requestId: string, field: string, args: Item) =>
  ask(withRequestId(gateway, requestId), field, { storeUuid: store, ...args }, '{ __typename }')

async function receipt(requestId: string, of = store, call: Call = {}): Promise<Item> {
  const operation = `GET /requests/${encodeURIComponent(requestId)}?store_uuid=${of}`
  const { status, data } = await callRest(gateway, operation, undefined, call)
  return { status, ...data }
}

describe('the receipt of a request', () => {
  it('says who changed how much, and is named by the answer', async () => {
    await addProducts(gateway, store, ['A', 'B', 'C'])
    const id = 'a request: 1/2?'
    const answer = await put(id, [
      { product_code: 'A', status: 'active', Color: 'red' },
      { product_code: 'B', Color: 'red' },
      { product_code: 'C', Color: 7 },
    ])
    const link = `/v1/requests/${encodeURIComponent(id)}?store_uuid=${store}`
    expect(answer.headers.link).toBe(`<${link}>; rel="describedby"`)
    expect(await receipt(id)).toMatchObject({
      status: 200,
      request_id: id,
      actor: 'bootstrap',
      via: 'rest',
      operation: 'updateProducts',
      failed: 1,
      counts: [{ kind: 'product', created: 0, updated: 2, deleted: 0 }],
      changes: [{ kind: 'product', action: 'updated', codes: expect.arrayContaining(['A', 'B']) }],
      more: false,
    })
  })

  it('has each kind of what a request changed', async () => {
    await post('many', [
      { product_code: 'A', 'Image URL 1': 'https://a.example/1', 'Image URL 2': 'https://a.example/2' },
    ])
    const { counts } = await receipt('many')
    expect(counts).toEqual(
      expect.arrayContaining([
        { kind: 'product', created: 1, updated: 0, deleted: 0 },
        { kind: 'asset', created: 2, updated: 0, deleted: 0 },
        { kind: 'link', created: 2, updated: 0, deleted: 0 },
      ]),
    )
  })

  it('counts what a deletion and an unlinking did not find, as their answers do', async () => {
    const channel = 'SMP'
    const item = (more: object) => ({ store_uuid: store, ...more })
    for (const [operation, bodies] of [
      [
        'DELETE /assets',
        [
          item({ asset_id: ['1', 'x', 'x'] }),
          item({ parent_code: 'none' }),
          item({}),
          item({ asset_id: 'x', channel }),
        ],
      ],
      [
        'POST /assets/unlink',
        [item({ parent_code: 'A', channel, asset_id: ['2', 'x', 'x'] }), item({ parent_code: 'B', channel })],
      ],
    ] as const) {
      await addAssets(gateway, store, ['1 A', '2 A'])
      const body = [...bodies, { store_uuid: randomUUID(), parent_code: 'A', channel }]
      const { data } = await callRest(withRequestId(gateway, operation), operation, body)
      const failed = (data.error_info as unknown[]).length - 1
      expect(failed, operation).toBeGreaterThan(1)
      expect(await receipt(operation), operation).toMatchObject({ failed })
    }
  })

  it('is absent where nothing was changed, in another store, and for a token of another store', async () => {
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
    await put('changed', [{ product_code: 'A', Color: 'blue' }])
    expect((await put('same', [{ product_code: 'A', Color: 'blue' }])).status).toBe(200)
    const absent = { status: 404, error_info: [{ reason: 'request_not_found' }] }
    for (const id of ['same', 'none', 'a\u0001b']) expect(await receipt(id)).toMatchObject(absent)
    const other = await newStore(gateway)
    expect(await receipt('changed', other)).toMatchObject(absent)
    const { secret: token } = await newToken(gateway, { scopes: ['READ'], stores: [other] })
    const noStore = { status: 404, error_info: [{ reason: 'store_not_found' }] }
    expect(await receipt('changed', store, { token })).toMatchObject(noStore)
    expect(await receipt('changed', randomUUID())).toMatchObject(noStore)
    expect((await gateway.call(`/v1/requests/%ff?store_uuid=${store}`)).status).toBe(400)
    expect((await gateway.call(`/v1/requests/?store_uuid=${store}`)).status).toBe(404)
  })

  it('is named by no dry run, no stored answer and no write to several stores', async () => {
    await addProducts(gateway, store, ['A'])
    const red = [{ product_code: 'A', Color: 'red' }]
    const dry = await callRest(gateway, `PUT /products?store_uuid=${store}&dry_run=true`, red)
    expect(dry.headers.link).toBeUndefined()
    const key = { 'idempotency-key': randomUUID() }
    expect((await put('first', [{ product_code: 'A', Color: 'blue' }], key)).headers.link).toContain('/first?')
    expect((await put('again', [{ product_code: 'A', Color: 'blue' }], key)).headers.link).toBeUndefined()
    const links = (stores: string[]) => stores.map((store_uuid) => ({ store_uuid, parent_code: 'A', channel: 'SMP' }))
    const unlink = (stores: string[]) => callRest(gateway, 'POST /assets/unlink', links(stores))
    expect((await unlink([store, store])).headers.link).toContain(store)
    expect((await unlink([store, await newStore(gateway)])).headers.link).toBeUndefined()
    const selectors = [{ store_uuid: '/'.repeat(60_000), asset_id: 'x' }]
    const none = await callRest(gateway, 'DELETE /assets', selectors)
    expect([none.status, none.headers.link]).toEqual([200, undefined])
  })

  it('says which request reverted it', async (test) => {
    needsPrimary(test, 'writes go past the client')
    await addProducts(gateway, store, ['A'])
    await put('wrong', [{ product_code: 'A', Color: 'red' }])
    await addChange(gateway.database.db, { store, requestId: 'right', reverts: 'wrong' })
    expect(await receipt('wrong')).toMatchObject({ reverted_by: 'right' })
    expect(await receipt('right')).not.toHaveProperty('reverted_by')
    const selection = '{ revertedBy { requestId codes counts { updated } } }'
    expect(await ask(gateway, 'request', { storeUuid: store, requestId: 'wrong' }, selection)).toEqual({
      revertedBy: { requestId: 'right', codes: ['A'], counts: { updated: 1 } },
    })
    await addChange(gateway.database.db, { store, requestId: 'wrong again', reverts: 'right' })
    expect(await receipt('wrong')).not.toHaveProperty('reverted_by')
    expect(await receipt('right')).toMatchObject({ reverted_by: 'wrong again' })
    await addChange(gateway.database.db, { store, requestId: 'right again', reverts: 'wrong again' })
    expect(await receipt('wrong')).toMatchObject({ reverted_by: 'right' })
  })
})

describe('the items of a change', () => {
  const items = async (requestId: string) => {
    const selection = `{ changes { nodes { kind action revertedBy { requestId } items { nodes {
      productCode assetId channel attribute before after } } } } }`
    type Found = { changes: { nodes: { kind: string; action: string; items: { nodes: object[] } }[] } }
    const { changes } = await ask<Found>(gateway, 'request', { storeUuid: store, requestId }, selection)
    const found = changes.nodes.flatMap(({ kind, action, items }) =>
      items.nodes.map((node) => {
        const given = Object.entries(node).filter(([, value]) => value !== null)
        return { is: `${kind} ${action}`, ...Object.fromEntries(given) }
      }),
    )
    const name = (item: object) => ('attribute' in item ? String(item.attribute) : '')
    return found.sort((a, b) => (name(a) < name(b) ? -1 : 1))
  }

  it('have the value before, and after it that of before the next change, or the present one', async () => {
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
    await put('1', [{ product_code: 'A', Color: 'green', Size: 'M' }])
    await put('2', [{ product_code: 'A', Color: 'blue', status: 'active' }])
    expect(await items('1')).toEqual([
      { is: 'PRODUCT UPDATED', productCode: 'A', attribute: 'Color', before: 'red', after: 'green' },
      { is: 'PRODUCT UPDATED', productCode: 'A', attribute: 'Size', after: 'M' },
    ])
    expect(await items('2')).toEqual([
      { is: 'PRODUCT UPDATED', productCode: 'A', attribute: 'Color', before: 'green', after: 'blue' },
      { is: 'PRODUCT UPDATED', productCode: 'A', attribute: 'status', before: 'new', after: 'active' },
    ])
  })

  it('have the values of a product that was deleted later', async () => {
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
    await put('1', [{ product_code: 'A', Color: 'green', status: 'active' }])
    await mutate('2', 'deleteProducts', { productCodes: ['A'] })
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'black' } }])
    expect((await items('1')).map((item) => (item as { after?: string }).after)).toEqual(['green', 'active'])
    expect(await items('2')).toEqual([
      { is: 'PRODUCT DELETED', productCode: 'A', before: expect.stringContaining('"green"') },
    ])
  })

  it('have the places of links', async () => {
    await addAssets(gateway, store, ['x A', 'y A'])
    await mutate('move', 'moveAsset', { parentCode: 'A', assetId: 'y', position: 1 })
    const moved = await items('move')
    expect(moved.length).toBeGreaterThan(0)
    for (const item of moved)
      expect(item).toEqual({
        is: 'LINK UPDATED',
        productCode: 'A',
        channel: 'SMP',
        assetId: expect.stringMatching(/^[xy]$/),
        before: expect.stringMatching(/^-?\d+$/),
        after: expect.stringMatching(/^-?\d+$/),
      })
  })

  it('have the fields of a store as JSON', async () => {
    const update = (requestId: string, input: Item) => mutate(requestId, 'updateStore', { input })
    await update('0', { storeName: 'A', storeWebsite: null, region: ['India'] })
    await update('1', { storeName: '"B"', storeWebsite: 'https://b.example', region: ['India', 'Asia'] })
    await update('2', { storeName: 'C', storeWebsite: null })
    const values = async (requestId: string) => {
      const found = await items(requestId)
      return found.map((item) => {
        expect(item.is).toBe('STORE UPDATED')
        const { before, after } = item as { before?: string; after?: string }
        return [before, after].map((value) => JSON.parse(value ?? 'undefined'))
      })
    }
    expect(await values('1')).toEqual(
      expect.arrayContaining([
        ['A', '"B"'],
        [null, 'https://b.example'],
        [['India'], ['India', 'Asia']],
      ]),
    )
    const last = await values('2')
    expect(last).toHaveLength(2)
    expect(last).toEqual(
      expect.arrayContaining([
        ['"B"', 'C'],
        ['https://b.example', null],
      ]),
    )
  })

  interface Items {
    pageInfo: { hasNextPage: boolean; endCursor: string }
    nodes: { productCode: string }[]
  }
  type Pages = { changes: { nodes: { items: Items }[] } }
  const none: Items = { pageInfo: { hasNextPage: false, endCursor: '' }, nodes: [] }

  it('are read in pages', async () => {
    const codes = Array.from({ length: 25 }, (_, i) => `P${i}`)
    await post(
      'pages',
      codes.map((product_code) => ({ product_code })),
    )
    const found: string[] = []
    let after: string | undefined
    do {
      const items = `items(first: 10${after ? `, after: "${after}"` : ''})`
      const selection = `{ changes { nodes { ${items} { pageInfo { hasNextPage endCursor } nodes { productCode } } } } }`
      const { changes } = await ask<Pages>(gateway, 'request', { storeUuid: store, requestId: 'pages' }, selection)
      const [{ pageInfo, nodes } = none] = changes.nodes.map(({ items }) => items)
      found.push(...nodes.map(({ productCode }) => productCode))
      after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined
    } while (after !== undefined)
    expect(found.sort()).toEqual(codes.sort())
  })

  it('are the history of a product, the newest change first', async () => {
    await addProducts(gateway, store, ['A', 'B'])
    for (const i of ['1', '2', '3']) await put(i, [{ product_code: 'A', Color: i }])
    await put('other', [{ product_code: 'B', Color: 'x' }])
    const page = async (after: string | null) => {
      const selection = `{ product(productCode: "A") {
        changes(first: 2, after: ${JSON.stringify(after)}) { next nodes { requestId } } } }`
      type Found = { product: { changes: { next: string | null; nodes: { requestId: string }[] } } }
      const { product } = await ask<Found>(gateway, 'store', { storeUuid: store }, selection)
      return { next: product.changes.next, requests: product.changes.nodes.map(({ requestId }) => requestId) }
    }
    const first = await page(null)
    expect(first.requests).toEqual(['3', '2'])
    expect(await page(first.next)).toEqual({ next: null, requests: ['1', expect.any(String)] })
  })
})

describe('without a ledger', () => {
  const off = useGateway({ more: { changesRetention: 0 } })

  it('what reads changes says so, and no answer names a receipt', async () => {
    const own = await newStore(off)
    for (const path of ['changes', 'requests/x']) {
      const refused = await callRest(off, `GET /${path}?store_uuid=${own}`)
      expect(refused).toMatchObject({ status: 409, reason: 'changes_disabled' })
    }
    const { headers } = await callRest(off, `POST /products?store_uuid=${own}`, [{ product_code: 'A' }])
    expect(headers.link).toBeUndefined()
  })
})
