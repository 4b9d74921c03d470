import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startInOrder } from '../../src/http/pipelining.ts'
import { openWire, openWires } from '../support/clients/wire.ts'
import { listen } from '../support/servers/loopback.ts'

const headerChars = 100_000

function connection() {
  const socket = {
    writable: true,
    destroy: () => {
      socket.writable = false
    },
  }
  const answers: EventEmitter[] = []
  return {
    socket,
    started: () => answers.length,
    arrive: () => {
      const response = new EventEmitter()
      const request = { socket, rawHeaders: ['X', 'x'.repeat(headerChars)] } as unknown as IncomingMessage
      startInOrder(request, response as ServerResponse, () => answers.push(response))
    },
    answer: () => answers.at(-1)?.emit('close'),
  }
}

const connections = (count: number) => Array.from({ length: count }, connection)

it('of the requests that waited, on all connections, one starts in an iteration of the event loop', async () => {
  const all = connections(10)
  const started = () => all.reduce((sum, each) => sum + each.started(), 0)
  for (const { arrive } of [...all, ...all]) arrive()
  expect(started()).toBe(10)
  for (const { answer } of all) answer()
  for (let iteration = 1; iteration <= 5; iteration++) {
    await setImmediate()
    expect(started()).toBeLessThanOrEqual(11 + iteration)
  }
  await expect.poll(started).toBe(20)
  for (const { answer } of all) answer()
})

it('a request whose client has left meanwhile does not start', async () => {
  const [first, other] = [connection(), connection()]
  for (const { arrive } of [first, first, other, other]) arrive()
  for (const { answer } of [first, other]) answer()
  first.socket.writable = false
  await expect.poll(other.started).toBe(2)
  expect(first.started()).toBe(1)
  other.answer()
})

it('a request that arrives after the answer that closes its connection does not start', () => {
  const { socket, started, arrive, answer } = connection()
  arrive()
  socket.writable = false
  answer()
  arrive()
  expect(started()).toBe(1)
})

it('the headers of waiting requests have 8 MiB: connections beyond that are cut, and what they held is free again', async () => {
  const fill = () => {
    const all = connections(3)
    for (const { arrive } of all) for (let i = 0; i < 41; i++) arrive()
    expect(all.map(({ socket }) => socket.writable)).toEqual([true, true, false])
    return all
  }
  for (let round = 0; round < 2; round++) {
    for (const each of fill()) {
      each.socket.destroy()
      each.answer()
    }
    await setImmediate()
    await setImmediate()
  }
})

/** A server whose requests start in order. The test answers them. */
async function start() {
  const started: ServerResponse[] = []
  let received = 0
  const server = createServer((request, response) => {
    received++
    startInOrder(request, response, () => started.push(response))
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const count = promisify(server.getConnections.bind(server))
  return { url, started, received: () => received, openConnections: () => count() }
}

const request = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`

it('of a client that has left no waiting request starts, and what they held is free for others', async () => {
  const { url, started, received, openConnections } = await start()
  for (let round = 1; round <= 2; round++) {
    // Nearly all of the 8 MiB.
    const wires = await openWires(url, 5)
    for (const wire of wires) wire.send(request.repeat(101))
    await expect.poll(received).toBe(round * 505)
    for (const wire of wires) wire.close()
    await expect.poll(openConnections).toBe(0)
  }
  expect(started).toHaveLength(10)
  using wire = await openWire(url)
  wire.send(request.repeat(2))
  for (const count of [11, 12]) {
    await expect.poll(() => started).toHaveLength(count)
    started.at(-1)?.end()
    expect((await wire.answer())?.status).toBe(200)
  }
})

it('no request starts after an answer that closes its connection', async () => {
  const { url, started, openConnections } = await start()
  using wire = await openWire(url)
  wire.send(request.repeat(2))
  await expect.poll(() => started).toHaveLength(1)
  const [first] = started
  if (first) first.shouldKeepAlive = false
  first?.end()
  expect((await wire.answer())?.headers.connection).toBe('close')
  await expect.poll(openConnections).toBe(0)
  expect(started).toHaveLength(1)
})
