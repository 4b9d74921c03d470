import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFilterClient, type FilterClient } from '../../src/filter-service/client.ts'
import { send } from '../support/clients/http.ts'
import { type NewLink, storeWithAssets, unknownStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { type Program, startProgram } from '../support/servers/program.ts'

const log = pino({ level: 'silent' })

let builtIn: TestGateway
let service: Program
let filterClient: FilterClient
let remote: TestGateway
let store: string
beforeAll(async () => {
  builtIn = await startTestGateway()
  store = await storeWithAssets(builtIn, [
    ...Array.from({ length: 120 }, (_, i): NewLink => [`a${i}`, `sku-${i}`]),
    'b __proto__',
    'b 1002',
    ['c', 'Ärmel', { channel: 'channel_value_1' }],
    ['d', 'Ärmel', { assetFormat: 'pdf' }],
  ])
  service = await startProgram(['filter-service', '--port', '0'], { DATABASE_URL: builtIn.database.url })
  filterClient = createFilterClient({ url: service.url, timeoutMs: 2_000, log })
  remote = await startTestGateway({ database: builtIn.database, filterClient })
})
afterAll(async () => {
  await remote?.stop()
  await filterClient?.close()
  await service?.end()
  await builtIn.stop()
})

describe('catalog filter-service', () => {
  const queries = [
    '',
    '&limit=7',
    '&offset=49&limit=3',
    '&offset=121',
    '&offset=122',
    '&offset=1000000',
    '&channel=channel_value_1',
    '&channel=unheard-of',
    '&asset_format=pdf',
    '&asset_format=nonsense',
    '&limit=0',
    '&limit=1000',
  ]
  it.each(queries)('through it the listing is what it is without it: %j', async (query) => {
    const path = `/v1/assets?store_uuid=${store}${query}`
    const headers = { 'x-request-id': 'the-same' }
    const local = await builtIn.call(path, { headers })
    const { status, text } = await remote.call(path, { headers })
    expect([status, text]).toEqual([local.status, local.text])
  })

  it('has the contract: total and codes in the order to show', async () => {
    expect(await ask({ ...question(), offset: 119, limit: 2 })).toEqual({
      status: 200,
      body: { total_groups: 122, parent_codes: ['sku-97', 'sku-98'] },
    })
    expect(await ask({ ...question(), store_uuid: unknownStore() })).toEqual({
      status: 200,
      body: { total_groups: 0, parent_codes: [] },
    })
    expect((await ask({ ...question(), channel: '\0' })).body).toEqual({ total_groups: 0, parent_codes: [] })
  })

  it('names what is wrong with a question', async () => {
    const { status, body } = await ask({ ...question(), limit: 0, offset: 'x', channel: undefined })
    expect(status).toBe(400)
    expect(body.error).toMatch(/channel: .*offset: .*limit: /)
    expect((await ask('not an object')).status).toBe(400)
    expect((await ask('x'.repeat(100_000))).status).toBe(413)
  })

  it('is healthy, and serves nothing else', async () => {
    expect(await send(`${service.url}/health`)).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect((await send(`${service.url}/filter`)).status).toBe(405)
    expect((await send(service.url)).status).toBe(404)
  })

  it('may go away and come back: 502 and not ready meanwhile, nothing to restart', async () => {
    const statuses = async () => [
      (await remote.call(`/v1/assets?store_uuid=${store}`)).status,
      (await remote.call('/ready')).status,
    ]
    expect(await service.end()).toEqual([0, null])
    expect(await statuses()).toEqual([502, 503])
    expect((await remote.call(`/v1/products?store_uuid=${store}`)).status).toBe(200)
    const { port } = new URL(service.url)
    service = await startProgram(['filter-service', '--port', port], { DATABASE_URL: builtIn.database.url })
    await expect.poll(statuses).toEqual([200, 200])
  })
})

function question() {
  return { store_uuid: store, channel: 'SMP', asset_format: 'image', offset: 0, limit: 50 }
}

async function ask(body: unknown) {
  const { status, json } = await send(`${service.url}/filter`, { method: 'POST', body: JSON.stringify(body) })
  return { status, body: json as { error?: string } }
}
