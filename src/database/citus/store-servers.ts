import { setTimeout as sleep } from 'node:timers/promises'
import { type CircuitBreakerPolicy, CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { FairQueue, type FairQueueOptions } from '../../fair-share/fair-queue.ts'

/** How long a statement may wait before its server is probed, and how long the server has to answer the probe. */
const silentMs = 500
const answerMs = 3_000
const checkMs = 250
/** The pause between two probes of a server. */
const pauseMs = 1_000
/** A rebalancer may move a store: how long its server is remembered. */
const rememberedMs = 60_000

/** A server of Citus does not answer. PostgreSQL uses this code for connection failures. */
class ServerLost extends Error {
  override readonly name = 'ServerLost'
  readonly code = '08006'

  constructor({ host, port }: StoreServer) {
    super(`the server ${host}:${port} does not answer: its stores are unavailable`)
  }
}

export interface StoreServer {
  host: string
  port: number
  /** What goes to the server may hold three quarters of the connections, and of those of each tenant. */
  queue: FairQueue
  /** Open while the server does not answer probes. */
  circuit: CircuitBreakerPolicy
}

/** A statement that waits for its server. `end` closes its connection. */
interface Sent {
  server: StoreServer
  since: number
  end(error: Error): void
}

interface ServerRow extends Pick<StoreServer, 'host' | 'port'> {
  hasStore: boolean
}

export type StoreServers = ReturnType<typeof createStoreServers>

/**
 * Finds the servers of stores, and probes those that let a statement wait or fail. `coordinator` has the options of its
 * pool, which a failover changes. `onLost` gets an error when a server is lost.
 */
export function createStoreServers(
  coordinator: pg.PoolConfig,
  limits: FairQueueOptions,
  onLost: (error: Error) => void,
) {
  const servers = new Map<string, StoreServer>()
  const sent = new Set<Sent>()
  const probed = new Set<StoreServer>()
  const deadlines = { connectionTimeoutMillis: answerMs, query_timeout: answerMs }
  // One short statement needs no settings.
  const lookups = new pg.Pool({ ...coordinator, ...deadlines, max: 1, onConnect: undefined }).on('error', () => {})
  const homes = new LRUCache<string, StoreServer>({
    max: 10_000,
    ttl: rememberedMs,
    fetchMethod: async (store) => {
      Object.assign(lookups.options, { connectionString: coordinator.connectionString })
      const { rows } = await lookups.query<ServerRow>(findServers, [store])
      const found = rows.map((row) => ({ server: known(row), hasStore: row.hasStore }))
      return found.find(({ hasStore }) => hasStore)?.server
    },
  })

  const known = ({ host, port }: ServerRow): StoreServer => {
    const name = `${host}:${port}`
    const server = servers.get(name) ?? newServer(host, port, limits)
    if (servers.has(name)) return server
    servers.set(name, server)
    server.circuit.onBreak(() => {
      for (const each of sent) if (each.server === server) each.end(new ServerLost(server))
    })
    return server
  }

  const isKnown = ({ host, port }: StoreServer) => servers.has(`${host}:${port}`)
  const lost = () => [...servers.values()].filter((server) => !serves(server))

  /** Probes a server, and a lost one until it answers. */
  const probe = async (server: StoreServer): Promise<void> => {
    if (probed.has(server)) return
    probed.add(server)
    const wasServing = serves(server)
    const ask = () => requireAnswer(server, { ...coordinator, ...deadlines })
    await server.circuit.execute(ask).catch(() => wasServing && onLost(new ServerLost(server)))
    // A little longer than the circuit refuses probes.
    await sleep(pauseMs + 10, undefined, { ref: false })
    probed.delete(server)
    if (!serves(server) && isKnown(server)) void probe(server)
  }

  const check = setInterval(() => {
    const late = performance.now() - silentMs
    for (const each of sent) if (each.since < late) void probe(each.server)
  }, checkMs).unref()

  return {
    /** Undefined if the coordinator does not tell. */
    find: (store: string) => homes.fetch(store).catch(() => undefined),
    serves,
    requireServing(server: StoreServer): void {
      if (!serves(server)) throw new ServerLost(server)
    },
    /** Notes that a statement is sent. Returns what is to be called at its end. */
    note(server: StoreServer, end: Sent['end']): () => void {
      const one = { server, since: performance.now(), end }
      sent.add(one)
      return () => sent.delete(one)
    },
    probe: (server: StoreServer): void => void probe(server),
    lost: () => lost().map(({ host, port }) => `${host}:${port}`),
    async end(): Promise<void> {
      clearInterval(check)
      servers.clear()
      await lookups.end()
    },
  }
}

const findServers = `
  select nodename as host, nodeport as port, groupid = (
    select groupid from pg_dist_placement
    where shardid = get_shard_id_for_distribution_column('attribute_definition', $1::uuid)
  ) as "hasStore"
  from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards`

function newServer(host: string, port: number, limits: FairQueueOptions): StoreServer {
  const share = (slots: number) => Math.max(1, Math.floor((slots * 3) / 4))
  const slots = share(limits.slots)
  const slotsPerTenant = share(limits.slotsPerTenant ?? limits.slots)
  const circuit = circuitBreaker(handleAll, { halfOpenAfter: pauseMs, breaker: new ConsecutiveBreaker(1) })
  return { host, port, queue: new FairQueue({ ...limits, slots, slotsPerTenant }), circuit }
}

function serves({ circuit }: StoreServer): boolean {
  return circuit.state === CircuitState.Closed
}

/** Throws if the server does not answer a new connection from the coordinator. */
async function requireAnswer({ host, port }: StoreServer, coordinator: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(coordinator)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin')
    await client.query(`select set_config('citus.node_connection_timeout', $1, true)`, [answerMs])
    const check = 'select citus_check_connection_to_node($1, $2) as "isReached"'
    const { rows } = await client.query<{ isReached: boolean }>(check, [host, port])
    if (!rows[0]?.isReached) throw new Error('the coordinator does not reach the server')
  } finally {
    client.end().catch(() => {})
  }
}
