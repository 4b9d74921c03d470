import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The other worker processes at the same port. */
export interface ClusterPeers {
  /** The number of this worker, from 1: the label `worker` of its metrics. */
  number: number
  readMetrics(): Promise<string>
}

export type MetricRegistry = ReturnType<typeof createRegistry>

/** A number by the value of a label; undefined where there is nothing to measure. */
type Values = Readonly<Record<string, number>> | undefined

const bucketsInSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations of requests, process metrics, and gauges. A worker's carry its number and are read with its peers'. */
export function createRegistry(peers: ClusterPeers | undefined) {
  const registry = new Registry()
  const registers = [registry]
  const durations = new Histogram({
    name: 'catalogue_request_duration_seconds',
    help: 'How long requests took, by api, operation and HTTP status',
    labelNames: ['api', 'operation', 'status'],
    buckets: bucketsInSeconds,
    registers,
  })
  collectDefaultMetrics({ register: registry })
  if (peers) {
    registry.setDefaultLabels({ worker: String(peers.number) })
    AggregatorRegistry.setRegistries(registers)
  }
  return {
    /** Counts a request. `operation` must come from a bounded set. */
    observe: (api: string, operation: string, status: number, durationMs: number) =>
      durations.observe({ api, operation, status }, durationMs / 1000),
    read: async () => ({
      type: registry.contentType,
      body: peers ? await peers.readMetrics() : await registry.metrics(),
    }),
    /** Adds a gauge, which has no values while they cannot be read: the others do not need the database. */
    addGauge: (name: string, help: string, label: string, read: () => Values | Promise<Values>) => {
      const collect = async () => {
        const values = await Promise.resolve(read()).catch(() => undefined)
        gauge.reset()
        for (const [key, value] of Object.entries(values ?? {})) gauge.set({ [label]: key }, value)
      }
      const gauge: Gauge = new Gauge({ name: `catalogue_${name}`, help, labelNames: [label], registers, collect })
    },
    /** Adds the gauge of a delay in seconds: NaN while it cannot be read. */
    addDelay: (name: string, help: string, read: () => Promise<number>) => {
      const collect = async () => gauge.set(await read().catch(() => Number.NaN))
      const gauge: Gauge = new Gauge({ name: `catalogue_${name}_delay_seconds`, help, registers, collect })
    },
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
