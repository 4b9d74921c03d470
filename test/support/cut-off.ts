import { createServer, connect as dial, type Socket } from 'node:net'
import { inject } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'

export interface CutOffGateway extends TestGateway {
  /** Cuts the way to PostgreSQL: connections break, new ones are refused. */
  cut(): Promise<void>
  /** Opens the way again. */
  mend(): Promise<void>
}

/** A gateway that reaches its PostgreSQL through a door that can be shut. */
export async function startCutOffGateway(options: TestGatewayOptions = {}): Promise<CutOffGateway> {
  const { host, port } = inject('postgres')
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = dial(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address()
  const door = typeof address === 'object' && address ? address.port : 0
  const cut = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const gateway = await startTestGateway({ ...options, connection: { host: '127.0.0.1', port: door } })
  return {
    ...gateway,
    cut,
    mend: () => listen(door),
    stop: async () => {
      await gateway.stop()
      if (server.listening) await cut()
    },
  }
}
