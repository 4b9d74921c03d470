import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createGatewayMetrics } from '../../src/app/gateway-metrics.ts'
import { oldestWriter } from '../../src/catalogue/changes/oldest-writer.ts'
import { connect } from '../../src/database/connection/connect.ts'
import { createMemoryBudget } from '../../src/fair-share/memory-budget.ts'
import { createFilterClient } from '../../src/filter-service/client.ts'
import { startGlobalConfig } from '../../src/global-config/global-config.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { newStore, storeBody } from '../support/factories.ts'
import { keptLog } from '../support/log.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.stop()
  gateway = undefined
})

/** A gateway and the lines that it logs of requests, from a level on. */
async function start(level: string, options: TestGatewayOptions = {}) {
  const { lines, log } = keptLog(level)
  const started = await startTestGateway({ log, ...options })
  gateway = started
  return { gateway: started, requests: () => lines.filter(({ msg }) => msg === 'request') }
}

function figureOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(series))
  return Number(line?.slice(line.lastIndexOf(' ') + 1))
}

const count = 'catalogue_request_duration_seconds_count'

describe('the metrics', () => {
  it('count requests by API, operation and status', async () => {
    const { gateway } = await start('silent')
    const store = await newStore(gateway)
    for (const limit of [1, 2, 0]) await gateway.call(`/v1/assets?store_uuid=${store}&limit=${limit}`)
    await gateway.graphql('query Mine { stores { totalCount } }')
    await gateway.graphql('query Mine { nothing }')
    await gateway.call('/v1/nothing')
    const { text } = await gateway.call('/metrics')
    expect(figureOf(text, `${count}{api="rest",operation="ListAssets",status="200"}`)).toBe(2)
    expect(figureOf(text, `${count}{api="rest",operation="ListAssets",status="400"}`)).toBe(1)
    expect(figureOf(text, `${count}{api="rest",operation="CreateStore",status="200"}`)).toBe(1)
    expect(figureOf(text, `${count}{api="rest",operation="none",status="404"}`)).toBe(1)
    expect(figureOf(text, `${count}{api="graphql",operation="stores",status="200"}`)).toBe(1)
    expect(text).not.toContain('nothing')
    expect(text).not.toContain('Mine')
  })

  it('say for how long an open transaction has held back the feed of changes', async () => {
    const { gateway } = await start('silent')
    await using slow = await gateway.database.client()
    await slow.query('begin')
    await slow.query('select pg_current_xact_id(), pg_sleep(0.3)')
    const { text } = await gateway.call('/metrics')
    const pid = (await slow.query('select pg_backend_pid() as pid')).rows[0].pid
    await expect.poll(() => oldestWriter(gateway.database.db)).toMatchObject({ session: { pid, user: 'catalogue' } })
    expect(figureOf(text, 'catalogue_changes_delay_seconds ')).toBeGreaterThan(0.25)
  })

  it('have buckets that add up, the process, the pool, and nothing of what is not there', async () => {
    const { gateway } = await start('silent')
    for (let i = 0; i < 5; i++) await gateway.call('/health')
    const { text, headers } = await gateway.call('/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const bucket = (bound: string) =>
      `catalogue_request_duration_seconds_bucket{le="${bound}",api="other",operation="none",status="200"}`
    expect(figureOf(text, bucket('+Inf'))).toBe(5)
    expect(figureOf(text, bucket('10'))).toBe(5)
    expect(figureOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
    expect(figureOf(text, 'catalogue_pool_connections{state="idle"}')).toBeGreaterThanOrEqual(0)
    expect(text).not.toMatch(/^catalogue_(configuration|filter)\w*\{/m)
  })

  it('report the state of the pool, the circuit and the configuration', async () => {
    const database = await createTestDatabase({ empty: true })
    const db = connect({ connectionString: database.url }, () => {})
    await sql`select 1`.execute(db)
    const log = pino({ level: 'silent' })
    const globalConfig = await startGlobalConfig(
      { globalConfig: 'file:///nowhere.json', globalConfigRefreshMs: 60_000 },
      log,
    )
    const filterClient = createFilterClient({ url: 'http://127.0.0.1:1', timeoutMs: 1_000, log })
    const parts = {
      kind: undefined,
      threadState: () => ({ busy: 0, waiting: 0 }),
      openStreams: () => 0,
      memory: createMemoryBudget(0),
      replicas: undefined,
      background: () => undefined,
    }
    const metrics = createGatewayMetrics(
      { db, globalConfig, filterClient: { ...filterClient, circuit: () => 'open' }, changesRetention: 0 },
      parts,
    )
    const { body } = await metrics.read()
    expect(figureOf(body, 'catalogue_pool_connections{state="idle"}')).toBe(1)
    expect(figureOf(body, 'catalogue_pool_connections{state="waiting"}')).toBe(0)
    expect(figureOf(body, 'catalogue_filter_circuit{state="open"}')).toBe(1)
    expect(figureOf(body, 'catalogue_configuration_current{source="url"}')).toBe(0)
    expect(figureOf(body, 'catalogue_configuration_failures{source="url"}')).toBe(1)
    globalConfig.stop()
    await filterClient.close()
    await db.destroy()
    await database.drop()
  })

  it('need the token of an administrator, unless they are public', async () => {
    const { gateway } = await start('silent')
    const { status, headers, json } = await gateway.call('/metrics', { token: null })
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(json).toMatchObject({ data: { error_info: [{ reason: 'unauthorized' }] } })
    const { secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
    const refused = await gateway.call('/metrics', { token: secret })
    expect([refused.status, refused.json]).toMatchObject([403, { data: { error_info: [{ reason: 'forbidden' }] } }])
    await gateway.stop()
    const open = await start('silent', { metricsPublic: true })
    expect((await open.gateway.call('/metrics', { token: null })).status).toBe(200)
  })
})

describe('the dashboard for Grafana', () => {
  it('asks for metrics and labels that there are', async () => {
    const { gateway } = await start('silent')
    await gateway.call('/health')
    const { text } = await gateway.call('/metrics')
    const dashboard = await readFile(new URL('../../deploy/grafana/catalogue-gateway.json', import.meta.url), 'utf8')
    const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] }
    const asked = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/(catalogue|nodejs|process)_\w+/g)),
    )
    expect(asked.length).toBeGreaterThanOrEqual(10)
    const names = new Set(asked.map((name) => name?.replace(/_(bucket|count)$/, '')))
    for (const name of names) expect(text).toContain(`# TYPE ${name} `)
    const labels = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? []),
    )
    expect([...new Set(labels)].toSorted()).toEqual(['api', 'le', 'operation', 'state', 'status'])
  })
})

describe('the line of a request', () => {
  it('names the request, the token, the operation, the status and the duration, and is written for writes and refusals', async () => {
    const { gateway, requests } = await start('info')
    await gateway.call('/v1/stores', { method: 'POST', body: storeBody(), headers: { 'x-request-id': 'a-write' } })
    await gateway.call('/v1/assets?store_uuid=', { headers: { 'x-request-id': 'a-refusal' } })
    await gateway.graphql('{ stores { totalCount } }')
    const line = { level: 30, tokenName: 'bootstrap', api: 'rest', durationMs: expect.any(Number) }
    expect(requests()).toMatchObject([
      { ...line, requestId: 'a-write', operation: 'CreateStore', status: 200 },
      { ...line, requestId: 'a-refusal', operation: 'ListAssets', status: 400 },
    ])
  })

  it('is written for reads too at the level debug', async () => {
    const { gateway, requests } = await start('debug')
    await gateway.graphql('{ stores { totalCount } }')
    expect(requests()).toMatchObject([{ level: 20, api: 'graphql', operation: 'stores', status: 200 }])
  })
})
