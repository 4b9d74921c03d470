import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import { startGlobalConfig } from '../global-config/global-config.ts'
import type { StopOptions } from '../http/stop-server.ts'
import { startTracing } from '../tracing/start-tracing.ts'
import type { Config } from './config.ts'
import { startGateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-options.ts'

/** Together less than the five seconds for which a service manager waits after SIGTERM. */
const stopping = { readinessDelayMs: 500, drainMs: 2_000, forceCloseMs: 1_500 }

export interface GatewayEnvironment extends Pick<GatewayOptions, 'db' | 'connection' | 'peers'> {
  env: Record<string, string | undefined>
}

/** Starts a gateway with the parts that its configuration names. Leaves nothing running when it throws. */
export async function startConfiguredGateway(config: Config, { env, ...environment }: GatewayEnvironment, log: Logger) {
  const persistedDocuments = await readPersistedDocuments(config)
  const globalConfig = await startGlobalConfig(config, log)
  const filterClient = await filterClientOf(config, log)
  const tracing = await startTracing(env)
  const closeParts = async () => {
    globalConfig.stop()
    await filterClient?.close()
    await tracing?.close()
  }
  try {
    const parts = { globalConfig, filterClient, persistedDocuments, tracing, log }
    const gateway = await startGateway({ ...config, ...environment, ...parts })
    return {
      url: gateway.url,
      /** Lets requests end, and closes the gateway but not its database. */
      stop: async (portClosed?: StopOptions['portClosed']) => {
        globalConfig.stop()
        await gateway.stop({ ...stopping, portClosed })
        await closeParts()
      },
    }
  } catch (error) {
    await closeParts()
    throw error
  }
}

/** Reads the persisted documents: JSON of name to document, as code generators write it. Throws on a bad file. */
async function readPersistedDocuments({ persistedDocuments: file, persistedDocumentsOnly: only }: Config) {
  if (file === undefined && only) throw new Error('PERSISTED_DOCUMENTS_ONLY needs PERSISTED_DOCUMENTS')
  if (file === undefined) return undefined
  const parsed = documentsShape.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (!parsed.success) throw new Error('PERSISTED_DOCUMENTS must name a JSON object of name to document')
  return { documents: new Map(Object.entries(parsed.data)), only }
}

const documentsShape = z.record(z.string().min(1), z.string().min(1))

/** The client and its circuit breaker are loaded only where there is a filtering service. */
async function filterClientOf({ filterUrl: url, filterTimeoutMs: timeoutMs }: Config, log: Logger) {
  if (url === undefined) return undefined
  const { createFilterClient } = await import('../filter-service/client.ts')
  return createFilterClient({ url, timeoutMs, log })
}
