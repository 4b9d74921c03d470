import { setImmediate } from 'node:timers/promises'
import { lazy } from '../lazy.ts'
import type { MetricSources, Metrics } from './registry.ts'

/** The metrics of one gateway. prom-client is loaded once the first answer has been sent: it would delay the start. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = lazy(async () => {
    await setImmediate()
    return (await import('./registry.ts')).createRegistry(sources)
  })
  return {
    observe: async (...request) => (await registry()).observe(...request),
    read: async () => (await registry()).read(),
  }
}
