import { createSocket, type Socket } from 'node:dgram'
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { once } from 'node:events'
import type { AddressInfo, LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { readAllowed } from '../../src/outgoing/addresses.ts'
import { createLookup } from '../../src/outgoing/lookup.ts'

const socket = createSocket('udp4')
let asked = 0
let server: string
let lookUp: LookupFunction
beforeAll(async () => {
  socket.on('message', (query, { port }) => {
    asked++
    const answer = answerTo(query)
    if (answer) socket.send(answer, port, '127.0.0.1')
  })
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  server = addressOf(socket)
  lookUp = createLookup(readAllowed(['crm.localhost']), [server])
})
afterAll(() => socket.close())

const addressOf = (of: Socket) => `127.0.0.1:${(of.address() as AddressInfo).port}`

const typeA = 1

/**
 * A DNS server that has an IPv4 address for each name and no IPv6 address. It does not answer for names with `silent`,
 * and for those with `half` only about IPv4.
 */
function answerTo(query: Buffer): Buffer | undefined {
  if (query.includes('silent')) return undefined
  const end = query.indexOf(0, 12) + 5
  const hasAddress = query.readUInt16BE(end - 4) === typeA
  if (!hasAddress && query.includes('half')) return undefined
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  // Counts of questions, answers and others.
  head.set([0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0], 4)
  const address = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 215, 14])
  return Buffer.concat([head, query.subarray(12, end), hasAddress ? address : Buffer.alloc(0)])
}

const addressesOf = (host: string, by = lookUp) =>
  new Promise<string | LookupAddress[]>((resolve, reject) =>
    by(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  )

it('a name that a user gives is resolved by the DNS servers', async () => {
  expect(await addressesOf('hook.example')).toEqual([{ address: '93.184.215.14', family: 4 }])
})

it('names whose servers are silent delay no lookups of the system', async () => {
  const before = asked
  let ended = 0
  const end = () => {
    ended++
  }
  for (let i = 0; i < 20; i++) addressesOf(`silent-${i}.example`).then(end, end)
  await expect.poll(() => asked - before).toBeGreaterThanOrEqual(40)
  await promisify(systemLookup)('localhost')
  expect(ended).toBe(0)
})

it('names of OUTGOING_ALLOW and of the loopback are resolved by the system', async () => {
  const before = asked
  for (const host of ['localhost', 'crm.localhost']) await addressesOf(host).catch(() => {})
  expect(asked).toBe(before)
})

it('all names are resolved by the system where OUTGOING_ALLOW has ranges: it knows those of private networks', async () => {
  const before = asked
  const byRanges = createLookup(readAllowed(['10.0.0.0/8']), [server])
  await addressesOf('hook.invalid', byRanges).catch(() => {})
  expect(asked).toBe(before)
})

it('the addresses of one family are not held up by silence about the other', async () => {
  const before = asked
  expect(await addressesOf('half.example')).toEqual([{ address: '93.184.215.14', family: 4 }])
  // It is not asked a second time.
  expect(asked - before).toBe(2)
})

it('a lookup ends before a connection has to be open, however many servers are silent', async () => {
  const others = [createSocket('udp4'), createSocket('udp4')]
  await Promise.all(others.map((other) => once(other.bind(0, '127.0.0.1'), 'listening')))
  onTestFinished(() => others.forEach((other) => void other.close()))
  const silent = createLookup(readAllowed([]), [server, ...others.map(addressOf)])
  const began = performance.now()
  await expect(addressesOf('silent.example', silent)).rejects.toThrow()
  expect(performance.now() - began).toBeLessThan(10_000)
})
