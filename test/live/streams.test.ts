import { PassThrough, Writable } from 'node:stream'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createStreams, type StreamLimits } from '../../src/live/streams.ts'

afterEach(() => void vi.useRealTimers())

/** A function that opens a stream of one of the users of a store. */
function openerOf(limits: Partial<StreamLimits>) {
  const callerOf = (user: string, store: string) => {
    const viewer = { stores: new Set([store]) }
    return { tokenId: `jwt:${user}`, tokenName: user, scopes: new Set(['read'] as const), viewer }
  }
  const streams = createStreams(async (user = '') => callerOf(user, ''), limits)
  return (user: string, store: string) => streams.open(callerOf(user, store), user)
}

/** A function that opens a stream of one of the users of a store, whose client leaves so many bytes unread. */
function stuckOpenerOf(limits: Partial<StreamLimits>) {
  const open = openerOf(limits)
  return (user: string, store: string, unread: number) => {
    const stream = open(user, store)
    const out = unread > 0 ? new Writable({ write: () => {} }) : new PassThrough().resume()
    stream.begin(out, { heartbeat: () => ':\n\n' }, 'x'.repeat(unread))
    return stream
  }
}

/** Two open streams: the client of the first one reads, and that of the second one does not. */
function openTwo(limits: Partial<StreamLimits>) {
  const openStuck = stuckOpenerOf(limits)
  return [openStuck('Ann', 'one', 0), openStuck('Bob', 'one', 1)] as const
}

it('the tokens of the same stores have some of all streams, and others have the rest', () => {
  const open = openerOf({ ofTenant: 3, ofProcess: 5 })
  const [first] = ['Ann', 'Bob', 'Cid'].map((user) => open(user, 'one'))
  const refused = (details: string) =>
    expect.objectContaining({ faults: [expect.objectContaining({ details: expect.stringContaining(details) })] })
  expect(() => open('Dan', 'one')).toThrow(refused('the tokens of the same stores may have 3 open streams'))
  for (const user of ['Eve', 'Fay']) open(user, 'other')
  expect(() => open('Gus', 'other')).toThrow(refused('the service may have 5 open streams'))
  first?.cut()
  open('Dan', 'one')
})

it('no timer runs before the first stream: a start that fails leaves none', () => {
  const begun = vi.spyOn(globalThis, 'setInterval')
  onTestFinished(() => begun.mockRestore())
  const open = openerOf({})
  expect(begun).not.toHaveBeenCalled()
  open('Ann', 'one')
  expect(begun).toHaveBeenCalled()
})

it('a stream whose client reads nothing is cut after some heartbeats', async () => {
  const [reading, stuck] = openTwo({ heartbeatMs: 50 })
  await expect.poll(() => stuck.isClosed).toBe(true)
  expect(reading.isClosed).toBe(false)
})

it('the stream with the most unread bytes is cut when all have too many', async () => {
  const [reading, stuck] = openTwo({ unreadBytes: 1_000 })
  for (const stream of [reading, stuck]) stream.send('x'.repeat(2_000))
  await expect.poll(() => stuck.isClosed).toBe(true)
  expect(reading.isClosed).toBe(false)
})

it('a token has 10 streams, also where its stores change', () => {
  const open = openerOf({})
  for (let i = 0; i < 10; i++) open('Ann', i % 2 === 0 ? 'one' : 'other')
  expect(() => open('Ann', 'third')).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ details: expect.stringContaining('10 open') })] }),
  )
  open('Bob', 'one')
})

it('the tenant with the most unread bytes loses streams, though another one has the stream with the most', async () => {
  const openStuck = stuckOpenerOf({ unreadBytes: 5_000 })
  const many = ['Ann', 'Bob', 'Cid'].map((user) => openStuck(user, 'one', 1_500))
  const single = openStuck('Eve', 'other', 2_000)
  await expect.poll(() => many.some(({ isClosed }) => isClosed)).toBe(true)
  expect(many.filter(({ isClosed }) => isClosed)).toHaveLength(1)
  expect(single.isClosed).toBe(false)
})

it('each time the tenant with the most unread bytes then loses a stream, and none whose client reads', async () => {
  const openStuck = stuckOpenerOf({ unreadBytes: 4_000 })
  const one = [0, 3_000, 1_000].map((unread, i) => openStuck(`one ${i}`, 'one', unread))
  const other = [2_000, 1_500].map((unread, i) => openStuck(`other ${i}`, 'other', unread))
  await expect.poll(() => one[1]?.isClosed).toBe(true)
  expect(one.map(({ isClosed }) => isClosed)).toEqual([false, true, false])
  expect(other.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

it('a client that reads is sent more at once than may wait for it, and one that does not read is cut after that', async () => {
  const [reading, stuck] = openTwo({})
  const events = Array.from({ length: 50 }, () => Buffer.alloc(40_000))
  for (const stream of [reading, stuck]) stream.send(...events)
  expect([reading.isClosed, stuck.isClosed]).toEqual([false, false])
  await expect.poll(() => reading.unreadBytes).toBe(0)
  for (const stream of [reading, stuck]) stream.send('x')
  expect([reading.isClosed, stuck.isClosed]).toEqual([false, true])
})

it('a client that has not read all within 20 s while it catches up is cut', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const [, stuck] = openTwo({})
  stuck.send(Buffer.alloc(100_000))
  stuck.drained()
  vi.advanceTimersByTime(19_999)
  expect(stuck.isClosed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(stuck.isClosed).toBe(true)
})
