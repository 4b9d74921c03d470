import { createSocket } from 'node:dgram'
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { once } from 'node:events'
import type { AddressInfo, LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAllowed } from '../../src/outgoing/addresses.ts'
import { createLookup } from '../../src/outgoing/lookup.ts'

const socket = createSocket('udp4')
let asked = 0
let lookUp: LookupFunction
beforeAll(async () => {
  socket.on('message', (query, { port }) => {
    asked++
    const answer = answerTo(query)
    if (answer) socket.send(answer, port, '127.0.0.1')
  })
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  lookUp = createLookup(readAllowed(['crm.localhost']), [`127.0.0.1:${(socket.address() as AddressInfo).port}`])
})
afterAll(() => socket.close())

const typeA = 1

/** A DNS server that has an IPv4 address for each name, no IPv6 address, and no answer for names with `silent`. */
function answerTo(query: Buffer): Buffer | undefined {
  if (query.includes('silent')) return undefined
  const end = query.indexOf(0, 12) + 5
  const hasAddress = query.readUInt16BE(end - 4) === typeA
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  // Counts of questions, answers and others.
  head.set([0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0], 4)
  const address = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 215, 14])
  return Buffer.concat([head, query.subarray(12, end), hasAddress ? address : Buffer.alloc(0)])
}

const addressesOf = (host: string) =>
  new Promise<string | LookupAddress[]>((resolve, reject) =>
    lookUp(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
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
