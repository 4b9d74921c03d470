import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'
import { startProxy } from './proxy.ts'

export interface CutOffGateway extends TestGateway {
  /** Cuts the way to PostgreSQL: connections break, new ones are refused. */
  cut(): Promise<void>
  /** Opens the way again. */
  mend(): Promise<void>
}

/** A gateway that reaches its PostgreSQL through a door that can be shut. */
export async function startCutOffGateway(options: TestGatewayOptions = {}): Promise<CutOffGateway> {
  const proxy = await startProxy()
  const gateway = await startTestGateway({ ...options, connection: proxy.connection })
  return {
    ...gateway,
    cut: proxy.refuse,
    mend: proxy.open,
    stop: async () => {
      await gateway.stop()
      await proxy.close()
    },
  }
}
