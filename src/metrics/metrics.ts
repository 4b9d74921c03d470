import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { lazy } from '../lazy.ts'
import type { MetricSources, Metrics } from './registry.ts'

/** The metrics of one gateway. prom-client is loaded once the first answer has been sent: it would delay the start. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = lazy(async () => {
    await setImmediate()
    // prom-client requires it, and loading it is half of the work: requests run in between.
    createRequire(import.meta.url)('@opentelemetry/api')
    await setImmediate()
    const { createRegistry } = await import('./registry.ts')
    await setImmediate()
    return createRegistry(sources)
  })
  return {
    observe: async (...request) => (await registry()).observe(...request),
    read: async () => (await registry()).read(),
  }
}
