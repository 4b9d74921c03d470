import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ConfigurationState } from '../global-config/global-config.ts'

const circuitStates = ['closed', 'half-open', 'open'] as const

/** The metrics that are not about requests. Each function is called when the metrics are read. */
export interface MetricSources {
  /** How the tables are kept; undefined where that is not known. */
  database?: string | undefined
  connectionPool?: (() => Record<'total' | 'idle' | 'waiting' | 'waitingForCore', number> | undefined) | undefined
  threadPool?: (() => { busy: number; waiting: number }) | undefined
  /** The number of open streams of events. */
  openStreams?: (() => number) | undefined
  replicas?: (() => { name: string; lagMs: number; isReachable: boolean }[]) | undefined
  /** The memory of open requests in bytes: in use, and the limit. */
  memory?: { state(): { held: number; max: number } } | undefined
  /** For how many seconds the oldest writing transaction has been open. */
  feedDelay?: (() => Promise<number>) | undefined
  /** For how many seconds the oldest changed product has waited in the queue of the projections. */
  queueDelay?: (() => Promise<number>) | undefined
  /** How often each projection has failed. */
  projectionFailures?: (() => Record<string, number> | undefined) | undefined
  /** How many attempts of deliveries to webhooks there were, by result. */
  deliveryResults?: (() => Record<string, number> | undefined) | undefined
  webhookFigures?: (() => Promise<{ byState: Record<string, number>; lagSeconds: number }>) | undefined
  circuit?: (() => (typeof circuitStates)[number]) | undefined
  configuration?: (() => ConfigurationState) | undefined
  peers?: ClusterPeers | undefined
}

/** The other worker processes at the same port. */
export interface ClusterPeers {
  /** The number of this worker, from 1: the label `worker` of its metrics. */
  number: number
  readMetrics(): Promise<string>
}

export type Metrics = ReturnType<typeof createRegistry>

const bucketsInSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations of requests, gauges, and process metrics. A worker's carry its number and are read with its peers'. */
export function createRegistry({ peers, ...sources }: MetricSources) {
  const registry = new Registry()
  const durations = new Histogram({
    name: 'catalogue_request_duration_seconds',
    help: 'How long requests took, by api, operation and HTTP status',
    labelNames: ['api', 'operation', 'status'],
    buckets: bucketsInSeconds,
    registers: [registry],
  })
  addGauges(registry, sources)
  const feedHelp = 'How long the oldest writing transaction has been open: changes since then are not in the feed yet'
  addDelay(registry, 'changes', feedHelp, sources.feedDelay)
  const queueHelp = 'How long the oldest changed product has waited for what is derived from it'
  addDelay(registry, 'projections', queueHelp, sources.queueDelay)
  const { webhookFigures } = sources
  const lagHelp = 'Age of the oldest change that a webhook attempts to deliver'
  addDelay(registry, 'webhooks', lagHelp, webhookFigures && (async () => (await webhookFigures()).lagSeconds))
  addWebhooks(registry, webhookFigures)
  collectDefaultMetrics({ register: registry })
  if (peers) {
    registry.setDefaultLabels({ worker: String(peers.number) })
    AggregatorRegistry.setRegistries([registry])
  }
  return {
    /** Counts a request. `operation` must come from a bounded set. */
    observe: (api: string, operation: string, status: number, durationMs: number) =>
      durations.observe({ api, operation, status }, durationMs / 1000),
    read: async () => ({
      type: registry.contentType,
      body: peers ? await peers.readMetrics() : await registry.metrics(),
    }),
  }
}

/** Lets a worker answer the supervisor's requests for metrics from the start: the supervisor waits for all workers. */
export function answerSupervisor(): void {
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries([])
}

export function readClusterMetrics(): Promise<string> {
  return new AggregatorRegistry().clusterMetrics()
}

function addDelay(registry: Registry, name: string, help: string, read: (() => Promise<number>) | undefined): void {
  if (!read) return
  const gauge: Gauge = new Gauge({
    name: `catalogue_${name}_delay_seconds`,
    help,
    registers: [registry],
    // The other metrics do not need the database.
    collect: () =>
      read().then(
        (seconds) => gauge.set(seconds),
        () => gauge.set(Number.NaN),
      ),
  })
}

function addWebhooks(registry: Registry, read: MetricSources['webhookFigures']): void {
  if (!read) return
  const webhooks: Gauge = new Gauge({
    name: 'catalogue_webhooks',
    help: 'Webhooks by state',
    labelNames: ['state'],
    registers: [registry],
    collect: async () => {
      const { byState } = await read().catch(() => ({ byState: {} }))
      webhooks.reset()
      for (const [state, count] of Object.entries(byState)) webhooks.set({ state }, count)
    },
  })
}

function addGauges(
  registry: Registry,
  {
    database,
    connectionPool,
    threadPool,
    openStreams,
    replicas,
    memory,
    circuit,
    configuration,
    projectionFailures,
    deliveryResults,
  }: MetricSources,
): void {
  const add = (name: string, help: string, label: string, values: () => Record<string, number> | undefined) => {
    const collect = () => {
      for (const [state, value] of Object.entries(values() ?? {})) gauge.set({ [label]: state }, value)
    }
    const gauge = new Gauge({ name: `catalogue_${name}`, help, labelNames: [label], registers: [registry], collect })
  }
  const isKnown = database !== undefined
  add('database', 'How the tables are kept: 1 for its kind', 'kind', () => (isKnown ? { [database]: 1 } : undefined))
  const connectionsHelp =
    'Connections to PostgreSQL by state; waiting are requests for one, and for a core of its server'
  add('pool_connections', connectionsHelp, 'state', () => {
    const state = connectionPool?.()
    if (!state) return undefined
    const { total, idle, waiting, waitingForCore } = state
    return { busy: total - idle, idle, waiting, waiting_for_core: waitingForCore }
  })
  const threadsHelp = 'Threads for large requests that are busy; waiting are requests for one'
  add('pool_threads', threadsHelp, 'state', () => threadPool?.())
  add('streams', 'Streams of events by state', 'state', () => openStreams && { open: openStreams() })
  const addReplicas = (name: string, help: string, value: (state: { lagMs: number; isReachable: boolean }) => number) =>
    add(`replica_${name}`, help, 'replica', () =>
      Object.fromEntries((replicas?.() ?? []).map((state) => [state.name, value(state)])),
    )
  const lagHelp = 'How old an answer of the replica may be; +Inf where that is not known'
  addReplicas('lag_seconds', lagHelp, ({ lagMs }) => lagMs / 1000)
  addReplicas('reachable', 'Whether the replica answers', ({ isReachable }) => Number(isReachable))
  const requestHelp = 'Memory for bodies, reads and unread answers of open requests: in use, and the limit'
  add('request_bytes', requestHelp, 'state', () => memory?.state())
  const failuresHelp = 'Failures of what is derived from products; they are tried again'
  add('projection_failures', failuresHelp, 'projection', () => projectionFailures?.())
  const deliveriesHelp = 'Attempts of deliveries to webhooks since the start, by result'
  add('webhook_deliveries', deliveriesHelp, 'result', () => deliveryResults?.())
  add('filter_circuit', 'The circuit breaker of the filtering service: 1 for its state', 'state', () => {
    const now = circuit?.()
    return now && Object.fromEntries(circuitStates.map((state) => [state, Number(state === now)]))
  })
  const addConfiguration = (name: string, help: string, value: (state: ConfigurationState) => number) =>
    add(`configuration_${name}`, help, 'source', () => configuration && { url: value(configuration()) })
  const current = 'Whether the latest reading of the global configuration succeeded'
  addConfiguration('current', current, ({ isCurrent }) => Number(isCurrent))
  addConfiguration('failures', 'Readings of the global configuration that failed', ({ failures }) => failures)
  const readAt = 'When the global configuration was last read successfully'
  addConfiguration('read_timestamp_seconds', readAt, (state) => (state.readAt ?? 0) / 1000)
}
