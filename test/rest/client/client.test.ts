import { createServer, request as forward, type Server } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createCatalogueClient } from '../../../rest/client/catalogue-client.ts'
import { CatalogueApiError } from '../../../rest/client/send.ts'
import { ask } from '../../support/clients/operations.ts'
import { storeBody, storeWithAssets, unknownStore } from '../../support/factories.ts'
import { needsPrimary } from '../../support/needs-primary.ts'
import { token } from '../../support/servers/gateway.ts'
import { useGatewayBehindProxy } from '../../support/servers/gateway-behind-proxy.ts'
import { listen } from '../../support/servers/loopback.ts'

const gateway = useGatewayBehindProxy()

const client = (baseUrl = gateway.url) => createCatalogueClient({ baseUrl: `${baseUrl}/v1`, token })
const newStore = {
  ...(storeBody() as Parameters<ReturnType<typeof client>['createStore']>[0]),
  store_name: 'of a client',
}
const url = (name: string) => `https://cdn.example.com/${name}.jpg`

describe('the typed client', () => {
  it('has each operation', async () => {
    const { createStore, createProducts, updateProducts, placeAssets, listProducts, unlinkAssets, deleteAssets } =
      client()
    const { store_uuid } = await createStore(newStore)
    const created = await createProducts({ store_uuid }, [
      { product_code: '1', 'Image URL 1': url('a') },
      { product_code: '2' },
    ])
    expect(created).toEqual({ store_uuid, created_skus: ['1', '2'], existing_skus: [], failed_products: {} })
    const { next } = await client().listChanges({ store_uuid, after: 'latest' })
    expect(next).toEqual(expect.any(String))
    await expect(client().getRequest('a request/1', { store_uuid })).rejects.toMatchObject({ status: 404 })
    expect((await updateProducts({ store_uuid }, [{ product_code: '2', status: 'active' }])).updated_skus).toEqual([
      '2',
    ])
    // @ts-expect-error: a status is written in lower case, for the service too
    const { failed_products } = await updateProducts({ store_uuid }, [{ product_code: '2', status: 'Active' }])
    expect(failed_products).toMatchObject({ 2: { status: expect.any(String) } })
    const placed = await placeAssets({ store_uuid }, [{ parent_code: '1', assets: { 'Image URL 1': url('b') } }])
    expect(placed).toMatchObject({ created: 1, updated: 0, failed: 0 })
    const { products } = await listProducts({ store_uuid, sku_codes: ['1'] })
    const [first, second] = products[1]?.assets.SMP ?? []
    expect([first?.['Image URL 1'], second?.['Image URL 2']]).toEqual([url('b'), url('a')])
    const link = { store_uuid, parent_code: '1', channel: 'SMP', asset_id: first?.asset_id ?? '' }
    expect((await unlinkAssets([link])).unlinked).toBe(1)
    expect((await deleteAssets([{ store_uuid, parent_code: '1' }], { dry_run: true })).deleted_count).toBe(1)
    expect((await client().listAssets({ store_uuid })).total_groups).toBe(1)
    const { upsertProducts, patchProducts, deleteProducts } = client()
    const upserted = await upsertProducts({ store_uuid }, [{ product_code: '1', Color: 'red' }, { product_code: '3' }])
    expect(upserted).toEqual({ store_uuid, created_skus: ['3'], updated_skus: ['1'], failed_products: {} })
    const patched = await patchProducts({ store_uuid }, [{ product_code: '1', attributes_to_remove: ['Color'] }])
    expect(patched.updated_skus).toEqual(['1'])
    expect((await deleteProducts({ store_uuid }, ['3', '9'])).error_info).toMatchObject([{ product_code: '9' }])
    expect(Object.keys((await listProducts({ store_uuid, sku_code: ['1', '2,'] })).products)).toEqual(['1'])
  })

  it('imports bytes and streams, and returns the rows that failed', async () => {
    const { createStore, startImport, getImport, importFailures } = client()
    const { store_uuid } = await createStore(newStore)
    const file = new Blob(['id,status\nA,sold\n'])
    for (const body of [file, new Uint8Array(await file.arrayBuffer()), file.stream()]) {
      const { job_id } = await startImport({ store_uuid, code: 'id', map: ['id=Id'] }, body)
      await expect.poll(async () => (await getImport(job_id)).state).toBe('succeeded with failures')
      expect(await (await importFailures(job_id)).text()).toMatch(/\n1,status,.*,A,sold\n$/)
    }
    await expect(startImport({ store_uuid: unknownStore() }, file)).rejects.toMatchObject({ reason: 'store_not_found' })
  })

  it('iterates over all pages of assets', async () => {
    const codes = Array.from({ length: 123 }, (_, i) => `code-${String(i).padStart(3, '0')}`)
    const store_uuid = await storeWithAssets(
      gateway,
      codes.map((code) => [code, code]),
    )
    const seen: string[] = []
    for await (const { parent_code } of client().allAssets({ store_uuid })) seen.push(parent_code)
    expect(seen).toEqual(codes)
    const few: string[] = []
    for await (const group of client().allAssets({ store_uuid, offset: 100, limit: 7 })) few.push(group.parent_code)
    expect(few).toEqual(codes.slice(100))
  })

  it('throws an error answer with its reason, its faults and the id of the request, at once', async () => {
    const refused = client()
      .listAssets({ store_uuid: unknownStore() }, { requestId: 'mine' })
      .catch((error) => error)
    expect(await refused).toBeInstanceOf(CatalogueApiError)
    expect(await refused).toMatchObject({
      status: 404,
      reason: 'store_not_found',
      requestId: 'mine',
      errorInfo: [{ field: 'store_uuid' }],
    })
  })

  it('waits while the database is away, and goes on', async () => {
    const { store_uuid } = await client().createStore(newStore)
    await gateway.cut()
    const listed = client().listProducts({ store_uuid })
    setTimeout(() => gateway.restore(), 500)
    expect((await listed).total_products).toBe(0)
  })

  it('follows events through an outage that lasts longer than its retries', async (test) => {
    needsPrimary(test, 'another client writes')
    const { store_uuid } = await client().createStore(newStore)
    const { next } = await client().listChanges({ store_uuid, after: 'latest' })
    const statuses: number[] = []
    const recording: typeof fetch = async (...request) => {
      const answer = await fetch(...request)
      statuses.push(answer.status)
      return answer
    }
    const { events } = createCatalogueClient({ baseUrl: `${gateway.url}/v1`, token, retries: 0, fetch: recording })
    await gateway.cut()
    const stop = new AbortController()
    // The feed may be behind the store's creation.
    const query = { store_uuid: [store_uuid], types: 'product.created', ...(next != null && { after: next }) }
    const first = events(query, { signal: stop.signal }).next()
    first.catch(() => {})
    await expect.poll(() => statuses).toContain(503)
    await gateway.restore()
    await client().createProducts({ store_uuid }, [{ product_code: '1' }])
    expect((await first).value).toMatchObject({ codes: ['1'] })
    stop.abort()
  })

  it('sends a write again under its idempotency key when the answer was lost, so that it is done once', async (test) => {
    needsPrimary(test, 'another client writes')
    const proxy = losingAnswers(2)
    const port = await listen(proxy)
    const store_name = 'made once'
    const { store_uuid } = await client(`http://127.0.0.1:${port}`).createStore({ ...newStore, store_name })
    const filter = { search: store_name }
    expect(await ask(gateway, 'stores', { filter }, '{ nodes { storeUuid } }')).toEqual({
      nodes: [{ storeUuid: store_uuid }],
    })
    proxy.closeAllConnections()
    proxy.close()
  })

  it('ends when its caller gives up', async () => {
    await gateway.cut()
    const signal = AbortSignal.timeout(100)
    await expect(client().listProducts({ store_uuid: unknownStore() }, { signal })).rejects.toThrow()
    await gateway.restore()
  })
})

/** A way to the gateway that takes so many requests there and loses the answers. */
function losingAnswers(times: number): Server {
  let lost = 0
  return createServer((incoming, outgoing) => {
    const { method, headers, url: path } = incoming
    const onward = forward(`${gateway.url}${path}`, { method, headers }, (answer) => {
      if (lost++ < times) answer.resume().on('end', () => incoming.socket.destroy())
      else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers))
    })
    incoming.pipe(onward)
  })
}
