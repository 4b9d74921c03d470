import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Listens on host and port and returns the URL. Throws an error that names both, with the system's error code. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const { port: actualPort } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`
}

/** Throws as `listen` does where it would, and leaves the port free. */
export async function requireFreePort(address: { host: string; port: number }): Promise<void> {
  const server = createServer()
  await listen(server, address)
  await once(server.close(), 'close')
}

/** A name that does not resolve gets the code of an address of another machine: for HOST they mean the same. */
function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const code = error.code === 'EADDRINUSE' || error.code === 'EACCES' ? error.code : 'EADDRNOTAVAIL'
  const message = `cannot listen on ${host}, port ${port}: ${error.message}`
  return Object.assign(new Error(message, { cause: error }), { code })
}
