import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFilterClient, type FilterClient } from '../../src/filter-service/client.ts'
import { codesIn } from '../support/clients/rest-client.ts'
import { newStore, storeWithAssets } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { answer, currentFilter, type FaultyFilter, faults, startFaultyFilter } from './support/faulty-filter.ts'
import { figure, isLong } from './support/scale.ts'

/** In service the deadline is 2,000 ms and the probe comes after 10,000. */
const timeoutMs = isLong ? 2_000 : 500
const probeAfterMs = isLong ? 10_000 : 5_000
/** What an answer may take beyond the deadline: the short form shares its machine with other tests. */
const allowance = isLong ? 50 : 10_000

let faulty: FaultyFilter
let remote: FilterClient
let gateway: TestGateway
let store: string
beforeAll(async () => {
  faulty = await startFaultyFilter()
  const current = currentFilter({ url: faulty.url, timeoutMs }, () => remote)
  gateway = await startTestGateway({ filterClient: current })
  store = await storeWithAssets(gateway, [
    '1 A',
    '2 B',
    '3 C',
    ['4', 'P', { assetFormat: 'pdf' }],
    ['5', 'Q', { channel: 'channel_value_1' }],
  ])
})
afterAll(async () => {
  await gateway.stop()
  await faulty.close()
})
beforeEach(() => {
  remote = createFilterClient({ url: `${faulty.url}/base/`, timeoutMs, probeAfterMs, log: pino({ level: 'silent' }) })
  faulty.does(answer({ total_groups: 7, parent_codes: ['C', 'A'] }))
  faulty.calls()
})
afterEach(() => remote.close())

const listing = (query = '') => gateway.call(`/v1/assets?store_uuid=${store}${query}`)

async function timed<T>(work: () => Promise<T>): Promise<[answer: T, milliseconds: number]> {
  const begun = performance.now()
  return [await work(), performance.now() - begun]
}

describe('the listing over a filtering service', () => {
  it('shows what the filter chose, in its order, over both APIs', async () => {
    const { status, text, json } = await listing()
    expect(status).toBe(200)
    expect(codesIn(text)).toEqual(['C', 'A'])
    expect(json).toMatchObject({ data: { total_groups: 7, returned_groups: 2 } })
    const page = '{ totalGroups returnedGroups groups { parentCode assets { assetId } } }'
    const document = `{ assetGroups(storeUuid: "${store}") ${page} store(storeUuid: "${store}") { assetGroups ${page} } }`
    const expected = {
      totalGroups: 7,
      returnedGroups: 2,
      groups: [
        { parentCode: 'C', assets: [{ assetId: '3' }] },
        { parentCode: 'A', assets: [{ assetId: '1' }] },
      ],
    }
    expect(await gateway.data(document)).toEqual({ assetGroups: expected, store: { assetGroups: expected } })
  })

  it('asks by the contract, and passes the request id and the trace on', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = { 'x-request-id': 'Jäger-7', traceparent }
    await gateway.call(`/v1/assets?store_uuid=${store}&offset=3&limit=2`, {
      headers: { ...headers, 'x-request-id': Buffer.from(headers['x-request-id']).toString('latin1') },
    })
    const head = Buffer.from(faulty.latest(), 'latin1').toString()
    expect(head).toMatch(/^POST \/base\/filter HTTP\/1\.1\r\n/)
    expect(head).toContain('x-request-id: Jäger-7')
    expect(head).toContain(`traceparent: ${traceparent}`)
  })

  it('never shows a code that the store does not have, nor a group of another channel, format or store', async () => {
    const other = await storeWithAssets(gateway, [['1', 'FOREIGN']])
    const codes = ['FOREIGN', 'P', 'A', 'Q', 'nowhere', '', 'N\0', '\ud800', 'x'.repeat(70_000), '__proto__']
    faulty.does(answer({ total_groups: 10, parent_codes: codes }))
    const { status, text, json } = await listing()
    expect([status, codesIn(text)]).toEqual([200, ['A']])
    expect(json).toMatchObject({ data: { total_groups: 10, returned_groups: 1 } })
    expect(text).not.toContain(other)
  })

  it('does not ask about a store that does not exist', async () => {
    const { status } = await gateway.call('/v1/assets?store_uuid=01a1fdce-152f-72ec-a6dd-356a6c047a6d')
    expect([status, faulty.calls()]).toEqual([404, 0])
  })

  it('keeps its connections', async () => {
    for (let i = 0; i < 5; i++) await listing()
    expect(faulty.connections()).toBe(1)
  })

  it('tries again when the connection broke, and the caller sees nothing of it', async () => {
    let first = true
    faulty.does((socket) => {
      if (first) socket.resetAndDestroy()
      else answer({ total_groups: 1, parent_codes: ['A'] })(socket)
      first = false
    })
    expect((await listing()).status).toBe(200)
    expect(faulty.calls()).toBe(2)
  })
})

describe(`a filter that fails (deadline ${timeoutMs} ms)`, () => {
  let slowest = 0
  const cases = Object.entries(faults)
  it.each(cases)('%s: 502 in time, and 200 once it has recovered', async (_name, fault) => {
    const rss = process.memoryUsage.rss()
    faulty.does(fault)
    const [{ status, json }, ms] = await timed(listing)
    slowest = Math.max(slowest, ms)
    expect(status).toBe(502)
    expect(json).toMatchObject({
      status: { code: -1, message: 'ERROR' },
      data: { error_info: [{ reason: 'downstream_unavailable' }] },
    })
    expect(ms).toBeLessThan(timeoutMs + allowance)
    expect(process.memoryUsage.rss() - rss).toBeLessThan((isLong ? 20 : 60) * 1024 * 1024)
    faulty.does(answer({ total_groups: 1, parent_codes: ['A'] }))
    expect((await listing()).status).toBe(200)
  })

  it('refuses connections: 502, not ready, and recovered by itself', async () => {
    expect((await gateway.call('/ready')).status).toBe(200)
    await faulty.refuse()
    expect((await listing()).status).toBe(502)
    expect((await gateway.call('/ready')).status).toBe(503)
    await faulty.listen()
    expect((await listing()).status).toBe(200)
    expect((await gateway.call('/ready')).status).toBe(200)
    figure(6, `${cases.length + 1} faults, each 502 in the envelope; slowest ${Math.round(slowest)} ms of ${timeoutMs}`)
  })
})

describe('the circuit breaker', () => {
  it('opens after five failures, answers at once without a call, probes, and closes after one success', async () => {
    faulty.does(answer('', { status: '500 Internal Server Error' }))
    for (let i = 0; i < 4; i++) expect((await listing()).status).toBe(502)
    expect(remote.circuit()).toBe('closed')
    expect((await listing()).status).toBe(502)
    expect(remote.circuit()).toBe('open')
    const opened = Date.now()
    faulty.calls()

    const waits: number[] = []
    for (let i = 0; i < 20; i++) {
      const [{ status }, ms] = await timed(listing)
      expect(status).toBe(502)
      waits.push(ms)
    }
    expect(faulty.calls()).toBe(0)
    const median = waits.sort((a, b) => a - b)[10] ?? Infinity
    expect(median).toBeLessThan(isLong ? 10 : timeoutMs)
    expect((await gateway.call(`/v1/products?store_uuid=${store}`)).status).toBe(200)
    expect(await newStore(gateway)).toMatch(/^[0-9a-f-]{36}$/)

    await sleep(opened + probeAfterMs + 20 - Date.now())
    faulty.does((socket) => setTimeout(() => answer('', { status: '500 Internal Server Error' })(socket), 100))
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await listing()).status))
    expect([statuses, faulty.calls(), remote.circuit()]).toEqual([[502, 502, 502, 502, 502], 1, 'open'])

    faulty.does(answer({ total_groups: 1, parent_codes: ['A'] }))
    expect((await listing()).status).toBe(502)
    await sleep(probeAfterMs + 20)
    expect((await listing()).status).toBe(200)
    expect(remote.circuit()).toBe('closed')
    figure(
      7,
      `opened after 5; then 502 in ${median.toFixed(1)} ms (median of 20), 0 calls; 1 probe; closed after 1 success`,
    )
  })

  it('begins to count anew after a success', async () => {
    for (let round = 0; round < 3; round++) {
      faulty.does(answer('', { status: '500 Internal Server Error' }))
      for (let i = 0; i < 4; i++) await listing()
      faulty.does(answer({ total_groups: 1, parent_codes: ['A'] }))
      expect((await listing()).status).toBe(200)
    }
  })
})
