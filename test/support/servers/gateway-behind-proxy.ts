import { fixture } from '../fixture.ts'
import { type FaultProxy, startPostgresProxy } from './fault-proxy.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'

export interface GatewayBehindProxy extends TestGateway {
  proxy: FaultProxy
  /** Cuts the connections to PostgreSQL, and has new ones refused. */
  cut(): Promise<void>
  restore(): Promise<void>
}

export async function startGatewayBehindProxy(options: TestGatewayOptions = {}): Promise<GatewayBehindProxy> {
  const proxy = await startPostgresProxy()
  const gateway = await startTestGateway({ ...options, connection: proxy.connection })
  const stop = async () => {
    await gateway.stop()
    await proxy.close()
  }
  return {
    ...gateway,
    proxy,
    cut: () => proxy.set({ kind: 'down' }),
    restore: () => proxy.set({ kind: 'none' }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

export function useGatewayBehindProxy(options: TestGatewayOptions = {}): GatewayBehindProxy {
  return fixture(
    () => startGatewayBehindProxy(options),
    (gateway) => gateway.stop?.(),
  )
}
