import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { inject } from 'vitest'
import type { Random } from '../random.ts'
import { listen } from './loopback.ts'

/** What a network may do to the bytes that pass, and to connections. */
export type Fault =
  | { kind: 'none' }
  /** Nobody listens, and open connections are reset. */
  | { kind: 'down' }
  /** New connections are accepted and closed, open ones stay. */
  | { kind: 'reject' }
  /** Nothing passes and nothing is closed; what hangs goes on hanging afterwards. */
  | { kind: 'hang' }
  /** The same in each direction that has carried so many bytes. */
  | { kind: 'hang after'; bytes: number }
  /** Each piece comes so much later, in ms. */
  | { kind: 'latency'; ms: number }
  /** So many bytes a second. */
  | { kind: 'bandwidth'; bytes: number }
  /** The end of a connection is passed on so much later, in ms. */
  | { kind: 'slow close'; ms: number }
  /** Nothing passes, and the connection is cut after so many ms. */
  | { kind: 'timeout'; ms: number }
  /** Connections are reset after so many ms. */
  | { kind: 'reset'; ms: number }
  /** Pieces of so many bytes, each for itself. */
  | { kind: 'slicer'; bytes: number }
  /** A connection ends after so many bytes. */
  | { kind: 'limit'; bytes: number }

export interface FaultProxy extends AsyncDisposable {
  /** Where it listens, for a URL or for `connect` of src/database. */
  connection: { host: string; port: number }
  /** Applies from now on, to open connections too. */
  set(fault: Fault): Promise<void>
  /** Resets the open connections. */
  cut(): void
  /** How many connections were accepted since the last call. */
  accepted(): number
  /** How many connections were rejected since the last call. */
  rejected(): number
  close(): Promise<void>
}

export function startPostgresProxy(): Promise<FaultProxy> {
  const { host, port } = inject('postgres')
  return startFaultProxy(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
}

/** A TCP proxy on the loopback in front of what is reached by `target`. */
export async function startFaultProxy(target: NetConnectOpts): Promise<FaultProxy> {
  let fault: Fault = { kind: 'none' }
  let [accepted, rejected] = [0, 0]
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (fault.kind === 'reject') {
      rejected++
      return void client.destroy()
    }
    accepted++
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
    }
    carry(client, upstream, () => fault)
    carry(upstream, client, () => fault)
    age(client, upstream, fault)
  })
  const cut = () => {
    for (const socket of sockets) end(socket, 'reset')
  }
  const shut = async () => {
    const closed = new Promise<void>((resolve) => (server.listening ? server.close(() => resolve()) : resolve()))
    cut()
    await closed
  }
  const port = await listen(server)
  return {
    connection: { host: '127.0.0.1', port },
    set: async (next) => {
      fault = next
      if (next.kind === 'down') return shut()
      if (!server.listening) await listen(server, port)
      for (const socket of sockets) {
        if (next.kind === 'hang') socket.pause()
        age(socket, socket, next)
      }
    },
    cut,
    accepted: () => {
      const seen = accepted
      accepted = 0
      return seen
    },
    rejected: () => {
      const seen = rejected
      rejected = 0
      return seen
    },
    close: shut,
    [Symbol.asyncDispose]: shut,
  }
}

/** Ends a connection at the age that the fault gives it. */
function age(one: Socket, other: Socket, fault: Fault): void {
  if (fault.kind !== 'timeout' && fault.kind !== 'reset') return
  const death = setTimeout(() => {
    for (const socket of [one, other]) end(socket, fault.kind)
  }, fault.ms)
  one.once('close', () => clearTimeout(death))
}

/** Only TCP can be reset. */
function end(socket: Socket, kind: 'timeout' | 'reset'): void {
  if (kind === 'reset' && socket.remoteFamily !== undefined) socket.resetAndDestroy()
  else socket.destroy()
}

/** Carries bytes from one socket to the other under the current fault: in order, one piece after the other. */
function carry(from: Socket, to: Socket, faultNow: () => Fault): void {
  let carried = 0
  let before = Promise.resolve()
  const then = (work: () => Promise<void> | void) => {
    before = before.then(work).catch(() => {})
  }
  from.on('data', (piece) => {
    const fault = faultNow()
    carried += piece.length
    if (fault.kind === 'timeout') return
    from.pause()
    if (fault.kind === 'hang' || (fault.kind === 'hang after' && carried > fault.bytes)) return
    then(async () => {
      await deliver(to, piece, fault)
      if (fault.kind === 'limit' && carried > fault.bytes) from.destroy()
      from.resume()
    })
  })
  from.once('close', () => {
    const fault = faultNow()
    then(async () => {
      if (fault.kind === 'slow close') await pause(fault.ms)
      to.destroy()
    })
  })
}

async function deliver(to: Socket, piece: Buffer, fault: Fault): Promise<void> {
  if (fault.kind === 'latency') await pause(fault.ms)
  if (fault.kind === 'bandwidth') await pause((piece.length / fault.bytes) * 1_000)
  if (fault.kind !== 'slicer') {
    to.write(piece)
    return
  }
  for (let at = 0; at < piece.length; at += fault.bytes) {
    to.write(piece.subarray(at, at + fault.bytes))
    await pause(0)
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** One of all the faults, with figures from the random numbers. */
export function anyFault(random: Random): Fault {
  const faults: Fault[] = [
    { kind: 'down' },
    { kind: 'latency', ms: 5 + random.below(60) },
    { kind: 'bandwidth', bytes: 20_000 + random.below(200_000) },
    { kind: 'slow close', ms: random.below(200) },
    { kind: 'timeout', ms: 100 + random.below(400) },
    { kind: 'reset', ms: random.below(100) },
    { kind: 'slicer', bytes: 100 + random.below(1_000) },
    { kind: 'limit', bytes: 1_000 + random.below(20_000) },
  ]
  return faults[random.below(faults.length)] ?? { kind: 'none' }
}
