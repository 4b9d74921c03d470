import { setImmediate } from 'node:timers/promises'
import { lazy } from '../lazy.ts'
import type { MetricSources, Metrics } from './registry.ts'

/** The metrics of one gateway. prom-client is loaded after the first answer: it would delay the start. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = lazy(async () => {
    await setImmediate()
    const { createRegistry } = await import('./registry.ts')
    return createRegistry(sources)
  })
  return {
    observe: async (...request) => (await registry()).observe(...request),
    read: async () => (await registry()).read(),
  }
}
