import type { Socket } from 'node:net'
import type pg from 'pg'
import type { FairQueue } from '../../fair-share/fair-queue.ts'
import { requestContext } from '../../request/context.ts'
import type { CoordinatorPool } from '../citus/routed-pool.ts'
import { createBackOff } from './back-off.ts'
import { Connection, type PooledClient } from './connection.ts'
import { createFailover } from './hosts.ts'
import { watchHost } from './watch-host.ts'

/** How long the end of a pool waits for statements that run, and for the server to close connections. */
const maxEndMs = 1_000

/** Makes the pool acquire a slot of the queue first; connections are opened with backoff while that fails. */
export function queued(
  pool: pg.Pool,
  { queue, coreQueue }: Record<'queue' | 'coreQueue', FairQueue>,
  urls: readonly string[],
  streams: ReadonlySet<Socket>,
  settings: string,
): CoordinatorPool {
  const withFailover = createFailover(pool.options, urls)
  const openNew = () => withFailover(() => pool.connect())
  const withBackOff = createBackOff(async () => (await openNew()).release())
  const open = () => (pool.idleCount > 0 ? pool.connect() : withBackOff(openNew))
  const connections = new WeakMap<pg.PoolClient, Connection>()
  const isWaiting = () => streams.size > pool.idleCount
  const endWatch = urls.length > 1 ? watchHost({ options: pool.options, urls, streams, isWaiting }) : () => {}
  const connect = async (ofServer?: FairQueue) => {
    const context = requestContext.getStore()
    const held: (() => void)[] = []
    const release = () => {
      for (const giveBack of held) giveBack()
    }
    try {
      // Long reads wait for a core before they have a connection, and not in a transaction, which may hold locks.
      if (context?.needsCore) held.push(await coreQueue.acquire(context))
      if (ofServer) held.push(await ofServer.acquire(context))
      held.push(await queue.acquire(context))
      const client = await open()
      const connection = connections.get(client) ?? new Connection(client as PooledClient, settings)
      connections.set(client, connection)
      return connection.begin(release)
    } catch (error) {
      release()
      throw error
    }
  }
  const end = () => {
    endWatch()
    return endInTime(pool, streams)
  }
  return { connect, end, options: pool.options }
}

export function addStream(streams: Set<Socket>, client: pg.ClientBase): void {
  const { stream } = (client as PooledClient).connection
  streams.add(stream)
  stream.once('close', () => streams.delete(stream))
}

/** Ends the pool. Connections that do not close in time, as on a network that hangs, are destroyed. */
function endInTime(pool: pg.Pool, streams: ReadonlySet<Socket>): Promise<void> {
  const destroyAll = () => {
    for (const stream of streams) stream.destroy()
  }
  setTimeout(destroyAll, maxEndMs).unref()
  return pool.end()
}
