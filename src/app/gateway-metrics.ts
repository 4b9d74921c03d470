import { setImmediate } from 'node:timers/promises'
import { oldestWriter } from '../catalogue/changes/oldest-writer.ts'
import { readQueue } from '../catalogue/projections/queue.ts'
import { connectionStateOf } from '../database/connection/connect.ts'
import type { DatabaseKind } from '../database/kind.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import type { ThreadPool } from '../event-loop/thread-pool.ts'
import type { MemoryBudget } from '../fair-share/memory-budget.ts'
import type { ConfigurationState } from '../global-config/global-config.ts'
import { lazy } from '../lazy.ts'
import type { MetricRegistry } from '../metrics/registry.ts'
import { readWebhookFigures } from '../webhooks/figures.ts'
import type { startBackgroundWork } from './background-work.ts'
import type { GatewayOptions } from './gateway-options.ts'

type MeasuredOptions = Pick<GatewayOptions, 'db' | 'globalConfig' | 'filterClient' | 'changesRetention' | 'peers'>

interface MeasuredParts {
  /** How the tables are kept; undefined where that is not known. */
  kind: DatabaseKind | undefined
  threadState: ThreadPool['state']
  openStreams(): number
  memory: Pick<MemoryBudget, 'state'>
  replicas: Pick<Replicas, 'states'> | undefined
  /** Undefined until the gateway listens. */
  background(): ReturnType<typeof startBackgroundWork> | undefined
}

export type Metrics = ReturnType<typeof createGatewayMetrics>

/** The metrics of one gateway. prom-client is loaded after the first answer: it would delay the start. */
export function createGatewayMetrics(options: MeasuredOptions, parts: MeasuredParts) {
  const loaded = lazy(async () => {
    await setImmediate()
    const { createRegistry } = await import('../metrics/registry.ts')
    const registry = createRegistry(options.peers)
    addShared(registry, options, parts)
    addDependencies(registry, options, parts)
    addDerived(registry, options, parts)
    return registry
  })
  return {
    observe: async (...request: Parameters<MetricRegistry['observe']>) => (await loaded()).observe(...request),
    read: async () => (await loaded()).read(),
  }
}

/** What requests share. */
function addShared({ addGauge }: MetricRegistry, { db }: MeasuredOptions, parts: MeasuredParts): void {
  const connectionsHelp =
    'Connections to PostgreSQL by state; waiting are requests for one, waiting_for_core those for a core of its server'
  addGauge('pool_connections', connectionsHelp, 'state', () => {
    const state = connectionStateOf(db)
    if (!state) return undefined
    const { total, idle, waiting, waitingForCore } = state
    return { busy: total - idle, idle, waiting, waiting_for_core: waitingForCore }
  })
  const threadsHelp = 'Threads for large requests that are busy; waiting are requests for one'
  addGauge('pool_threads', threadsHelp, 'state', parts.threadState)
  addGauge('streams', 'Streams of events by state', 'state', () => ({ open: parts.openStreams() }))
  const memoryHelp = 'Memory for bodies, reads and unread answers of open requests: in use, and the limit'
  addGauge('request_bytes', memoryHelp, 'state', parts.memory.state)
}

const circuitStates = ['closed', 'half-open', 'open'] as const

/** What the gateway depends on. */
function addDependencies({ addGauge }: MetricRegistry, options: MeasuredOptions, parts: MeasuredParts): void {
  const { kind, replicas } = parts
  addGauge('database', 'How the tables are kept: 1 for its kind', 'kind', () => (kind ? { [kind]: 1 } : undefined))
  type ReplicaState = ReturnType<Replicas['states']>[number]
  const addReplicas = (name: string, help: string, measure: (state: ReplicaState) => number) =>
    addGauge(`replica_${name}`, help, 'replica', () =>
      Object.fromEntries((replicas?.states() ?? []).map((state) => [state.name, measure(state)])),
    )
  const lagHelp = 'How old an answer of the replica may be; +Inf where that is not known'
  addReplicas('lag_seconds', lagHelp, ({ lagMs }) => lagMs / 1000)
  addReplicas('reachable', 'Whether the replica answers', ({ isReachable }) => Number(isReachable))
  addGauge('filter_circuit', 'The circuit breaker of the filtering service: 1 for its state', 'state', () => {
    const now = options.filterClient?.circuit()
    return now && Object.fromEntries(circuitStates.map((state) => [state, Number(state === now)]))
  })
  const addConfiguration = (name: string, help: string, measure: (state: ConfigurationState) => number) =>
    addGauge(`configuration_${name}`, help, 'source', () => {
      const state = options.globalConfig.state?.()
      return state && { url: measure(state) }
    })
  const currentHelp = 'Whether the latest reading of the global configuration succeeded'
  addConfiguration('current', currentHelp, ({ isCurrent }) => Number(isCurrent))
  addConfiguration('failures', 'Readings of the global configuration that failed', ({ failures }) => failures)
  const readAtHelp = 'When the global configuration was last read successfully'
  addConfiguration('read_timestamp_seconds', readAtHelp, ({ readAt = 0 }) => readAt / 1000)
}

/** What follows the writes. */
function addDerived({ addGauge, addDelay }: MetricRegistry, options: MeasuredOptions, parts: MeasuredParts): void {
  const { db, changesRetention } = options
  const failuresHelp = 'Failures of what is derived from products; they are tried again'
  addGauge('projection_failures', failuresHelp, 'projection', () => parts.background()?.failures())
  const queueHelp = 'How long the oldest changed product has waited for what is derived from it'
  addDelay('projections', queueHelp, async () => (await readQueue(db)).seconds)
  const deliveriesHelp = 'Attempts of deliveries to webhooks since the start, by result'
  addGauge('webhook_deliveries', deliveriesHelp, 'result', () => parts.background()?.deliveryResults())
  if (changesRetention === 0) return
  const feedHelp = 'How long the oldest writing transaction has been open: changes since then are not in the feed yet'
  addDelay('changes', feedHelp, async () => (await oldestWriter(db)).seconds)
  const lagHelp = 'Age of the oldest change that a webhook attempts to deliver'
  addDelay('webhooks', lagHelp, async () => (await readWebhookFigures(db)).lagSeconds)
  addGauge('webhooks', 'Webhooks by state', 'state', async () => (await readWebhookFigures(db)).byState)
}
