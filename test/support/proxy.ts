import { connect, createServer, type Socket } from 'node:net'
import { inject } from 'vitest'

/** A way to the run's PostgreSQL over TCP that can fail as networks do. It begins open. */
export interface PostgresProxy {
  /** For `connect` of src/database. */
  connection: { host: string; port: number }
  /** Lets new connections through; what hangs goes on hanging. */
  open(): Promise<void>
  /** Cuts what there is and refuses what comes, as if nobody listened. */
  refuse(): Promise<void>
  /** Cuts the connections that there are. */
  cut(): void
  /** Lets nothing pass, neither on the connections that there are nor on new ones, and closes none. */
  hang(): void
  close(): Promise<void>
}

export async function startProxy(): Promise<PostgresProxy> {
  const { host, port } = inject('postgres')
  const upstream = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const clients = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let hangs = false

  const keep = (sockets: Set<Socket>, socket: Socket) => {
    sockets.add(socket)
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  const server = createServer((socket) => {
    keep(clients, socket)
    if (hangs) return
    const other = keep(upstreams, connect(upstream))
    socket.pipe(other).pipe(socket)
    socket.once('close', () => other.destroy())
    other.once('close', () => socket.destroy())
  })
  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of clients) socket.resetAndDestroy()
    for (const socket of upstreams) socket.destroy()
  }
  const refuse = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      cut()
    })
  await listen(0)
  const address = server.address()
  const own = typeof address === 'object' && address ? address.port : 0
  return {
    connection: { host: '127.0.0.1', port: own },
    open: async () => {
      hangs = false
      if (!server.listening) await listen(own)
    },
    refuse,
    cut,
    hang: () => {
      hangs = true
      for (const socket of [...clients, ...upstreams]) socket.unpipe().pause()
    },
    close: async () => {
      if (server.listening) await refuse()
    },
  }
}
