import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startOnePerTick } from '../../src/event-loop/start-one-per-tick.ts'
import { requestContext } from '../../src/request/context.ts'
import { ReadBytes } from '../../src/request/read-bytes.ts'

const signal = new AbortController().signal

function inRequestOf<T>(tenant: string, work: () => T): T {
  const requestId = { text: '', header: '' }
  return requestContext.run(
    { requestId, traceparent: undefined, trace: undefined, signal, tenant, tokenId: '', readBytes: new ReadBytes() },
    work,
  )
}

it('one request begins in a round of the event loop, of the tenants in rotation', async () => {
  const begun: string[] = []
  const begin = (tenant: string, name: string) =>
    inRequestOf(tenant, async () => {
      await startOnePerTick()
      begun.push(name)
    })
  const requests = [begin('a', 'a1'), begin('a', 'a2'), begin('a', 'a3'), begin('b', 'b1'), begin('a', 'a4')]
  const rounds: string[][] = []
  while (begun.length < requests.length) {
    const before = begun.length
    await setImmediate()
    rounds.push(begun.slice(before))
  }
  await Promise.all(requests)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  expect(Math.max(...rounds.map((round) => round.length))).toBe(1)
})

it('after a start that blocked the event loop, the next one waits for as long, while other work goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => {
    vi.runAllTimers()
    vi.useRealTimers()
  })
  const begun: string[] = []
  const block = (name: string) =>
    inRequestOf(name, async () => {
      await startOnePerTick()
      begun.push(name)
      for (const until = performance.now() + 10; performance.now() < until; );
    })
  const requests = Promise.all([block('a'), block('b')])
  // On a busy machine the last start of the test before it may have taken long too, and wait for this clock.
  while (begun.length === 0) {
    vi.advanceTimersByTime(20)
    await setImmediate()
  }
  for (let rounds = 0; rounds < 50; rounds++) await setImmediate()
  vi.advanceTimersByTime(9)
  for (let rounds = 0; rounds < 50; rounds++) await setImmediate()
  expect(begun).toEqual(['a'])
  vi.runAllTimers()
  await requests
  expect(begun).toEqual(['a', 'b'])
})
