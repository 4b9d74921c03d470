import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, send } from '../support/clients/http.ts'
import { openWire } from '../support/clients/wire.ts'
import { databaseUrl, useDatabase } from '../support/database/database.ts'
import { startPostgresProxy } from '../support/servers/fault-proxy.ts'
import { token } from '../support/servers/gateway.ts'
import type { Program } from '../support/servers/program.ts'
import { serve } from '../support/servers/serve.ts'
import { figure, isLong } from './support/scale.ts'

const rounds = isLong ? 10 : 1
/** Each sends a request in the 2 s of the drain, also on a busy machine. */
const clients = isLong ? 100 : 20
/** After so long it is ended by force, with 1. Where its end has no other sign, the short form allows less. */
const forcedMs = 15_000

const database = useDatabase({}, 'each')
let program: Program
afterEach(async () => {
  await program.end('SIGKILL')
})

const statusOfReady = async () => (await program.call('/ready')).status

/** Clients on own connections that send requests until the port refuses them; `allIn`: each has had an answer. */
function crowd(size: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: size })
  const result = { answered: 0, failures: [] as string[] }
  const met = new Set<number>()
  const { promise: allIn, resolve: begin } = Promise.withResolvers<void>()
  const paths = ['/v1/products?store_uuid=none', '/health', '/v1/nowhere', '/graphql?query={__typename}']
  const work = async (client: number) => {
    for (let n = client; ; n++) {
      const { status } = await send(program.url + paths[n % paths.length], { token, agent })
      if (status >= 500) result.failures.push(String(status))
      result.answered++
      if (met.add(client).size === size) begin()
    }
  }
  const working = Array.from({ length: size }, (_, client) =>
    work(client).catch((error: unknown) => {
      if (codeOf(error) !== 'ECONNREFUSED') result.failures.push(codeOf(error))
    }),
  )
  const done = Promise.all(working).then(() => {
    agent.destroy()
    return result
  })
  return { allIn, done }
}

describe.each(['1', '2'])('on SIGTERM, workers: %s', (workers) => {
  const start = () => serve(database, ['--workers', workers])
  beforeEach(async () => {
    program = await start()
  })

  it(`no request of ${clients} clients on kept connections fails, and it ends with 0 within 5 s (${rounds} times)`, {
    timeout: 300_000,
  }, async () => {
    let answered = 0
    for (let round = 0; round < rounds; round++) {
      const all = crowd(clients)
      await all.allIn
      await sleep(200)
      const begun = Date.now()
      expect(await program.end('SIGTERM')).toEqual([0, null])
      expect(Date.now() - begun).toBeLessThan(isLong ? 5_000 : forcedMs)
      const { answered: count, failures } = await all.done
      expect(failures).toEqual([])
      answered += count
      if (round + 1 < rounds) program = await start()
    }
    figure(
      11,
      `${workers} workers, ${rounds} × SIGTERM under ${clients} clients: ${answered} requests, 0 failed; exit 0 within 5 s`,
    )
  })

  it('it is no longer ready at once, then takes no connections, then answers for the last time on those that there are', async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    const answer = async () => {
      const { status, headers } = await program.call('/health', { agent: kept })
      return [status, headers.connection]
    }
    expect(await answer()).toEqual([200, 'keep-alive'])
    const ended = program.end('SIGTERM')
    // At the same time: on a busy machine the drain may be over before the next request.
    await Promise.all([
      expect.poll(statusOfReady, { interval: 10 }).toBe(503),
      expect.poll(answer, { interval: 10, timeout: 10_000 }).toEqual([200, 'close']),
    ])
    const connect = () => program.call('/health').then(() => 'open', codeOf)
    // Another worker may not have closed its port yet.
    if (workers === '1') expect(await connect()).toBe('ECONNREFUSED')
    else await expect.poll(connect).toBe('ECONNREFUSED')
    expect(await ended).toEqual([0, null])
    kept.destroy()
  })

  it('it ends at once when no client is connected', async () => {
    const begun = Date.now()
    expect(await program.end('SIGTERM')).toEqual([0, null])
    expect(Date.now() - begun).toBeLessThan(isLong ? 900 : 2_500) // what it takes to drain
  })

  it('it cuts a request that does not end, and ends with 0', async () => {
    using wire = await openWire(program.url)
    wire.send('PUT /v1/products?store_uuid=none HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ')
    wire.send(`${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[`)
    await sleep(100)
    const begun = Date.now()
    expect(await program.end('SIGTERM')).toEqual([0, null])
    expect(Date.now() - begun).toBeLessThan(isLong ? 5_000 : forcedMs)
  })

  it('a second one ends it at once, with 1', async () => {
    using wire = await openWire(program.url)
    wire.send('GET /health HTTP/1.1\r\nHo')
    await sleep(100)
    program.child.kill('SIGTERM')
    await expect.poll(statusOfReady, { interval: 10 }).toBe(503)
    await sleep(300) // sooner, it is the same signal from the terminal and from npm
    const begun = Date.now()
    program.child.kill('SIGTERM')
    expect(await once(program.child, 'exit')).toEqual([1, null])
    expect(Date.now() - begun).toBeLessThan(isLong ? 500 : forcedMs)
  })
})

it('SIGTERM ends it while its job queue starts on a slow network', async () => {
  const proxy = await startPostgresProxy()
  await proxy.set({ kind: 'latency', ms: 100 })
  // The queue starts a second after the gateway, and takes about another one.
  for (const afterMs of [1_500, 1_900]) {
    const url = databaseUrl({ ...database.direct, ...proxy.connection })
    program = await serve({ url })
    await sleep(afterMs)
    expect(await program.end('SIGTERM')).toEqual([0, null])
  }
  await proxy.close()
})

it.each(['1', '2'])('SIGTERM ends it while the network to PostgreSQL hangs, workers: %s', async (workers) => {
  await using proxy = await startPostgresProxy()
  const url = databaseUrl({ ...database.direct, ...proxy.connection })
  program = await serve({ url }, ['--workers', workers])
  const read = () => program.call(`/v1/products?store_uuid=${randomUUID()}`).catch(codeOf)
  await Promise.all(Array.from({ length: 10 }, read))
  await sleep(1_500) // the queue of jobs has started
  await proxy.set({ kind: 'hang' })
  const asked = Array.from({ length: 10 }, read)
  await sleep(100)
  // By itself: after 15 s it would be ended by force, with 1.
  expect(await program.end('SIGTERM')).toEqual([0, null])
  await Promise.all(asked)
})
