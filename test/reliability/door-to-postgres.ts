import { connect, createServer, type Socket } from 'node:net'
import { inject } from 'vitest'

/** A way to PostgreSQL that can be shut: connections that there are stay, new ones are turned away. */
export interface DoorToPostgres {
  /** Where it stands, for a gateway. */
  connection: { host: string; port: number }
  isOpen: boolean
  /** How many connections were turned away so far. */
  turnedAway: number
  /** Ends the connections that there are. */
  cut(): void
  close(): void
}

export async function openDoorToPostgres(): Promise<DoorToPostgres> {
  const { host, port } = inject('postgres')
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (!door.isOpen) {
      door.turnedAway++
      return void client.destroy()
    }
    const upstream = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.on('close', () => upstream.destroy()).pipe(upstream)
    upstream.on('close', () => client.destroy()).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const door: DoorToPostgres = {
    connection: { host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0 },
    isOpen: true,
    turnedAway: 0,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () => server.close(),
  }
  return door
}
