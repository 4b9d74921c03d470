import { oldestWriter } from '../catalogue/changes/oldest-writer.ts'
import { readQueue } from '../catalogue/projections/queue.ts'
import { connectionStateOf } from '../database/connection/connect.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { MetricSources } from '../metrics/registry.ts'
import { readWebhookFigures } from '../webhooks/figures.ts'
import type { startBackgroundWork } from './background-work.ts'
import type { GatewayOptions } from './gateway-options.ts'

interface MetricParts extends Pick<MetricSources, 'database' | 'memory' | 'threadPool' | 'openStreams'> {
  replicas: Replicas | undefined
  /** Undefined until the gateway listens. */
  background(): ReturnType<typeof startBackgroundWork> | undefined
}

export function createGatewayMetrics(
  { db, globalConfig, filterClient, changesRetention, peers }: GatewayOptions,
  { replicas, background, ...parts }: MetricParts,
) {
  const isRecording = changesRetention > 0
  return createMetrics({
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
  })
}
