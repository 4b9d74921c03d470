import { createClient } from 'graphql-sse'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { addChange, itemsOf } from '../catalogue/changes/ledger-rows.ts'
import { ask } from '../support/clients/operations.ts'
import { restData } from '../support/clients/rest-client.ts'
import { settled } from '../support/database/changes.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { token as administrator, startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'

const gateway = useGateway({ more: { streamLimits: { ofToken: 2 } } })
beforeEach((test) => needsPrimary(test, 'writes go past the client'))

/** Subscribes, and collects what comes. */
function subscribe(query: string, variables: Record<string, unknown>, token = administrator, { url } = gateway) {
  const state: { results: unknown[]; isComplete: boolean; error: unknown } = {
    results: [],
    isComplete: false,
    error: undefined,
  }
  const client = createClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  const stop = client.subscribe<Record<string, unknown>>(
    { query, variables },
    {
      next: ({ data, errors }) => state.results.push(errors ?? data),
      error: (error) => {
        state.error = error
      },
      complete: () => {
        state.isComplete = true
      },
    },
  )
  onTestFinished(() => client.dispose())
  return Object.assign(state, { stop })
}

const follow = `subscription ($store: ID!, $after: String, $filter: EventFilter) {
  changes(storeUuid: $store, after: $after, filter: $filter) { type cursor codes keys counts { created updated } revertedBy { cursor } }
}`

describe('Subscription.changes', () => {
  it('sends the changes of a store after a cursor that match', async () => {
    const store = await newStore(gateway)
    await addProducts(gateway, store, ['A1'])
    await settled(gateway.database)
    const { next } = await restData(gateway, `GET /changes?store_uuid=${store}&after=latest`)
    await addProducts(gateway, store, ['A2', 'B'])
    const { results } = subscribe(follow, { store, after: next, filter: { codePrefix: 'A' } })
    const created = (code: string) => ({
      changes: {
        type: 'product.created',
        cursor: expect.any(String),
        codes: [code],
        keys: [],
        counts: { created: 1, updated: 0 },
        revertedBy: null,
      },
    })
    await expect.poll(() => results).toEqual([created('A2')])
    await addProducts(gateway, store, ['C', 'A3'])
    await expect.poll(() => results).toEqual([created('A2'), created('A3')])
  })

  it('is refused before it begins, with the errors as JSON', async () => {
    const store = await newStore(gateway)
    const refusal = async (variables: object, token = administrator, accept = 'text/event-stream') => {
      const body = { query: follow, variables }
      const call = { method: 'POST', body, token, headers: { accept } }
      const { status, json } = await gateway.call('/graphql', call)
      const { errors } = json as { errors: { extensions: { code: string; errorInfo?: { field: string }[] } }[] }
      return [status, errors[0]?.extensions.code, errors[0]?.extensions.errorInfo?.[0]?.field]
    }
    expect(await refusal({ store: 'unknown' })).toEqual([404, 'store_not_found', 'storeUuid'])
    expect(await refusal({ store, after: 'x' })).toEqual([400, 'invalid_request', 'after'])
    expect(await refusal({ store, after: 'MS0xLTAwMDAwMDAw' })).toEqual([410, 'cursor_expired', 'after'])
    expect(await refusal({ store, filter: { types: ['x'] } })).toEqual([400, 'invalid_request', 'filter.types'])
    expect(await refusal({ store, filter: 1 })).toEqual([400, 'invalid_request', undefined])
    expect(await refusal({ store }, administrator, 'application/json')).toEqual([406, 'invalid_request', undefined])
    const writer = await newToken(gateway, { scopes: ['WRITE'] })
    expect(await refusal({ store }, writer.secret)).toEqual([403, 'forbidden', undefined])
    const reader = await newToken(gateway, { scopes: ['READ'] })
    const opened = [1, 2].map(() => subscribe(follow, { store }, reader.secret))
    const metrics = async () => (await gateway.call('/metrics')).text
    await expect.poll(metrics).toContain('catalogue_streams{state="open"} 2')
    expect(await refusal({ store }, reader.secret)).toEqual([429, 'rate_limited', undefined])
    await revoke(gateway, reader.tokenId)
    await expect.poll(() => opened.every(({ error }) => error !== undefined)).toBe(true)
  })

  it('waits for its client while it catches up', async () => {
    const store = await newStore(gateway)
    await settled(gateway.database)
    const { next } = await restData(gateway, `GET /changes?store_uuid=${store}&after=latest`)
    for (let i = 0; i < 40; i++) await addChange(gateway.database.db, { store, items: itemsOf(1_000, 'c'.repeat(200)) })
    await settled(gateway.database)
    const query = 'subscription ($store: ID!, $after: String) { changes(storeUuid: $store, after: $after) { codes } }'
    const subscription = subscribe(query, { store, after: next })
    await expect.poll(() => subscription.results.length).toBe(40)
    expect(subscription.error).toBeUndefined()
  })

  it('is cut at a shutdown without an event `complete`, after which no client would connect again', async () => {
    const other = await startTestGateway({ database: gateway.database })
    const store = await newStore(gateway)
    const subscription = subscribe(follow, { store }, administrator, other)
    await expect.poll(async () => (await other.call('/metrics')).text).toContain('catalogue_streams{state="open"} 1')
    await other.stop()
    await expect.poll(() => subscription.error).toBeDefined()
    expect(subscription.isComplete).toBe(false)
  })

  it('has the limits of documents', async () => {
    const aliases = Array.from({ length: 60 }, (_, i) => `a${i}: type`).join(' ')
    const body = { query: `subscription { changes(storeUuid: "x") { ${aliases} } }` }
    const limited = await newToken(gateway, { scopes: ['READ'] })
    const call = { method: 'POST', body, token: limited.secret, headers: { accept: 'text/event-stream' } }
    const { status, text } = await gateway.call('/graphql', call)
    expect([status, text]).toEqual([400, expect.stringContaining('at most 50 aliases')])
  })

  it('is refused if it is too large for the main thread', async () => {
    const body = { query: follow, variables: { store: await newStore(gateway), unused: 'x'.repeat(300_000) } }
    const call = { method: 'POST', body, headers: { accept: 'text/event-stream' } }
    const { status, text } = await gateway.call('/graphql', call)
    expect([status, text]).toEqual([400, expect.stringContaining('a POST of at most 256 KiB')])
  })

  it('is refused if it has a larger cost than the main thread runs', async () => {
    const mainThreadLimits = { bytes: 2 ** 20, members: 5_000, cost: 0, readBytes: 2 ** 20 }
    await using small = await startTestGateway({ database: gateway.database, more: { mainThreadLimits } })
    const body = { query: follow, variables: { store: await newStore(gateway) } }
    const call = { method: 'POST', body, headers: { accept: 'text/event-stream' } }
    const { status, text } = await small.call('/graphql', call)
    expect([status, text]).toEqual([400, expect.stringContaining('a cost of at most')])
  })

  it('is on the main thread whatever its tenant has read', async () => {
    const store = await newStore(gateway)
    const codes = Array.from({ length: 20 }, (_, i) => `P${i}`)
    const fill = (productCode: string) => ({ productCode, attributes: { text: 'x'.repeat(60_000) } })
    await ask(gateway, 'upsertProducts', { storeUuid: store, products: codes.map(fill) }, '{ createdSkus }')
    await gateway.data(
      'query ($store: ID!) { store(storeUuid: $store) { products(first: 20) { nodes { attributes } } } }',
      { store },
    )
    await settled(gateway.database)
    const { next } = await restData(gateway, `GET /changes?store_uuid=${store}&after=latest`)
    const { results } = subscribe(follow, { store, after: next })
    await addProducts(gateway, store, ['A'])
    await expect.poll(() => results).toHaveLength(1)
  })
})

describe('Subscription.job', () => {
  const watch = 'subscription ($id: ID!) { job(id: $id) { state rowsDone } }'

  it('sends the states of a job until its end, and completes', async () => {
    const store = await newStore(gateway)
    await addProducts(gateway, store, ['A', 'B'])
    const { jobId } = await ask(gateway, 'startExport', { storeUuid: store, format: 'JSONL' }, '{ jobId }')
    const subscription = subscribe(watch, { id: jobId })
    await expect.poll(() => subscription.isComplete).toBe(true)
    expect(subscription.results.at(-1)).toEqual({ job: { state: 'SUCCEEDED', rowsDone: 2 } })
  })

  it('is null for an unknown job, and completes', async () => {
    const subscription = subscribe(watch, { id: '019aa000-0000-7000-8000-000000000001' })
    await expect.poll(() => subscription.isComplete).toBe(true)
    expect(subscription.results).toEqual([{ job: null }])
  })
})
