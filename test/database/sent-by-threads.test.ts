import { afterAll, beforeAll, expect, it } from 'vitest'
import { setRequirements, settled } from '../catalogue/readiness/support.ts'
import { runJob, startExport, startImport } from '../jobs/support.ts'
import { readVolatility, violationsOf } from '../support/database/one-store.ts'
import { define, newStore, query, storeWithAssets } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { startStatementProxy } from '../support/servers/statement-proxy.ts'

/** Threads have modules of their own, so their statements are read from the network. */
let proxy: Awaited<ReturnType<typeof startStatementProxy>>
let gateway: TestGateway
beforeAll(async () => {
  proxy = await startStatementProxy()
  // All requests are answered in threads.
  const mainThreadLimits = { bytes: -1, members: -1, cost: -1, readBytes: -1 }
  gateway = await startTestGateway({ connection: proxy.connection, more: { mainThreadLimits } })
})
afterAll(async () => {
  await gateway.stop()
  await proxy.close()
})

async function call(method: string, path: string, body?: unknown): Promise<string> {
  const { status, text, headers } = await gateway.call(`/v1${path}`, { method, ...(body !== undefined && { body }) })
  expect(status, `${method} ${path}: ${text}`).toBe(200)
  return String(headers['x-request-id'])
}

it('statements of threads, jobs, the job queue and the reader name one store', async () => {
  const store = await storeWithAssets(gateway, [['a', 'P0']])
  const ofStore = `store_uuid=${store}`
  const product = { product_code: 'P1', Color: 'red', 'Image URL 1': 'https://a.example/1' }
  await call('POST', `/products?${ofStore}`, [product])
  await define(gateway, store, [{ name: 'Color', type: 'TEXT', filterable: true, searchable: true }])
  await setRequirements(gateway, store, 'SMP', [{ code: 'title', kind: 'ATTRIBUTE', attribute: 'Title' }])
  await newStore(gateway, {}, `?linked_store_id=${store}&copy_taxonomy=true`)
  const changed = await call('PUT', `/products?${ofStore}`, [{ product_code: 'P1', Color: 'blue' }])
  await call('POST', `/assets?${ofStore}`, [{ parent_code: 'P1', assets: { 'Image URL 2': 'https://a.example/2' } }])
  for (const path of ['/assets?', '/products?', '/changes?']) await call('GET', `${path}${ofStore}`)
  await call('GET', `/requests/${changed}?${ofStore}`)
  await call('POST', `/requests/${changed}/revert?${ofStore}`)
  const { result } = await query<{ products: unknown }>(gateway, listings, { store })
  expect(result.products).toMatchObject({ totalCount: 1 })
  const input = { content: 'id,Color\nA,red\nP1,green\n', code: 'id' }
  // The first import into a store is copied.
  for (const storeUuid of [store, await newStore(gateway)])
    expect(await runJob(startImport, { storeUuid, input }, gateway)).toMatchObject({ state: 'SUCCEEDED' })
  expect(await runJob(startExport, { storeUuid: store }, gateway)).toMatchObject({ state: 'SUCCEEDED' })
  await settled(gateway, store, 'SMP')
  await call('DELETE', '/assets', [{ store_uuid: store, asset_id: 'a' }])
  await expectOneStore()
})

const listings = `query ($store: ID!) { result: store(storeUuid: $store) {
  products(first: 5, filter: { search: "re", attributes: [{ name: "Color", eq: "red" }] }) {
    totalCount nodes { productCode assetGroups { assets { assetId } } }
  }
} }`

async function expectOneStore(): Promise<void> {
  const client = await gateway.database.client()
  const volatility = await readVolatility(client).finally(() => client.end())
  const texts = Array.from(proxy.texts)
  for (const part of ['write_products', 'copy ', 'job_queue', 'oldest_open', 'queued_stores'])
    expect(texts.filter((text) => text.includes(part)).length, part).toBeGreaterThan(0)
  for (const text of texts) expect(await violationsOf(text, volatility), text).toEqual([])
}
