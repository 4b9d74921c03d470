import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startInOrder } from '../../src/http/pipelining.ts'

const headerChars = 100_000

function connection() {
  const socket = {
    destroyed: false,
    destroy: () => {
      socket.destroyed = true
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
  first.socket.destroyed = true
  await expect.poll(other.started).toBe(2)
  expect(first.started()).toBe(1)
  other.answer()
})

it('the headers of waiting requests have 8 MiB: connections beyond that are cut, and what they held is free again', async () => {
  const fill = () => {
    const all = connections(3)
    for (const { arrive } of all) for (let i = 0; i < 41; i++) arrive()
    expect(all.map(({ socket }) => socket.destroyed)).toEqual([false, false, true])
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
