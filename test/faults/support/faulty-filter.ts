import { createServer, type Socket } from 'node:net'
import type { FilterClient } from '../../../src/filter-service/client.ts'
import { listen } from '../../support/servers/loopback.ts'

/** What a filtering service may do instead of answering: it gets the connection once a whole request has come. */
export type Fault = (socket: Socket) => void

export interface FaultyFilter {
  url: string
  /** What it does with each request from now on. */
  does(fault: Fault): void
  /** How many requests have come since the last call of this. */
  calls(): number
  connections(): number
  /** The head of the latest request. */
  latest(): string
  /** Closes the port; `listen` opens it again. */
  refuse(): Promise<void>
  listen(): Promise<void>
  close(): Promise<void>
}

/** A filtering service made of raw bytes, so that it can fail in every way that a network and a program can. */
export async function startFaultyFilter(): Promise<FaultyFilter> {
  const sockets = new Set<Socket>()
  let current: Fault = answer({ total_groups: 0, parent_codes: [] })
  let calls = 0
  let latest = ''
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const end = received.indexOf('\r\n\r\n')
      const length = Number(/^content-length: *(\d+)/im.exec(received)?.[1] ?? 0)
      if (end < 0 || received.length < end + 4 + length) return
      latest = received.slice(0, end)
      received = received.slice(end + 4 + length)
      calls++
      current(socket)
    })
  })
  const refuse = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    does: (fault) => {
      current = fault
    },
    calls: () => {
      const seen = calls
      calls = 0
      return seen
    },
    connections: () => sockets.size,
    latest: () => latest,
    refuse,
    listen: async () => void (await listen(server, port)),
    close: async () => {
      if (server.listening) await refuse()
    },
  }
}

/** A client of the service that stands for whichever is the present one. */
export function currentFilter(address: FilterClient['address'], current: () => FilterClient): FilterClient {
  return {
    address,
    choose: (...question) => current().choose(...question),
    isReachable: () => current().isReachable(),
    circuit: () => current().circuit(),
    close: () => current().close(),
  }
}

/** A whole answer: JSON unless it is bytes already. */
export function answer(body: unknown, { status = '200 OK', headers = '' } = {}): Fault {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return (socket) => {
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`,
    )
    socket.write(bytes)
  }
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const good = { total_groups: 1, parent_codes: ['A'] }

/** Row 6 of the figures to reach, one by one. */
export const faults: Record<string, Fault> = {
  'hangs before the head': () => {},
  'hangs in the head': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Ty'),
  'hangs in the body': (socket) => socket.write(`${head}Content-Length: 40\r\n\r\n{"total_groups"`),
  'drips its body': (socket) => {
    socket.write(`${head}Content-Length: 4000\r\n\r\n`)
    const drip = setInterval(() => socket.write(' '), 50)
    socket.once('close', () => clearInterval(drip))
  },
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes without an answer': (socket) => socket.end(),
  'is cut off in its body': (socket) => socket.end(`${head}Content-Length: 40\r\n\r\n{"total_groups":1,`),
  'sends bytes that are no HTTP': (socket) => socket.end('\0\x01\x02 nonsense\r\n\r\n'),
  'sends JSON cut short': answer('{"total_groups":1,"parent_codes":["A"]'),
  'sends JSON that is not UTF-8': answer(Buffer.from('{"total_groups":1,"parent_codes":["\xff"]}', 'latin1')),
  'says gzip and sends none': answer(good, { headers: 'Content-Encoding: gzip\r\n' }),
  'sends HTML': answer('<html><body>It works!</body></html>'),
  'sends an empty body': answer(''),
  'sends null': answer(null),
  'sends a list': answer([good]),
  'leaves the total out': answer({ parent_codes: ['A'] }),
  'leaves the codes out': answer({ total_groups: 1 }),
  'sends a total below zero': answer({ ...good, total_groups: -1 }),
  'sends a fraction as total': answer({ ...good, total_groups: 1.5 }),
  'sends a total beyond all measure': answer('{"total_groups":1e300,"parent_codes":["A"]}'),
  'sends a total as text': answer({ ...good, total_groups: '1' }),
  'sends codes that are no texts': answer({ ...good, parent_codes: [1] }),
  'sends a code twice': answer({ total_groups: 2, parent_codes: ['A', 'A'] }),
  'sends more codes than were asked for': answer({
    total_groups: 99,
    parent_codes: Array.from({ length: 51 }, (_, i) => `${i}`),
  }),
  'sends more codes than there are': answer({ total_groups: 0, parent_codes: ['A'] }),
  redirects: answer('', { status: '302 Found', headers: 'Location: /elsewhere\r\n' }),
  'redirects for good': answer(good, { status: '308 Permanent Redirect', headers: 'Location: /elsewhere\r\n' }),
  'answers 400 with good JSON': answer(good, { status: '400 Bad Request' }),
  'answers 404 with good JSON': answer(good, { status: '404 Not Found' }),
  'answers 500 with good JSON': answer(good, { status: '500 Internal Server Error' }),
  'answers 503 with good JSON': answer(good, { status: '503 Service Unavailable' }),
  'answers 201 with good JSON': answer(good, { status: '201 Created' }),
  'sends a body without an end': (socket) => endless(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`),
  'sends headers without an end': (socket) => endless(socket, head, 'X-More: '),
  'announces a body over the cap': answer(`${JSON.stringify(good)}${' '.repeat(1024 * 1024)}`),
}

function endless(socket: Socket, start: string, prefix = ''): void {
  const chunk = Buffer.from(prefix === '' ? `10000\r\n${' '.repeat(65_536)}\r\n` : `${prefix}${'x'.repeat(1_000)}\r\n`)
  socket.write(start)
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}
