import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startInOrder } from '../../src/event-loop/pipelining.ts'

it('of the requests that waited, on all connections, one starts in an iteration of the event loop', async () => {
  let started = 0
  const sockets = Array.from({ length: 10 }, () => ({ destroyed: false, pause: () => {}, resume: () => {} }))
  const arriveOnEach = () =>
    sockets.map((socket) => {
      const response = new EventEmitter()
      startInOrder({ socket } as unknown as IncomingMessage, response as ServerResponse, () => started++)
      return response
    })
  const [first] = [arriveOnEach(), arriveOnEach()]
  expect(started).toBe(10)
  for (const response of first) response.emit('close')
  for (let iteration = 1; iteration <= 5; iteration++) {
    await setImmediate()
    expect(started).toBeLessThanOrEqual(11 + iteration)
  }
  await expect.poll(() => started).toBe(20)
})
