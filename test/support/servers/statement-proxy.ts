import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { inject } from 'vitest'
import { listen } from './loopback.ts'

/** A proxy in front of the run's PostgreSQL, and the texts of all statements that have passed it. */
export async function startStatementProxy() {
  const { host, port } = inject('postgres')
  const texts = new Set<string>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true).on('error', () => to.destroy())
      from.once('close', () => to.destroy()).pipe(to)
    }
    const read = createReader((text) => texts.add(text))
    client.on('data', read)
  })
  return {
    connection: { host: '127.0.0.1', port: await listen(server) },
    texts,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Finds statements in what a client sends (PostgreSQL: Message Formats): in the messages Query and Parse. */
function createReader(found: (text: string) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0)
  // The first message has no type.
  let typeBytes = 0
  return (piece) => {
    rest = Buffer.concat([rest, piece])
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return
      const type = typeBytes === 0 ? '' : String.fromCharCode(rest[0] ?? 0)
      const strings = rest
        .subarray(typeBytes + 4, end)
        .toString()
        .split('\0')
      if (type === 'Q') found(strings[0] ?? '')
      if (type === 'P') found(strings[1] ?? '')
      rest = rest.subarray(end)
      typeBytes = 1
    }
  }
}
