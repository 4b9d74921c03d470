import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createFilterClient } from '../../src/filter-service/client.ts'
import { tracingTo } from '../../src/tracing/open-telemetry.ts'
import { startTracing } from '../../src/tracing/start-tracing.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, token } from '../support/servers/gateway.ts'
import { listen } from '../support/servers/loopback.ts'
import { startProgram } from '../support/servers/program.ts'

const traceId = 'af7651916cd43dd8448eb211c80319c7'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

const ends: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A server that keeps what is sent to it and answers the same to everything. */
async function listener(
  answer: string,
): Promise<{ url: string; heard: { headers: IncomingHttpHeaders; body: string }[] }> {
  const heard: { headers: IncomingHttpHeaders; body: string }[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.setHeader('content-type', 'application/json').end(answer)
  })
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, heard }
}

/** A gateway whose spans are kept, with a filtering service. */
async function tracedGateway(env: Record<string, string> = {}) {
  const exporter = new InMemorySpanExporter()
  const tracing = tracingTo({ export: exporter.export.bind(exporter), shutdown: async () => {} }, env)
  const filter = await listener('{"total_groups":0,"parent_codes":[]}')
  const filterClient = createFilterClient({ url: filter.url, timeoutMs: 2_000, log: pino({ level: 'silent' }) })
  const gateway = await startTestGateway({ tracing, filterClient })
  ends.push(gateway.stop, filterClient.close)
  const finished = async () => {
    await tracing.close()
    return exporter.getFinishedSpans()
  }
  return { gateway, filter, finished }
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId

describe('tracing', () => {
  it.each([
    ['introspection of fields', '{ __schema { types { fields { name } } } }', true],
    ['introspection of names', '{ __schema { types { name } } }', false],
  ])('shows where an operation runs: %s', async (_, query, isInPool) => {
    const { gateway, finished } = await tracedGateway()
    expect((await gateway.post(query)).status).toBe(200)
    expect((await finished()).some(({ name }) => name === 'pool')).toBe(isInPool)
  })

  it('has HTTP, the GraphQL operation, SQL and the call of the filter in the one trace of the caller', async () => {
    const { gateway, filter, finished } = await tracedGateway()
    const store = await newStore(gateway)
    await gateway.call(`/v1/assets?store_uuid=${store}`, { headers: { traceparent, 'x-request-id': 'traced' } })
    const spans = (await finished()).filter((span) => span.spanContext().traceId === traceId)
    const named = (name: string) => spans.find((span) => span.name === name)
    const [http, operation, call] = [named('rest ListAssets'), named('ListAssets'), named('filter')]
    expect(parentOf(http)).toBe('b7ad6b7169203331')
    expect(parentOf(operation)).toBe(http?.spanContext().spanId)
    expect(parentOf(call)).toBe(operation?.spanContext().spanId)
    expect(filter.heard[0]?.headers.traceparent).toBe(`00-${traceId}-${call?.spanContext().spanId}-01`)
    const statements = spans.filter((span) => span.attributes['db.system.name'] === 'postgresql')
    expect(statements.length).toBeGreaterThan(0)
    const parents = [http, operation, call].map((span) => span?.spanContext().spanId)
    for (const statement of statements) expect(parents).toContain(parentOf(statement))
    expect(http?.attributes).toMatchObject({ 'http.response.status_code': 200, 'catalogue.request_id': 'traced' })
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain(store)
  })

  it('names the spans of POST /graphql by what is asked for', async () => {
    const { gateway, finished } = await tracedGateway()
    await gateway.graphql('{ stores { totalCount } }')
    const names = (await finished()).map(({ name }) => name)
    expect(names).toContain('graphql stores')
    expect(names).toContain('stores')
  })

  it('has the operation of an upload', async () => {
    const { gateway, finished } = await tracedGateway()
    const store = await newStore(gateway)
    const file = { method: 'POST', body: 'product_code\nA\n', headers: { 'content-type': 'text/csv' } }
    expect((await gateway.call(`/v1/imports?store_uuid=${store}`, file)).status).toBe(200)
    const spans = await finished()
    const http = spans.find(({ name }) => name === 'rest StartImport')
    expect(parentOf(spans.find(({ name }) => name === 'StartImport'))).toBe(http?.spanContext().spanId)
  })

  it('samples as OTEL_TRACES_SAMPLER says', async () => {
    const { gateway, finished } = await tracedGateway({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
    await gateway.call('/health')
    await gateway.call('/health', { headers: { traceparent } })
    expect((await finished()).map((span) => span.spanContext().traceId)).toEqual([traceId])
    const wrong = startTracing({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'often' })
    await expect(wrong).rejects.toThrow(/OTEL_TRACES_SAMPLER must be one of always_on, .*; got "often"/)
  })

  it('is off unless the environment asks for it', async () => {
    expect(await startTracing({})).toBeUndefined()
    expect(
      await startTracing({ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }),
    ).toBeUndefined()
    expect(await startTracing({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' })).toBeUndefined()
  })

  it('sends the spans of a running gateway to a receiver of OTLP over HTTP, at the latest when it stops', async () => {
    const receiver = await listener('{}')
    const database = await createTestDatabase({ empty: true })
    ends.push(database.drop)
    const program = await startProgram(['serve'], {
      DATABASE_URL: database.url,
      PORT: '0',
      BOOTSTRAP_TOKEN: token,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SERVICE_NAME: 'catalogue-of-a-test',
    })
    const headers = { authorization: `Bearer ${token}`, traceparent }
    await fetch(`${program.url}/graphql?query={stores{totalCount}}`, { headers })
    await program.end()
    const sent = receiver.heard.map(({ body }) => JSON.parse(body)) as Sent[]
    const attributes = sent.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ resource }) => resource.attributes))
    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'catalogue-of-a-test' } })
    const spans = sent.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    )
    const own = spans.filter((span) => span.traceId === traceId).map(({ name }) => name)
    expect(own).toEqual(expect.arrayContaining(['graphql stores', 'stores', 'select']))
  })
})

interface Sent {
  resourceSpans: { resource: { attributes: unknown[] }; scopeSpans: { spans: { name: string; traceId: string }[] }[] }[]
}
