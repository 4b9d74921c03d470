import type { ConfigurationState } from '../global-config/global-config.ts'
import { once } from '../once.ts'
import { Durations } from './durations.ts'
import type { Fellows } from './fellows.ts'

/** What is measured besides requests, read when somebody asks for the metrics. */
export interface Gauges {
  /** The pool of connections to PostgreSQL. */
  pool?: (() => PoolState | undefined) | undefined
  /** The memory for bodies of requests that have no answer yet, in bytes: what is used, and what there is. */
  bodies?: (() => { held: number; most: number }) | undefined
  /** The circuit before the remote filtering service. */
  circuit?: (() => 'closed' | 'half-open' | 'open') | undefined
  /** The global configuration, if there is a URL to read it from. */
  configuration?: (() => ConfigurationState) | undefined
  /** The other processes whose metrics are read along; each series then tells its `worker`. */
  fellows?: Fellows | undefined
}

export interface PoolState {
  total: number
  idle: number
  waiting: number
}

export interface Metrics {
  observe: Durations['observe']
  /** The metrics in the format of Prometheus. */
  read(): Promise<{ type: string; body: string }>
}

/** The metrics of one gateway. Those of the process begin with the first reading: without one they cost nothing, and nothing is loaded for them. */
export function createMetrics({ fellows, ...gauges }: Gauges): Metrics {
  const durations = new Durations()
  const registry = once(async () => (await import('./registry.ts')).createRegistry(durations, gauges, fellows))
  fellows?.giveFigures(async () => (await registry()).figures())
  return {
    observe: durations.observe.bind(durations),
    read: async () => (await registry()).read(),
  }
}
