import { setImmediate } from 'node:timers/promises'
import { oldestWriter } from '../catalogue/changes/oldest-writer.ts'
import { readQueue } from '../catalogue/projections/queue.ts'
import { connectionStateOf } from '../database/connection/connect.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import { lazy } from '../lazy.ts'
import type { MetricSources, Metrics } from '../metrics/registry.ts'
import { readWebhookFigures } from '../webhooks/figures.ts'
import type { startBackgroundWork } from './background-work.ts'
import type { GatewayOptions } from './gateway-options.ts'

interface MetricParts extends Pick<MetricSources, 'database' | 'memory' | 'threadPool' | 'openStreams'> {
  replicas: Replicas | undefined
  /** Undefined until the gateway listens. */
  background(): ReturnType<typeof startBackgroundWork> | undefined
}

/** The metrics of one gateway. prom-client is loaded after the first answer: it would delay the start. */
export function createGatewayMetrics(
  { db, globalConfig, filterClient, changesRetention, peers }: GatewayOptions,
  { replicas, background, ...parts }: MetricParts,
): Metrics {
  const isRecording = changesRetention > 0
  const sources: MetricSources = {
    ...parts,
    connectionPool: () => connectionStateOf(db),
    replicas: replicas?.states,
    queueDelay: async () => (await readQueue(db)).seconds,
    projectionFailures: () => background()?.failures(),
    deliveryResults: () => background()?.deliveryResults(),
    webhookFigures: isRecording ? () => readWebhookFigures(db) : undefined,
    feedDelay: isRecording ? async () => (await oldestWriter(db)).seconds : undefined,
    circuit: filterClient?.circuit,
    configuration: globalConfig.state,
    peers,
  }
  const registry = lazy(async () => {
    await setImmediate()
    const { createRegistry } = await import('../metrics/registry.ts')
    return createRegistry(sources)
  })
  return {
    observe: async (...request) => (await registry()).observe(...request),
    read: async () => (await registry()).read(),
  }
}
