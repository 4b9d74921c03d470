import { createServer } from 'node:http'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createThreadPool, type PoolOptions } from '../../src/event-loop/thread-pool.ts'
import { createFilterClient } from '../../src/filter-service/client.ts'
import { requestContext } from '../../src/request/context.ts'
import { ReadBytes } from '../../src/request/read-bytes.ts'
import { caughtUp } from '../support/caught-up.ts'
import { send } from '../support/clients/http.ts'
import { ask } from '../support/clients/operations.ts'
import { newStore, productOf, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, token, useGateway } from '../support/servers/gateway.ts'
import { listen } from '../support/servers/loopback.ts'

const silent = pino({ level: 'silent' })
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

const gateway = useGateway()
let store: string
beforeEach(async () => {
  store = await storeWithProducts(gateway, ['A', 'B'])
  gateway.database.statements()
})

const products = () => `/v1/products?store_uuid=${store}`
/** A body with two of them goes to the pool, however few members it has. */
const long = 'x'.repeat(65_535)

describe('a request with a large body', () => {
  it('is answered without a statement of the thread that serves all requests', async () => {
    const body = [
      { product_code: 'A', One: long, Two: long },
      { product_code: 'C', One: 'x' },
      { product_code: 'B', One: 7 },
    ]
    const { status, json } = await gateway.call(products(), { method: 'PUT', body })
    expect(gateway.database.statements()).toBe(0)
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        data: { updated_skus: ['A'], unavailable_skus: ['C'], failed_products: { B: { One: expect.any(String) } } },
      },
    })
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({ One: long, Two: long })
  })

  it('is answered by the pool only if it has many members, when it is not much longer than a small one', async () => {
    const body = (items: number, text: string) =>
      Array.from({ length: items }, (_, i) => ({ product_code: `none ${i}`, Text: text }))
    await gateway.call(products(), { method: 'PUT', body: body(1_000, 'x'.repeat(70)) })
    expect(gateway.database.statements()).toBeGreaterThan(0)
    await gateway.call(products(), { method: 'PUT', body: body(3_000, '') })
    expect(gateway.database.statements()).toBe(0)
  })

  it('is refused in the envelope, with its request id', async () => {
    const headers = { 'x-request-id': 'the id of a large request' }
    const body = `[{"product_code":"A","One":"${long}","Two":"${long}"`
    const { status, json } = await gateway.call(products(), { method: 'PUT', body, headers })
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        status: { code: -1, request_id: 'the id of a large request' },
        data: { error_info: [{ field: 'body' }] },
      },
    })
    expect(gateway.database.statements()).toBe(0)
  })

  it('is done once when it comes twice with a key', async () => {
    const call = {
      method: 'POST',
      body: [{ product_code: 'new', One: long, Two: long }],
      headers: { 'idempotency-key': 'large' },
    }
    const answers = await Promise.all([gateway.call(products(), call), gateway.call(products(), call)])
    expect(answers.map(({ json }) => json)).toMatchObject(upTo(2, () => ({ data: { created_skus: ['new'] } })))
  })

  it('is run as GraphQL too, with its jobs', async () => {
    const input = { content: `sku,One,Two\nimported,${long},${long}\n` }
    const { jobId: id } = await ask(gateway, 'startImport', { storeUuid: store, input }, '{ jobId }')
    await expect.poll(() => ask(gateway, 'job', { id }, '{ state }')).toEqual({ state: 'SUCCEEDED' })
    expect(await productOf(gateway, store, 'imported')).toBeDefined()
  })

  it('is cancelled when its client leaves, down to the statement', async () => {
    await using admin = await gateway.database.client()
    await caughtUp(gateway.database, store)
    await admin.query('begin; lock table product in access exclusive mode')
    const leaving = new AbortController()
    const body = [{ product_code: 'A', One: long, Two: long }]
    const left = send(`${gateway.url}${products()}`, { method: 'PUT', token, body, signal: leaving.signal }).catch(
      () => 'left',
    )
    await expect.poll(gateway.database.lockWaiters).toBe(1)
    leaving.abort()
    expect(await left).toBe('left')
    await expect.poll(gateway.database.lockWaiters).toBe(0)
    await admin.query('commit')
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({})
  })
})

describe('a costly operation', () => {
  const costly = `{ stores(first: 100) { edges { node { storeName products(first: 100) { edges { node { productCode } } } } } } }`

  it('is run without a statement of the thread that serves all requests', async () => {
    const { stores } = await gateway.data(costly)
    expect(stores).toMatchObject({ edges: expect.any(Array) })
    expect(gateway.database.statements()).toBe(0)
  })

  it('is run by the pool too when it comes by GET', async () => {
    const { status, json } = await gateway.call(`/graphql?query=${encodeURIComponent(costly)}`)
    expect({ status, json }).toMatchObject({ status: 200, json: { data: { stores: { edges: expect.any(Array) } } } })
    expect(gateway.database.statements()).toBe(0)
  })
})

describe('a listing through the filtering service in the pool', () => {
  const ends: (() => Promise<unknown> | unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })

  it('sends the id of the request; without an answer the listing is unavailable', async () => {
    const received: unknown[] = []
    const service = createServer((request, response) => {
      received.push(request.headers['x-request-id'])
      request.resume()
      if (received.length > 1) response.writeHead(400).end()
      else response.setHeader('content-type', 'application/json').end('{"total_groups":0,"parent_codes":[]}')
    })
    ends.push(() => service.close())
    const url = `http://127.0.0.1:${await listen(service)}`
    const filterClient = createFilterClient({ url, timeoutMs: 2_000, log: silent })
    const mainThreadLimits = { bytes: 0, members: 0, cost: 0, readBytes: 0 }
    const filtered = await startTestGateway({ filterClient, more: { mainThreadLimits } })
    ends.push(filtered.stop, filterClient.close)
    const listed = { query: `{ assetGroups(storeUuid: "${await newStore(filtered)}") { totalGroups } }` }
    const ask = (id: string) =>
      filtered.call('/graphql', { method: 'POST', body: listed, headers: { 'x-request-id': id } })
    expect((await ask('first')).json).toMatchObject({ data: { assetGroups: { totalGroups: 0 } } })
    expect((await ask('second')).json).toMatchObject({ errors: [{ extensions: { code: 'downstream_unavailable' } }] })
    expect(received).toEqual(['first', 'second'])
  })
})

describe('a pool of threads', () => {
  const pools: ReturnType<typeof createThreadPool>[] = []
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close()
  })
  const entry = new URL('./tasks.ts', import.meta.url)
  const start = (options: Partial<PoolOptions> = {}) => {
    const pool = createThreadPool({ entry, workerData: {}, log: silent, ...options })
    pools.push(pool)
    return (kind: string, input: unknown = undefined, tenant = 'a', signal = new AbortController().signal) => {
      const requestId = { text: kind, header: kind }
      const context = {
        requestId,
        tenant,
        tokenId: '',
        signal,
        traceparent: undefined,
        trace: undefined,
        readBytes: new ReadBytes(),
      }
      return requestContext.run(context, () => pool.run<unknown>({ input: { kind, input } }))
    }
  }
  const unavailable = { code: 'unavailable' }

  it('fails a task that needs more memory than its thread has, and only that one', async () => {
    const run = start({ heapMb: 32 })
    const other = run('sleep', 500, 'b')
    await expect(run('fill the memory')).rejects.toMatchObject(unavailable)
    expect(await other).toBe('slept')
    expect(await run('sleep', 1)).toBe('slept')
  })

  it('cancels a task after its deadline, and ends the thread of one that goes on', async () => {
    const run = start({ deadlineMs: 3_000 })
    await expect(run('until cancelled')).rejects.toMatchObject(unavailable)
    await expect(run('block')).rejects.toMatchObject(unavailable)
    expect(await run('sleep', 1)).toBe('slept')
  })

  it('counts the deadline from the start of the task, not from that of its thread', async () => {
    const run = start({ deadlineMs: 3_000, workerData: { startMs: 4_000 } })
    expect(await run('sleep', 1)).toBe('slept')
  })

  it('restarts the deadline when the task moves on', async () => {
    const run = start({ deadlineMs: 3_000 })
    expect(await run('move on', 1_000)).toBe('done')
  })

  it('ends a task that moves on for longer than all of it may take', async () => {
    const run = start({ deadlineMs: 5_000, maxMs: 500 })
    await expect(run('move on', 1_500)).rejects.toMatchObject({ cause: { message: 'it took more than 0.5 s' } })
  })

  it('starts a thread for others as soon as the first one has a task', async () => {
    const started = new Int32Array(new SharedArrayBuffer(4))
    await start({ hasSpare: true, workerData: { started } })('sleep', 1)
    await expect.poll(() => started[0]).toBe(2)
  })

  it('keeps one thread where a spare one is started: the first task after a pause has no thread to wait for', async () => {
    const threads = new Map<number, boolean>()
    const onWorker = (worker: Worker) => {
      const id = worker.threadId
      threads.set(id, true)
      worker.once('exit', () => threads.set(id, false))
    }
    process.on('worker', onWorker)
    onTestFinished(() => void process.off('worker', onWorker))
    const started = new Int32Array(new SharedArrayBuffer(4))
    const run = start({ hasSpare: true, idleMs: 500, workerData: { started } })
    await run('sleep', 1)
    const running = () => [...threads].flatMap(([id, isRunning]) => (isRunning ? [id] : []))
    await expect.poll(() => started[0]).toBeGreaterThan(1)
    await expect.poll(running).toHaveLength(1)
    const kept = running()
    expect(kept).toEqual([await run('name the thread')])
  })

  it('starts no thread once it is closed', async () => {
    const run = start()
    await pools[0]?.close()
    await expect(run('sleep', 1)).rejects.toMatchObject(unavailable)
  })

  it('leaves a thread to other tenants, however many tasks one tenant has', async () => {
    const run = start({ deadlineMs: 600_000 })
    const leaving = new AbortController()
    const many = upTo(5, () => run('until cancelled', undefined, 'a', leaving.signal))
    expect(await run('sleep', 1, 'b')).toBe('slept')
    leaving.abort()
    expect((await Promise.allSettled(many)).map(({ status }) => status)).toEqual(upTo(5, () => 'rejected'))
  })

  it('removes a task that waits, and cancels one that runs, when its client leaves', async () => {
    // Only the client ends the task: its deadline is longer than the test.
    const logged: string[] = []
    const log = pino({}, { write: (line: string) => logged.push(line) })
    const run = start({ deadlineMs: 600_000, log })
    const leaving = new AbortController()
    await run('sleep', 1) // then the thread of the token has started
    const running = run('until cancelled', undefined, 'a', leaving.signal)
    const waiting = run('sleep', 1, 'a', leaving.signal)
    setTimeout(() => leaving.abort(), 800)
    await expect(waiting).rejects.toThrow('left')
    await expect(running).rejects.toMatchObject(unavailable)
    await expect(run('until cancelled', undefined, 'a', leaving.signal)).rejects.toMatchObject(unavailable)
    expect(logged).toEqual([])
  })
})
