import { AggregatorRegistry, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { ConfigurationState } from '../global-config/global-config.ts'
import type { Durations } from './durations.ts'
import type { Fellows, Figures } from './fellows.ts'
import type { Gauges, Metrics } from './metrics.ts'

/** The durations of requests, the gauges, and the metrics of the process from now on: as Prometheus reads them, and as the other processes do. */
export function createRegistry(
  durations: Durations,
  gauges: Gauges,
  fellows: Fellows | undefined,
): { read: Metrics['read']; figures(): Promise<Figures> } {
  const registry = new Registry()
  if (fellows) registry.setDefaultLabels({ worker: String(fellows.number) })
  registry.registerMetric(durations as unknown as Metric<string>)
  addGauges(registry, gauges)
  collectDefaultMetrics({ register: registry })
  return {
    read: async () => {
      const read = fellows ? together(await fellows.figures()) : registry
      return { type: registry.contentType, body: await read.metrics() }
    },
    figures: () => registry.getMetricsAsJSON(),
  }
}

/** One registry of the metrics of several processes. No two have the same labels: what is added up stays as it is. */
function together(figures: readonly Figures[]): Registry {
  return AggregatorRegistry.aggregate(
    figures.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'sum' }))),
  )
}

function addGauges(registry: Registry, { pool, bodies, circuit, configuration }: Gauges): void {
  gauge(
    registry,
    'catalogue_pool_connections',
    'Connections to PostgreSQL by state; waiting are requests for one',
    'state',
    () => {
      const state = pool?.()
      return state && { busy: state.total - state.idle, idle: state.idle, waiting: state.waiting }
    },
  )
  gauge(
    registry,
    'catalogue_body_bytes',
    'Memory for bodies of requests that have no answer yet: what is held, and the most there may be',
    'state',
    () => bodies?.(),
  )
  gauge(
    registry,
    'catalogue_filter_circuit',
    'The circuit before the remote filtering service: 1 for its state',
    'state',
    () => {
      const now = circuit?.()
      return (
        now && {
          closed: Number(now === 'closed'),
          'half-open': Number(now === 'half-open'),
          open: Number(now === 'open'),
        }
      )
    },
  )
  const config = (name: string, help: string, value: (state: ConfigurationState) => number) =>
    gauge(
      registry,
      `catalogue_configuration_${name}`,
      help,
      'source',
      () => configuration && { url: value(configuration()) },
    )
  config('current', 'Whether the latest reading of the global configuration was a success', (state) =>
    Number(state.isCurrent),
  )
  config('failures', 'Readings of the global configuration that failed', (state) => state.failures)
  config(
    'read_timestamp_seconds',
    'When the global configuration was last read and understood',
    ({ readAt }) => (readAt ?? 0) / 1000,
  )
}

/** A gauge with one label, whose values are asked for at each reading; undefined: there are none. */
function gauge(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: () => Record<string, number> | undefined,
): void {
  const made = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect: () => {
      for (const [state, value] of Object.entries(values() ?? {})) made.set({ [label]: state }, value)
    },
  })
}
