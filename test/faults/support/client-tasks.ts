import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Neighbour, type Seen, watch } from '../../security/isolation/neighbour.ts'
import { type Call, send } from '../../support/clients/http.ts'
import { openWires, type Wire } from '../../support/clients/wire.ts'

let watched: (() => Promise<Seen>) | undefined

/** What clients in a process of their own can do: plain arguments in, plain results out. */
export const tasks = {
  /** Nothing: when it is done, the process is there. */
  begin: async (_given: undefined) => true,
  sendMany: async ({ url, sent, count }: { url: string; sent: Call; count: number }) => {
    const answers = await Promise.all(Array.from({ length: count }, () => send(url, sent)))
    return answers.map(({ status, headers, milliseconds }) => ({
      status,
      retryAfter: headers['retry-after'],
      milliseconds,
    }))
  },
  sendInTurn: async ({ url, sent, rounds }: { url: string; sent: Call; rounds: number }) => {
    const statuses: number[] = []
    for (let round = 0; round < rounds; round++) statuses.push((await send(url, sent)).status)
    return statuses
  },
  /** Works as an ordinary tenant until `endWatch`, which reports what it saw. */
  watch: async (neighbour: Neighbour) => {
    watched = watch(neighbour)
  },
  endWatch: async (_given: undefined) => (await watched?.()) as Seen,
  /** Many connections that send a byte a second after the head until they are cut: how long that took, in ms. */
  drip: async ({ url, head, byte, count }: { url: string; head: string; byte: string; count: number }) => {
    const wires = await openWires(url, count)
    return Promise.all(wires.map((wire) => dripUntilCut(wire, head, byte)))
  },
  /** Clients that ask for much and read nothing: the ms from the first byte until the gateway closed, and what came. */
  readSlowly: async ({ url, head, count }: { url: string; head: string; count: number }) => {
    const readers: ReturnType<typeof cutOfReader>[] = []
    while (readers.length < count) {
      // The next asks when this one has its answer: all at once would be a test of the database.
      const begun = Promise.withResolvers<void>()
      readers.push(cutOfReader(url, head, begun.resolve))
      await begun.promise
    }
    return Promise.all(readers)
  },
}

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

async function cutOfReader(
  url: string,
  head: string,
  onBegun: () => void,
): Promise<{ milliseconds: number; received: number; isRefused: boolean }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let begun = Date.now()
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(Date.now() - begun)))
  socket.on('error', () => {})
  let received = 0
  // What was sent before the cut can still be read; the whole answer never comes.
  let isRefused = false
  socket.once('close', onBegun).once('data', onBegun)
  socket.once('data', (first) => {
    isRefused = !first.toString('latin1').startsWith('HTTP/1.1 200')
    if (isRefused) return socket.destroy()
    socket.pause()
    begun = Date.now()
    received += first.length
    setTimeout(() => {
      socket.on('data', (chunk) => {
        received += chunk.length
      })
      socket.resume()
    }, 23_000)
  })
  socket.write(head)
  return { milliseconds: await closed, received, isRefused }
}
