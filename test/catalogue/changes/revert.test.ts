import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { revertRequest } from '../../../src/catalogue/changes/revert/revert-request.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { lockStore, tryLock } from '../../../src/catalogue/locks.ts'
import { updateStore } from '../../../src/catalogue/stores/update-store.ts'
import { inTransaction, rolledBackIf } from '../../../src/catalogue/transaction.ts'
import { setRecording } from '../../../src/database/ledger.ts'
import { requestContext } from '../../../src/request/context.ts'
import { ReadBytes } from '../../../src/request/read-bytes.ts'
import { newRequestId } from '../../../src/request/request-id.ts'
import { caughtUp } from '../../support/caught-up.ts'
import { withRequestId } from '../../support/clients/caller.ts'
import { assetIdsOf, type Item } from '../../support/clients/client.ts'
import { ask } from '../../support/clients/operations.ts'
import { callRest, restClient, restData } from '../../support/clients/rest-client.ts'
import { newStore, productOf } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { addChange } from './ledger-rows.ts'
import { revertChecked as revert, stateOf } from './revert-support.ts'

const gateway = useGateway()
let store: string
beforeEach(async () => {
  store = await newStore(gateway)
})

/** Runs mutations in one request, and returns its id. */
async function mutateAll(fields: string, products: Item[] = []): Promise<string> {
  const id = randomUUID()
  const given = products.length > 0 ? ', $products: [ProductPatch!]!' : ''
  await withRequestId(gateway, id).data(`mutation ($store: ID!${given}) { ${fields} }`, { store, products })
  return id
}

/** Runs a mutation of the store, and returns the id of the request. */
async function mutate(field: string, args: Item): Promise<string> {
  const id = randomUUID()
  await ask(withRequestId(gateway, id), field, { storeUuid: store, ...args }, '{ __typename }')
  return id
}

const upsert = (products: Item[]) => mutate('upsertProducts', { products })
const put = (productCode: string, attributes: Item) => upsert([{ productCode, attributes }])
const remove = (code: string) => mutate('deleteProducts', { productCodes: [code] })
const add = (assetId: string, parentCode: string, url = assetId) =>
  mutate('addAssets', { assets: [{ assetId, parentCode, url: `https://e.x/${url}` }] })
const unlink = (assetId: string, parentCode: string) =>
  mutateAll(
    `unlinkAssets(links: [{storeUuid: $store, parentCode: "${parentCode}", channel: "SMP", assetId: ["${assetId}"]}]) { unlinked }`,
  )
const deleteAsset = (assetId: string) =>
  mutateAll(`deleteAssets(selectors: [{storeUuid: $store, assetId: ["${assetId}"]}]) { deletedCount }`)

/** Sends products over REST in a request of an id. */
const send = (method: 'POST' | 'PUT', requestId: string, body: Item[]) =>
  restData(withRequestId(gateway, requestId), `${method} /products?store_uuid=${store}`, body)

const attributesOf = async (code: string) => (await productOf(gateway, store, code))?.attributes
const linksOf = (parentCode: string) => assetIdsOf(restClient(gateway), store, parentCode)

const skip = (kind: string, code: string, key: string | null, reason = 'changed_since') => ({ kind, code, key, reason })

describe('what changed since', () => {
  it('is skipped, attribute by attribute', async () => {
    await put('A', { Color: 'red', Size: 'S' })
    const request = await put('A', { Color: 'blue', Size: 'M', New: 'x' })
    await put('A', { Color: 'green' })
    const { reverted, skipped } = await revert(gateway, store, request)
    expect(skipped).toEqual([skip('PRODUCT', 'A', 'Color')])
    expect(reverted).toMatchObject({ products: 1 })
    expect(await attributesOf('A')).toEqual({ Color: 'green', Size: 'S' })
  })

  it('fails the revert with all items, and nothing is reverted', async () => {
    await put('A', { Color: 'red', Size: 'S' })
    const request = await put('A', { Color: 'blue', Size: 'M' })
    await put('A', { Color: 'green' })
    await expect(revert(gateway, store, request, { policy: 'FAIL' })).rejects.toMatchObject({
      code: 'not_revertible',
      errorInfo: [{ details: 'the attribute "Color" of the product "A" was changed since by another request' }],
    })
    expect(await attributesOf('A')).toEqual({ Color: 'green', Size: 'M' })
    expect(await revert(gateway, store, await put('A', { Size: 'L' }), { policy: 'FAIL' })).toMatchObject({
      skipped: [],
    })
  })

  it('is overwritten, and comes back with a revert of that', async () => {
    await put('A', { Color: 'red' })
    const request = await put('A', { Color: 'blue', New: 'x' })
    await put('A', { Color: 'green', Other: 'y' })
    const { requestId, skipped } = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(skipped).toEqual([])
    expect(await attributesOf('A')).toEqual({ Color: 'red', Other: 'y' })
    await revert(gateway, store, requestId)
    expect(await attributesOf('A')).toEqual({ Color: 'green', New: 'x', Other: 'y' })
  })

  it('is what another request did between two changes of the request: the later one is reverted', async () => {
    await put('A', { Color: 'red' })
    const id = randomUUID()
    const putAs = (requestId: string, Color: string) => send('PUT', requestId, [{ product_code: 'A', Color }])
    await putAs(id, 'blue')
    await putAs('another', 'green')
    await putAs(id, 'black')
    expect((await revert(gateway, store, id)).skipped).toEqual([skip('PRODUCT', 'A', 'Color')])
    expect(await attributesOf('A')).toEqual({ Color: 'green' })
  })

  it('is not what was reverted: changes are undone one after the other, the last one first', async () => {
    await put('A', { Color: 'red' })
    const blue = await put('A', { Color: 'blue' })
    await revert(gateway, store, await put('A', { Color: 'yellow' }), { policy: 'FAIL' })
    const [green, black] = [await put('A', { Color: 'green' }), await put('A', { Color: 'black' })]
    for (const [request, color] of [
      [black, 'green'],
      [green, 'blue'],
      [blue, 'red'],
    ] as const) {
      expect((await revert(gateway, store, request, { policy: 'FAIL' })).skipped).toEqual([])
      expect(await attributesOf('A')).toEqual({ Color: color })
    }
  })

  it('is not undone by the revert of a change that was made between two changes of the request', async () => {
    await put('A', { Color: 'red' })
    const id = randomUUID()
    await send('PUT', id, [{ product_code: 'A', Size: '1' }])
    const green = await put('A', { Color: 'green' })
    await send('PUT', id, [{ product_code: 'A', Color: 'blue' }])
    await revert(gateway, store, green, { policy: 'OVERWRITE' })
    expect((await revert(gateway, store, id)).skipped).toEqual([skip('PRODUCT', 'A', 'Color')])
    expect(await attributesOf('A')).toEqual({ Color: 'red' })
  })

  it('is a revert that restored another value, or was reverted itself', async () => {
    await put('A', { Color: 'red' })
    const request = await put('A', { Color: 'blue' })
    const [green, black] = [await put('A', { Color: 'green' }), await put('A', { Color: 'black' })]
    const { requestId } = await revert(gateway, store, black)
    const changed = [skip('PRODUCT', 'A', 'Color')]
    expect((await revert(gateway, store, request)).skipped).toEqual(changed)
    await revert(gateway, store, requestId)
    await revert(gateway, store, green, { policy: 'OVERWRITE' })
    await revert(gateway, store, black, { policy: 'OVERWRITE' })
    expect(await attributesOf('A')).toEqual({ Color: 'green' })
    expect((await revert(gateway, store, request)).skipped).toEqual(changed)
    expect(await attributesOf('A')).toEqual({ Color: 'green' })
  })

  it('is not a product, an asset or a link that was deleted and restored', async () => {
    const [product, asset] = [await put('A', { Color: 'red' }), await add('x', 'A')]
    for (const change of [() => remove('A'), () => unlink('x', 'A'), () => deleteAsset('x')]) {
      await revert(gateway, store, await change(), { policy: 'FAIL' })
    }
    for (const request of [asset, product]) {
      expect((await revert(gateway, store, request, { policy: 'FAIL' })).skipped).toEqual([])
    }
    expect([await attributesOf('A'), await linksOf('A')]).toEqual([undefined, []])
  })

  it('is what the request itself does while its revert waits for a lock', async () => {
    const id = randomUUID()
    await send('POST', id, [{ product_code: 'A' }])
    const { database } = gateway
    const reverting = await inTransaction(database.catalogue, async (work) => {
      await lockStore(work, store, { products: ['A'] })
      const answer = revert(gateway, store, id)
      await expect.poll(() => database.lockWaiters()).toBe(1)
      await send('POST', id, [{ product_code: 'B', Color: 'red' }])
      return { answer }
    })
    expect(await reverting.answer).toMatchObject({ reverted: { products: 1 }, skipped: [] })
    expect([await attributesOf('A'), await attributesOf('B')]).toEqual([undefined, { Color: 'red' }])
  })

  it('keeps a product that was created and has changed', async () => {
    const request = await upsert([{ productCode: 'A' }, { productCode: 'B' }])
    await put('A', { Color: 'red' })
    expect((await revert(gateway, store, request)).skipped).toEqual([skip('PRODUCT', 'A', null)])
    expect([await attributesOf('A'), await attributesOf('B')]).toEqual([{ Color: 'red' }, undefined])
    const overwritten = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(await attributesOf('A')).toBeUndefined()
    await revert(gateway, store, overwritten.requestId)
    expect(await attributesOf('A')).toEqual({ Color: 'red' })
  })

  it('keeps a product that was deleted and created again', async () => {
    await put('A', { Color: 'red', Size: 'S' })
    const request = await remove('A')
    await put('A', { Color: 'green', Other: 'y' })
    expect((await revert(gateway, store, request)).skipped).toEqual([skip('PRODUCT', 'A', null)])
    expect(await attributesOf('A')).toEqual({ Color: 'green', Other: 'y' })
    const { requestId } = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(await attributesOf('A')).toEqual({ Color: 'red', Size: 'S' })
    await revert(gateway, store, requestId)
    expect(await attributesOf('A')).toEqual({ Color: 'green', Other: 'y' })
  })

  it('leaves nothing to revert of a product that is gone', async () => {
    await put('A', { Color: 'red' })
    const request = await put('A', { Color: 'blue' })
    await remove('A')
    expect((await revert(gateway, store, request)).skipped).toEqual([skip('PRODUCT', 'A', 'Color')])
    const gone = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(gone.skipped).toEqual([skip('PRODUCT', 'A', 'Color', 'gone')])
  })

  it('keeps an asset that others have linked, unless they are overwritten', async () => {
    const request = await add('x', 'A')
    await add('x', 'B')
    const { skipped, reverted } = await revert(gateway, store, request)
    expect(skipped).toEqual([skip('ASSET', 'x', null)])
    expect(reverted).toMatchObject({ assets: 0, links: 1 })
    expect([await linksOf('A'), await linksOf('B')]).toEqual([[], ['x']])
    const { requestId } = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(await linksOf('B')).toEqual([])
    await revert(gateway, store, requestId)
    expect(await linksOf('B')).toEqual(['x'])
  })

  it('keeps links as others have moved them', async () => {
    await add('x', 'A')
    await add('y', 'A')
    const request = await unlink('x', 'A')
    await add('x', 'A')
    expect((await revert(gateway, store, request)).skipped).toEqual([skip('LINK', 'A', '["SMP","x"]')])
    expect(await linksOf('A')).toEqual(['y', 'x'])
    await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(await linksOf('A')).toEqual(['x', 'y'])
  })

  it('restores no link to an asset that is gone or another one', async () => {
    await add('x', 'A')
    await add('y', 'A')
    const [one, two] = [await unlink('x', 'A'), await unlink('y', 'A')]
    await deleteAsset('x')
    const request = await deleteAsset('y')
    await add('y', 'B', 'another')
    for (const [id, asset] of [
      [one, 'x'],
      [two, 'y'],
    ] as const) {
      expect((await revert(gateway, store, id)).skipped).toEqual([skip('LINK', 'A', `["SMP","${asset}"]`)])
    }
    const gone = [skip('LINK', 'A', '["SMP","x"]', 'gone')]
    expect((await revert(gateway, store, one, { policy: 'OVERWRITE' })).skipped).toEqual(gone)
    const { skipped } = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(skipped).toEqual([skip('ASSET', 'y', null)])
    expect([await linksOf('A'), await linksOf('B')]).toEqual([[], ['y']])
  })
})

describe('definitions and the store', () => {
  const defineAll = (definitions: Item[]) => mutate('defineAttributes', { definitions })
  const undefine = (...names: string[]) => mutate('removeAttributeDefinitions', { names })
  const update = (input: Item) => mutate('updateStore', { input })
  const size = { name: 'Size', type: 'ENUM', allowedValues: ['S', 'M'], maxLength: 3 }

  it('have what they had before, and again with a revert of that', async () => {
    await defineAll([size, { name: 'Weight', type: 'NUMBER' }])
    await update({ storeWebsite: 'https://e.x', region: ['Europe', 'Asia'] })
    const requests = [
      () =>
        defineAll([
          { ...size, pattern: '[SM]' },
          { name: 'New', type: 'TEXT' },
        ]),
      () => undefine('Size', 'Weight'),
      () => update({ storeName: 'Other', storeTaxonomy: 'brand', storeWebsite: null, region: [] }),
      () => update({ channels: [], defaultAutomation: ['image_type'], storeName: 'A third' }),
    ]
    for (const [i, request] of requests.entries()) {
      const before = await stateOf(gateway, store)
      const id = await request()
      const after = await stateOf(gateway, store)
      expect(after).not.toEqual(before)
      const { requestId, reverted, skipped } = await revert(gateway, store, id)
      expect({ reverted, skipped }).toMatchObject({
        reverted: [{ definitions: 2 }, { definitions: 2 }, { storeFields: 4 }, { storeFields: 3 }][i],
        skipped: [],
      })
      expect(await stateOf(gateway, store)).toEqual(before)
      await revert(gateway, store, requestId)
      expect(await stateOf(gateway, store)).toEqual(after)
    }
  })

  it('keep what has changed since', async () => {
    await update({ storeName: 'One' })
    const [renaming, defining] = [await update({ storeName: 'Two', region: ['Asia'] }), await defineAll([size])]
    await update({ storeName: 'Three' })
    await defineAll([{ ...size, maxLength: 4 }])
    const [named, defined] = [await revert(gateway, store, renaming), await revert(gateway, store, defining)]
    expect(named).toMatchObject({ reverted: { storeFields: 1 }, skipped: [skip('STORE', '', 'storeName')] })
    expect(defined).toMatchObject({ reverted: { definitions: 0 }, skipped: [skip('DEFINITION', 'Size', null)] })
    expect(await stateOf(gateway, store)).toMatchObject({ store: { store_name: 'Three', region: ['Europe'] } })
  })

  it('keep fields that are changed while the revert waits for the store', async () => {
    const id = await update({ storeName: 'One' })
    const { catalogue, lockWaiters } = gateway.database
    const origin = {
      requestId: randomUUID(),
      actor: 'a',
      via: 'graphql' as const,
      operation: 'updateStore',
    }
    const reverting = await inTransaction({ ...catalogue, origin }, async (work) => {
      await updateStore(work, fallbackEnumerations, store, { storeName: 'Two' })
      const answer = revert(gateway, store, id)
      await expect.poll(lockWaiters).toBe(1)
      return { answer }
    })
    expect((await reverting.answer).skipped).toEqual([skip('STORE', '', 'storeName')])
    expect(await stateOf(gateway, store)).toMatchObject({ store: { store_name: 'Two' } })
  })

  it('are restored with a product while another product is being written', async () => {
    const { catalogue } = gateway.database
    const id = await mutateAll(
      `defineAttributes(storeUuid: $store, definitions: [{name: "Size", type: TEXT}]) { __typename }
      upsertProducts(storeUuid: $store, products: $products) { __typename }`,
      [{ productCode: 'A' }],
    )
    await inTransaction(catalogue, async (work) => {
      await lockStore(work, store, { products: ['B'] })
      expect((await revert(gateway, store, id)).reverted).toMatchObject({ products: 1, definitions: 1 })
    })
  })

  it('lose no use that the revert has not restored', async () => {
    const filterable = (name: string) => ({ name, type: 'TEXT', filterable: true })
    await defineAll(Array.from('ABCDEFGH', filterable))
    await caughtUp(gateway.database, store)
    const request = await undefine('A')
    await inTransaction(gateway.database.catalogue, async (work) => {
      // The follower does not index Z.
      await expect.poll(() => tryLock(work, store, 'projections')).toBe(true)
      await defineAll([filterable('Z')])
      await revert(gateway, store, request)
    })
    const found = await ask<{ attributeDefinitions: { name: string; filterable: boolean }[] }>(
      gateway,
      'store',
      { storeUuid: store },
      '{ attributeDefinitions { name filterable } }',
    )
    expect(found.attributeDefinitions.filter((one) => !one.filterable).map(({ name }) => name)).toEqual(['A'])
  })

  it('do not lose a store that a request has created', async () => {
    await defineAll([size])
    const id = randomUUID()
    const copying = `?linked_store_id=${store}&copy_taxonomy=true`
    const created = await newStore(withRequestId(gateway, id), { store_name: 'linked' }, copying)
    const skipped = [skip('STORE', '', null, 'store_created')]
    const versions = () => sql`select xmin::text from store where store_uuid = ${created}`.execute(gateway.database.db)
    const { rows: before } = await versions()
    await expect(revert(gateway, created, id, { policy: 'FAIL' })).rejects.toMatchObject({ code: 'not_revertible' })
    expect(await revert(gateway, created, id)).toMatchObject({ reverted: { definitions: 1 }, skipped })
    expect(await stateOf(gateway, created)).toMatchObject({ store: { store_name: 'linked' }, definitions: null })
    expect((await versions()).rows, 'the store was not written').toEqual(before)
  })

  it('may not take more than definitions may', async () => {
    const allowedValues = Array.from({ length: 50 }, (_, n) => `${n} ${'x'.repeat(50_000)}`)
    const large = (name: string) => ({ name, type: 'ENUM', allowedValues })
    await defineAll([large('A')])
    const request = await undefine('A')
    await defineAll([large('B')])
    await expect(revert(gateway, store, request)).rejects.toMatchObject({ code: 'payload_too_large' })
  })
})

describe('what cannot be reverted', () => {
  it('is refused if it is reverted already, but for overwriting', async () => {
    await put('A', { Color: 'red' })
    const request = await put('A', { Color: 'blue' })
    const { requestId } = await revert(gateway, store, request)
    for (const policy of ['SKIP', 'FAIL'] as const) {
      await expect(revert(gateway, store, request, { policy })).rejects.toMatchObject({
        code: 'not_revertible',
        message: expect.stringContaining(`is reverted already, by "${requestId}"`),
      })
    }
    await revert(gateway, store, requestId)
    expect(await attributesOf('A')).toEqual({ Color: 'blue' })
    await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(await attributesOf('A')).toEqual({ Color: 'red' })
  })

  it('is not a request whose revert was reverted: it is reverted again, and what others changed since is kept', async () => {
    await upsert([{ productCode: 'A', attributes: { Color: 'red', Size: 'S' } }])
    await add('x', 'A')
    const before = await stateOf(gateway, store)
    const request = await mutateAll(
      `upsertProducts(storeUuid: $store, products: $products) { createdSkus }
      deleteAssets(selectors: [{storeUuid: $store, assetId: ["x"]}]) { deletedCount }`,
      [{ productCode: 'A', attributes: { Color: 'blue', Size: 'M' } }, { productCode: 'B' }],
    )
    const after = await stateOf(gateway, store)
    let last = request
    for (const id of [request, 'last', request, 'last', 'last']) {
      const given = id === 'last' ? last : id
      last = (await revert(gateway, store, given, { policy: 'FAIL' })).requestId
    }
    expect(await stateOf(gateway, store)).toEqual(before)
    await expect(revert(gateway, store, request)).rejects.toMatchObject({ code: 'not_revertible' })
    await revert(gateway, store, last, { policy: 'FAIL' })
    const { products: _, ...others } = after
    expect(await stateOf(gateway, store)).toMatchObject(others)

    await put('A', { Color: 'green' })
    const { skipped } = await revert(gateway, store, request)
    expect(skipped).toEqual([skip('PRODUCT', 'A', 'Color')])
    expect(await attributesOf('A')).toEqual({ Color: 'green', Size: 'S' })
    expect(await linksOf('A')).toEqual(['x'])
  })

  it('is not a request that goes on after its revert', async () => {
    const id = randomUUID()
    const post = (product_code: string, requestId: string = id) => send('POST', requestId, [{ product_code }])
    await post('A')
    await revert(gateway, store, id)
    await post('B')
    await post('A', 'another')
    const { reverted, skipped } = await revert(gateway, store, id)
    expect({ reverted, skipped }).toMatchObject({ reverted: { products: 1 }, skipped: [skip('PRODUCT', 'A', null)] })
    expect([await attributesOf('A'), await attributesOf('B')]).toEqual([{}, undefined])
  })

  it('is a request that may have begun before the oldest change that is kept', async () => {
    // Citus updates by immutable functions only.
    const moved = (column: string, by: string) =>
      sql`(${sql.ref(column)} at time zone 'UTC' + ${sql.lit(by)}::interval) at time zone 'UTC'`
    const request = await put('A', { Color: 'red' })
    const { db } = gateway.database
    await sql`update change_horizon set seq = 1, since = ${moved('since', '-2 days')}`.execute(db)
    const state = await stateOf(gateway, store)
    await sql`update change set at = (date_trunc('day', at at time zone 'UTC') + interval '14 minutes')
      at time zone 'UTC' where request_id = ${request}`.execute(db)
    await expect(revert(gateway, store, request)).rejects.toMatchObject({
      code: 'not_revertible',
      message: expect.stringContaining('older than the ledger'),
    })
    expect(await stateOf(gateway, store)).toEqual(state)
    await sql`update change set at = ${moved('at', '2 minutes')} where request_id = ${request}`.execute(db)
    await revert(gateway, store, request)
    await sql`update change_horizon set seq = 0, since = ${moved('since', '2 days')}`.execute(db)
  })

  it('is a request before a gap in the ledger, or while something writes without recording', async () => {
    const request = await put('A', { Color: 'red' })
    const { db } = gateway.database
    const refused = { code: 'not_revertible', message: expect.stringContaining('older than the ledger') }
    await setRecording(db, false)
    await expect(revert(gateway, store, request)).rejects.toMatchObject(refused)
    await setRecording(db, true)
    await expect(revert(gateway, store, request)).rejects.toMatchObject(refused)
    expect(await attributesOf('A')).toEqual({ Color: 'red' })
    await revert(gateway, store, await put('A', { Color: 'blue' }))
    expect(await attributesOf('A')).toEqual({ Color: 'red' })
  })

  it('is a request with more than 100,000 changes', async () => {
    const items = (n: number) => Array.from({ length: n }, (_, i): [string, null, null] => [`sku-${i}`, null, null])
    for (const n of [100_000, 1]) {
      await addChange(gateway.database.db, { store, requestId: 'large', action: 'created', items: items(n) })
    }
    const { status, entries } = await callRest(gateway, `POST /requests/large/revert?store_uuid=${store}`)
    const details = expect.stringMatching(/at most 100000 changes.*it has 100001: use `catalog revert`/)
    expect({ status, entries }).toMatchObject({ status: 413, entries: [{ details }] })
  })

  it('is an attribute alone of a product that is gone, whatever its code', async () => {
    const codes = ['__proto__', 'constructor']
    const change = (Color: string) => upsert(codes.map((productCode) => ({ productCode, attributes: { Color } })))
    await change('red')
    const request = await change('blue')
    for (const code of codes) await remove(code)
    const { skipped } = await revert(gateway, store, request, { policy: 'OVERWRITE' })
    expect(skipped).toEqual(codes.map((code) => skip('PRODUCT', code, 'Color', 'gone')))
  })

  it('is a product that would grow too large', async () => {
    const large = Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`L${i}`, 'x'.repeat(60_000)]))
    const empty = Object.fromEntries(Object.keys(large).map((name) => [name, '']))
    const other = Object.fromEntries(Object.entries(large).map(([name, value]) => [`other ${name}`, value]))
    await put('A', { ...large, Color: 'red' })
    const request = await put('A', { ...empty, Color: 'blue' })
    await put('A', other)
    const { skipped, reverted } = await revert(gateway, store, request)
    expect(skipped).toHaveLength(46)
    expect(skipped).toContainEqual(skip('PRODUCT', 'A', 'Color', 'too_large'))
    expect(reverted).toMatchObject({ products: 0 })
    expect(await attributesOf('A')).toEqual({ ...empty, ...other, Color: 'blue' })
  })
})

describe('a revert', () => {
  it('of many products does not read the values that others had later', async () => {
    const request = await upsert(Array.from({ length: 101 }, (_, i) => ({ productCode: `sku-${i}` })))
    const items: [string, string, string][] = [['other', 'Color', 'x'.repeat(10_000)]]
    for (let i = 0; i < 100; i++) await addChange(gateway.database.db, { store, requestId: `r${i}`, items })
    const origin = { requestId: randomUUID(), actor: 'a', via: 'rest', operation: 'revertRequest' } as const
    const largeReads = await rolledBackIf(gateway.database.catalogue, true, async (work) => {
      const read = async () => {
        const { rows } = await sql<{ count: number }>`
          select sum(s.idx_scan)::int as count
          from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_stat_xact_all_tables s on s.relid = c.reltoastrelid
          where i.inhparent = 'change'::regclass`.execute(work.db)
        return rows[0]?.count ?? Number.NaN
      }
      const before = await read()
      await revertRequest({ ...work, origin }, store, request, 'SKIP')
      return (await read()) - before
    })
    expect(largeReads).toBeLessThan(100)
  })

  it('of more than 12 MiB is written in parts, in one transaction, and may read more than a request', async () => {
    const { catalogue } = gateway.database
    const codes = Array.from({ length: 220 }, (_, i) => `sku-${i}`)
    const of = (Text: string) => (productCode: string) => ({ productCode, attributes: { Text } })
    const text = 'x'.repeat(60_000)
    for (const part of [codes.slice(110), codes.slice(0, 110)]) await upsert(part.map(of(text)))
    const request = await upsert([...codes.map(of('short')), { productCode: 'new' }])
    await put('sku-7', { Text: 'changed' })
    const origin = { requestId: randomUUID(), actor: 'a', via: 'rest', operation: 'revertRequest' } as const
    gateway.database.statements()
    const context = {
      traceparent: undefined,
      trace: undefined,
      tenant: '',
      tokenId: '',
      readBytes: new ReadBytes(100_000),
    }
    const { signal } = new AbortController()
    const { reverted, skipped } = await requestContext.run({ ...context, requestId: newRequestId(), signal }, () =>
      inTransaction(catalogue, (work) => revertRequest({ ...work, origin }, store, request, 'SKIP')),
    )
    // Eight, as for few products, one that deletes, and two for the second part.
    expect(gateway.database.statements()).toBe(8 + 1 + 2)
    expect({ reverted, skipped }).toMatchObject({ reverted: { products: 220 }, skipped: [{ code: 'sku-7' }] })
    const { rows } = await sql<{ text: string; count: number }>`
      select attributes ->> 'Text' as text, count(*)::int as count from product where store_uuid = ${store}
      group by 1 order by 2`.execute(gateway.database.db)
    expect(rows).toEqual([
      { text: 'changed', count: 1 },
      { text, count: 219 },
    ])
  })

  it('restores a value that a newer definition would refuse', async () => {
    await put('A', { Color: 'red' })
    const request = await put('A', { Color: '7' })
    await mutate('defineAttributes', { definitions: [{ name: 'Color', type: 'NUMBER' }] })
    await revert(gateway, store, request)
    expect(await attributesOf('A')).toEqual({ Color: 'red' })
  })

  it('undoes all that the mutations of one request did, in their order', async () => {
    await put('A', { Color: 'red', Size: 'S' })
    await add('x', 'A')
    const state = await stateOf(gateway, store)
    const request = await mutateAll(
      `one: upsertProducts(storeUuid: $store, products: $products) { createdSkus }
      two: deleteProducts(storeUuid: $store, productCodes: ["A"]) { deletedSkus }
      three: upsertProducts(storeUuid: $store, products: [{productCode: "A", status: "active"}]) { createdSkus }
      four: deleteAssets(selectors: [{storeUuid: $store, assetId: ["x"]}]) { deletedCount }
      five: addAssets(storeUuid: $store, assets: [{assetId: "z", parentCode: "A", url: "https://e.x/z"}]) { added }`,
      [{ productCode: 'A', status: 'draft', attributes: { Color: 'blue', New: 'x' } }],
    )
    const after = await stateOf(gateway, store)
    const { requestId, skipped } = await revert(gateway, store, request)
    expect(skipped).toEqual([])
    expect(await stateOf(gateway, store)).toEqual(state)
    await revert(gateway, store, requestId)
    expect({ ...(await stateOf(gateway, store)), products: undefined }).toEqual({ ...after, products: undefined })
  })
})
