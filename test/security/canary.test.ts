import { InMemorySpanExporter } from '@opentelemetry/sdk-trace'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGlobalConfig } from '../../src/global-config/global-config.ts'
import { tracingTo } from '../../src/tracing/open-telemetry.ts'
import { runCliProcess } from '../support/clients/cli.ts'
import type { Call, Reply } from '../support/clients/http.ts'
import { storeBody, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const canary = 'CANARY-91bd'
const lines: string[] = []
const spans = new InMemorySpanExporter()
const tracing = tracingTo(spans, {})
let gateway: TestGateway
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) })
  gateway = await startTestGateway({ log, tracing })
})
afterAll(async () => {
  await gateway.stop()
  await tracing.close()
})

/** What a caller's secret could come in. */
const bodies: Record<string, [path: string, call: Call]> = {
  'a token that is none': ['/v1/assets', { token: canary }],
  'a token in the form of ours': ['/v1/assets', { token: `cat_${canary.padEnd(43, 'x')}` }],
  'a token in the form of a JSON Web Token': ['/v1/assets', { token: `${canary}.${canary}.${canary}` }],
  'a path': [`/${canary}`, { token: null }],
  'an address': [`/v1/assets?access_token=${canary}&store_uuid=${canary}`, {}],
  'a token in place of a parameter': [`/v1/stores?cat_${canary.padEnd(43, 'x')}`, {}],
  'a cookie': ['/v1/assets', { headers: { cookie: canary } }],
  'an Idempotency-Key': ['/v1/assets', { method: 'DELETE', body: [], headers: { 'idempotency-key': canary } }],
  'a body': ['/v1/stores', { method: 'POST', body: { store_name: 1, password: canary } }],
  'a good body': ['/v1/stores', { method: 'POST', body: storeBody({ store_name: canary }) }],
  'broken JSON': ['/v1/stores', { method: 'POST', body: `{"${canary}` }],
  'broken JSON for GraphQL': ['/graphql', { method: 'POST', body: `{"${canary}` }],
  'a variable': ['/graphql', { method: 'POST', body: { query: '{ __typename }', variables: { v: canary } } }],
  'the name of an operation': [
    '/graphql',
    { method: 'POST', body: { query: `query ${canary.replace('-', '_')} { enumerations { regions } }` } },
  ],
  'an alias': ['/graphql', { method: 'POST', body: { query: '{ CANARY_91bd: enumerations { regions } }' } }],
}
const spellings = /CANARY[-_]91bd/

async function observed(): Promise<string> {
  await new Promise((resolve) => setImmediate(resolve))
  const metrics = await gateway.call('/metrics')
  expect(metrics.status).toBe(200)
  const traced = spans
    .getFinishedSpans()
    .map(({ name, attributes, events, status }) => [name, attributes, events, status])
  return [...lines, metrics.text, JSON.stringify(traced)].join('\n')
}

describe('a secret is in no log, metric or trace when it comes in', () => {
  it.each(Object.entries(bodies))('%s', async (_name, [path, call]) => {
    const before = lines.length
    const reply: Reply = await gateway.call(path, call)
    expect(reply.status).toBeLessThan(500)
    expect(lines.length).toBeGreaterThan(before)
    expect(await observed()).not.toMatch(spellings)
    expect(JSON.stringify((reply.json as { extensions?: object } | undefined)?.extensions ?? {})).not.toMatch(spellings)
  })

  it('a good token', async () => {
    const { secret } = await newToken(gateway, { scopes: ['READ'] })
    const reply = await gateway.call('/v1/assets', { token: secret })
    const all = (await observed()) + reply.text + JSON.stringify(reply.headers)
    expect(all).not.toContain(secret)
    expect(all).not.toContain(token)
  })
})

it('what PostgreSQL quotes of a row when it fails is in no answer, log or trace', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  await sql`alter table product add constraint unforeseen check (product_code <> 'A' or attributes ->> 'Color' is null)`.execute(
    gateway.database.db,
  )
  const body = [{ product_code: 'A', Color: canary }]
  const reply = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
  await sql`alter table product drop constraint unforeseen`.execute(gateway.database.db)
  expect(reply.status).toBe(500)
  expect(reply.text).not.toMatch(/CANARY|unforeseen/)
  const all = await observed()
  expect(all).toMatch(/unforeseen/)
  expect(all).not.toMatch(spellings)
})

it('the password of the database is in no complaint about it', async () => {
  const urls = [
    `postgresql://user:${canary}@127.0.0.1:1/db`,
    `postgresql://user:${canary}@no-such-host.invalid/db`,
    `mysql://user:${canary}@host/db`,
  ]
  for (const DATABASE_URL of urls) {
    const { code, stdout, stderr } = await runCliProcess(['migrate'], { DATABASE_URL, LOG_LEVEL: 'trace' })
    expect(code).not.toBe(0)
    expect(stderr).not.toBe('')
    expect(stdout + stderr).not.toContain(canary)
  }
})

it('nor is one in the address of the global configuration', async () => {
  const before = lines.length
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) })
  for (const url of [
    `http://user:${canary}@127.0.0.1:1/c`,
    `http://127.0.0.1:1/c?key=${canary}`,
    `file:///${canary}`,
  ]) {
    const config = await startGlobalConfig({ globalConfig: url, globalConfigRefreshMs: 60_000 }, log)
    config.stop()
  }
  expect(lines.length).toBe(before + 3)
  expect(lines.slice(before, before + 2).join('\n')).not.toContain(canary)
})
