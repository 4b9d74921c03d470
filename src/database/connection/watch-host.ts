import type { Socket } from 'node:net'
import type pg from 'pg'
import { serves } from './hosts.ts'

/** How long the host may be silent while an answer is due, and then may take to answer a new connection. */
const maxSilentMs = 1_000
const maxAnswerMs = 1_000

/** The host of a connection is lost. PostgreSQL uses this code for connection failures. */
class HostLost extends Error {
  override readonly name = 'HostLost'
  readonly code = '08006'
}

interface Watched {
  /** `connectionString` is the URL of the current host. */
  options: pg.ClientConfig
  urls: readonly string[]
  /** The open connections to the current host. */
  streams: ReadonlySet<Socket>
  /** Whether an answer is due. */
  isWaiting(): boolean
}

/**
 * Closes all connections to a host that does not answer, such as a frozen machine, once another host serves. A long
 * statement is not affected, because its host accepts new connections. Returns the function that ends the watch.
 */
export function watchHost({ options, urls, streams, isWaiting }: Watched): () => void {
  let received = 0
  const check = async () => {
    const before = received
    received = 0
    for (const stream of streams) received += stream.bytesRead
    const current = options.connectionString ?? ''
    const silent = [...streams]
    if (!isWaiting() || received !== before || (await serves(current, maxAnswerMs))) return
    for (const url of urls) {
      if (url === current || !(await serves(url, maxAnswerMs))) continue
      if (options.connectionString === current) options.connectionString = url
      for (const stream of silent) stream.destroy(new HostLost('the host does not answer'))
      return
    }
  }
  let isChecking = false
  const timer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    await check()
    isChecking = false
  }, maxSilentMs).unref()
  return () => clearInterval(timer)
}
