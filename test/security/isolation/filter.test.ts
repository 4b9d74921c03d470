import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFilterClient, type FilterClient } from '../../../src/filter-service/client.ts'
import { answer, type FaultyFilter, startFaultyFilter } from '../../faults/support/faulty-filter.ts'
import { newStore } from '../../support/factories.ts'
import { startTestGateway, type TestGateway } from '../../support/servers/gateway.ts'

let faulty: FaultyFilter
let filterClient: FilterClient
let gateway: TestGateway
let store: string
beforeAll(async () => {
  faulty = await startFaultyFilter()
  filterClient = createFilterClient({ url: faulty.url, timeoutMs: 2_000, log: pino({ level: 'silent' }) })
  gateway = await startTestGateway({ filterClient })
  store = await newStore(gateway)
})
afterAll(async () => {
  await gateway.stop()
  await filterClient.close()
  await faulty.close()
})

const list = (channel: string) => gateway.call(`/v1/assets?store_uuid=${store}&channel=${channel}`)

it('a channel longer than any lists nothing, without a call to the filter', async () => {
  const document = `query ($channel: String!) { assetGroups(storeUuid: "${store}", channel: $channel) { totalGroups }
    store(storeUuid: "${store}") { assetGroups(channel: $channel) { totalGroups } } }`
  const nothing = { totalGroups: 0 }
  for (const length of [65, 10_000]) {
    expect((await list('x'.repeat(length))).json).toMatchObject({ data: { total_groups: 0, assets: {} } })
    const { data } = await gateway.graphql(document, { channel: 'x'.repeat(6 * length) })
    expect(data).toEqual({ assetGroups: nothing, store: { assetGroups: nothing } })
  }
  expect(faulty.calls()).toBe(0)
  expect((await list('x'.repeat(64))).status).toBe(200)
  expect(faulty.calls()).toBe(1)
})

it.each(['400 Bad Request', '413 Content Too Large', '429 Too Many Requests'])(
  'calls that the filter refuses with %s do not open its circuit',
  async (status) => {
    faulty.does(answer({}, { status }))
    for (let i = 0; i < 8; i++) expect((await list('SMP')).status).toBe(502)
    expect([filterClient.circuit(), faulty.calls()]).toEqual(['closed', 8])
    faulty.does(answer({ total_groups: 0, parent_codes: [] }))
    expect((await list('SMP')).status).toBe(200)
    faulty.calls()
  },
)
