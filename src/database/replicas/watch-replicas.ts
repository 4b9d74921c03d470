import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { requestContext } from '../../request/context.ts'
import { inTimeForShutdown } from '../../request/give-up.ts'
import { connect } from '../connection/connect.ts'
import { maxConnections } from '../connection/max-connections.ts'
import { isPooled } from '../connection/pooler.ts'
import type { ConnectionConfig } from '../connection/session.ts'
import type { Database } from '../tables.ts'
import type { Replica } from './replica-first.ts'

/** What a read requires: the maximum age of its answer, and the position of the log that it must include. */
interface Staleness {
  maxMs: number
  after?: number | undefined
}

export type Replicas = ReturnType<typeof watchReplicas>

const everyMs = 250
/** How long a read waits for a replica to replay its position, and how often it asks. */
const maxWaitMs = 50
const askAgainMs = 5
/** Older positions of the primary are forgotten: no read may be staler. */
const historyMs = 60_000

/** A connection of its own: positions and lags do not wait for requests. */
const watching = { max: maxConnections.watch, maxPerTenant: 1, connectionTimeoutMillis: 2_000, query_timeout: 2_000 }

/** Errors of idle connections: the next poll reports the server. */
const ignore = () => {}

/** Watches the replicas of one primary. A replica that cannot be reached is used as soon as it can. */
export function watchReplicas(urls: readonly string[], connection: ConnectionConfig, log: Logger) {
  const primary = connect({ ...connection, ...watching }, ignore)
  const stopping = new AbortController()
  const replicas = urls.map((url) => watchReplica(url, connection, primary, stopping.signal, log))
  const loops = replicas.map(async ({ poll }) => {
    while (!stopping.signal.aborted) {
      await poll()
      await sleep(everyMs, undefined, { ref: false, signal: stopping.signal }).catch(ignore)
    }
  })
  return {
    /** A replica that is fresh enough, after a wait if only its position is too old; undefined: the primary. */
    choose: async ({ maxMs, after = 0 }: Staleness): Promise<Replica | undefined> => {
      for (const deadline = performance.now() + maxWaitMs; ; ) {
        const fresh = replicas.filter(({ state }) => state().lagMs <= maxMs)
        const ready = fresh.filter(({ state }) => state().position >= after)
        const left = deadline - performance.now()
        if (ready.length > 0) return ready[Math.floor(Math.random() * ready.length)]?.state().replica
        if (fresh.length === 0 || left <= 0) return undefined
        const asked = Promise.all(fresh.map(({ refresh }) => refresh()))
        await Promise.race([asked.then(() => sleep(askAgainMs)), sleep(left)])
      }
    },
    /** A position that includes all commits so far, for one statement; undefined if the primary does not answer. */
    position: () =>
      requestContext.exit(async () => {
        const asked = sql<{ position: string }>`select pg_current_wal_flush_lsn()::text as position`.execute(primary)
        return asked.then(({ rows }) => rows[0]?.position).catch(() => undefined)
      }),
    states: () =>
      replicas.map(({ name, state }) => {
        const { lagMs, replica } = state()
        return { name, lagMs, isReachable: replica !== undefined }
      }),
    close: async () => {
      stopping.abort()
      await inTimeForShutdown(Promise.all(loops))
      await Promise.all([primary.destroy(), ...replicas.map(({ close }) => close())])
    },
  }
}

/**
 * Watches one replica. When a replica has replayed a position, it is as fresh as the primary was when it reported that
 * position. So our clock alone measures the lag, also while the primary is idle.
 */
function watchReplica(
  url: string,
  connection: ConnectionConfig,
  primary: Kysely<Database>,
  stopping: AbortSignal,
  log: Logger,
) {
  const name = new URL(url).host
  const history: { at: number; position: number }[] = []
  let pools: Awaited<ReturnType<typeof openPools>> | undefined
  let identity: string | undefined
  let [position, freshAt] = [-1, Number.NEGATIVE_INFINITY]
  /** Whether the replica has more than the primary; undefined until both have been compared. */
  let isAhead: boolean | undefined
  /** Aborted once the replica cannot be used; undefined while it cannot. */
  let usable: AbortController | undefined
  let isReported = false

  const askPrimary = async () => {
    const [at, before] = [performance.now(), position]
    const now = await stateOf(primary)
    identity = now.identity
    if (before >= 0) isAhead = before > now.position
    while ((history.at(-1)?.position ?? -1) >= now.position) history.pop()
    history.push({ at, position: now.position })
    if (at - (history[0]?.at ?? at) > historyMs) history.shift()
  }
  const askReplica = async () => {
    pools ??= await openPools(url, connection)
    if (stopping.aborted) return
    const now = await stateOf(pools.watch)
    if (now.position < position) freshAt = Number.NEGATIVE_INFINITY
    position = now.position
    if (!now.isReplica) throw new Error('it is no replica')
    if (now.identity !== (identity ?? now.identity)) throw new Error("it must have the primary's database and user")
    if (isAhead) throw new Error('it is ahead of the primary: it replicates another server')
    if (isAhead === undefined) return
    freshAt = history.findLast((past) => past.position <= position)?.at ?? freshAt
    if (usable) return
    usable = new AbortController()
    isReported = true
    log.info({ replica: name }, 'a replica answers: reads that allow staleness may use it')
  }
  const markUnusable = ({ message, code }: NodeJS.ErrnoException) => {
    if (usable || !isReported) log.warn({ replica: name, reason: message || code }, 'a replica cannot be used')
    isReported = true
    usable?.abort()
    usable = undefined
  }
  let asking: Promise<void> | undefined
  /** Concurrent callers share the answer. It does not end with the request that asked. */
  const refresh = () => {
    asking ??= requestContext
      .exit(askReplica)
      .catch(markUnusable)
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return {
    name,
    refresh,
    poll: () => askPrimary().catch(ignore).then(refresh),
    state: () => ({
      position,
      lagMs: usable ? performance.now() - freshAt : Number.POSITIVE_INFINITY,
      replica: usable && pools && { db: pools.db, unusable: usable.signal },
    }),
    close: () => Promise.all([pools?.db.destroy(), pools?.watch.destroy()]),
  }
}

/** The pools of a replica, which may have a pooler even if the primary has none. */
async function openPools(url: string, { max, transactionPooling }: ConnectionConfig) {
  const { query_timeout } = watching
  const isBehindPooler = transactionPooling || (await isPooled({ connectionString: url, query_timeout }))
  const server = { connectionString: url, transactionPooling: isBehindPooler }
  return { db: connect({ ...server, max }, ignore), watch: connect({ ...server, ...watching }, ignore) }
}

interface ServerState {
  isReplica: boolean
  /** Bytes of the write-ahead log that are durable on a primary, or replayed on a replica. */
  position: number
  /** The user, and the time of the first migration: the same on a primary and its replicas. */
  identity: string
}

async function stateOf(db: Kysely<Database>): Promise<ServerState> {
  const { rows } = await sql<ServerState>`
    select pg_is_in_recovery() as "isReplica",
      coalesce(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end, '0/0'), 0)::float8 as position,
      concat_ws(' ', current_user, (select extract(epoch from min(ran_at)) from migration)) as identity`.execute(db)
  const [state] = rows
  if (!state) throw new Error('the server must answer with its state')
  return state
}
