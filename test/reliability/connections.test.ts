import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { storeBody } from '../support/factories.ts'
import { type Program, startProgram } from '../support/program.ts'
import { openWire, type Wire } from '../support/wire.ts'
import { quantile, send } from './clients.ts'
import { figure, isLong } from './scale.ts'

const kept = isLong ? 10_000 : 1_000
const slow = isLong ? 2_000 : 60
const slowReaders = isLong ? 100 : 10
const token = 'a-token-for-connections'
const authorization = `Authorization: Bearer ${token}`
/** The gateway is cut to 400 MB by the figures; a normal client's p99 to 100 ms, on a machine that does nothing else. */
const calmMs = isLong ? 100 : 1_000

let database: TestDatabase
let program: Program
let store: string
beforeAll(async () => {
  database = await createTestDatabase()
  program = await startProgram(['serve'], { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token })
  const { text } = await send(`${program.url}/v1/stores`, { method: 'POST', token, body: storeBody() })
  store = JSON.parse(text).data.store_uuid
})
afterAll(async () => {
  await program.end('SIGKILL')
  await database.drop()
})

async function megabytes(): Promise<number> {
  const status = await readFile(`/proc/${program.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

async function open(count: number): Promise<Wire[]> {
  const wires: Wire[] = []
  while (wires.length < count) {
    wires.push(
      ...(await Promise.all(Array.from({ length: Math.min(200, count - wires.length) }, () => openWire(program.url)))),
    )
  }
  return wires
}

describe(`${kept} kept connections`, () => {
  it('are answered, all of them, again and again', { timeout: 120_000 }, async () => {
    const wires = await open(kept)
    try {
      let answered = 0
      for (const path of ['/health', '/v1/nowhere', '/health']) {
        const request = `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\n\r\n`
        for (const wire of wires) wire.send(request)
        const statuses = await Promise.all(wires.map(async (wire) => (await wire.answer())?.status))
        expect(new Set(statuses)).toEqual(new Set([path === '/health' ? 200 : 404]))
        answered += statuses.length
      }
      const rss = await megabytes()
      expect(rss).toBeLessThan(400)
      figure(9, `${kept} kept connections, ${answered} answers, 0 resets, RSS ${Math.round(rss)} MB`)
    } finally {
      for (const wire of wires) wire.close()
    }
  })
})

/** Sends a byte a second until the connection ends; how long that took in ms. */
async function dripUntilCut(wire: Wire, head: string, byte: string): Promise<number> {
  const begun = Date.now()
  wire.send(head)
  while (!wire.closed()) {
    await sleep(1_000)
    wire.send(byte)
    if (Date.now() - begun > 40_000) throw new Error('it was not cut')
  }
  wire.close()
  return Date.now() - begun
}

/** Asks for much and reads nothing for a while; how long until the gateway had closed, in ms. */
async function cutOfReader(path: string): Promise<number> {
  const { hostname, port } = new URL(program.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const begun = Date.now()
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(Date.now() - begun)))
  socket.on('error', () => {}).pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\n\r\n`)
  // What was sent before the cut can still be read; the whole answer never comes.
  let received = 0
  setTimeout(() => {
    socket.on('data', (chunk) => {
      received += chunk.length
    })
    socket.resume()
  }, 23_000)
  const milliseconds = await closed
  expect(received).toBeLessThan(6_000_000)
  return milliseconds
}

describe(`slow clients: ${slow} with headers, ${slow} with bodies, ${slowReaders} readers`, () => {
  it('are cut, and a normal client does not notice them', { timeout: 90_000 }, async () => {
    const large = Array.from({ length: 100 }, (_, i) => ({ product_code: `p${i}`, Long: 'x'.repeat(65_535) }))
    const query = `?store_uuid=${store}`
    const made = await send(`${program.url}/v1/products${query}`, { method: 'POST', token, body: large })
    expect(made.status).toBe(200)
    const [headers, bodies] = [await open(slow), await open(slow)]
    const head = `PUT /v1/products${query} HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
    const cut = Promise.all([
      Promise.all(headers.map((wire) => dripUntilCut(wire, 'GET /health HTTP/1.1\r\nX-Slow: ', 'x'))),
      Promise.all(bodies.map((wire) => dripUntilCut(wire, `${head}\r\n[`, ' '))),
      Promise.all(Array.from({ length: slowReaders }, () => cutOfReader(`/v1/products${query}`))),
    ])
    let done = false
    const times: number[] = []
    const normal = (async () => {
      while (!done) {
        const { status, milliseconds } = await send(`${program.url}/v1/assets${query}`, { token })
        expect(status).toBe(200)
        times.push(milliseconds)
        await sleep(20)
      }
    })()
    const [slowest = 0, slowestBody = 0, slowestReader = 0] = (await cut).map((all) => Math.max(...all))
    done = true
    await normal
    expect(slowest).toBeLessThan(isLong ? 15_000 : 18_000)
    expect(slowestBody).toBeLessThan(25_000)
    expect(slowestReader).toBeLessThan(25_000)
    const p99 = quantile(times, 0.99)
    expect(p99).toBeLessThan(calmMs)
    figure(
      10,
      `${slow} slow headers cut ≤ ${slowest} ms, ${slow} bodies ≤ ${slowestBody} ms, ${slowReaders} readers ≤ ${slowestReader} ms; a normal client's p99 ${p99.toFixed(1)} ms`,
    )
  })
})
