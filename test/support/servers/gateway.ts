import { Agent } from 'node:http'
import { type Logger, pino } from 'pino'
import { readConfig } from '../../../src/app/config.ts'
import { startGateway } from '../../../src/app/gateway.ts'
import type { GatewayOptions } from '../../../src/app/gateway-options.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import type { ConnectionConfig } from '../../../src/database/connection/session.ts'
import type { GlobalConfig } from '../../../src/global-config/global-config.ts'
import { type Caller, callerOf } from '../clients/caller.ts'
import { recordExchange } from '../clients/exchanges.ts'
import { type Call, sendKept } from '../clients/http.ts'
import { background, createTestDatabase, type TestDatabase } from '../database/database.ts'
import { expectDocumented } from '../documented.ts'
import { fixture } from '../fixture.ts'
import { readYourWrites, replicasOf } from './read-your-writes.ts'

export const token = 'a-token-for-the-tests-only'

export interface TestGateway extends Caller, AsyncDisposable {
  database: TestDatabase
  url: string
  stop(): Promise<void>
}

export interface GraphQLReply {
  data?: Record<string, never> | null
  errors?: { message: string; extensions: { code: string; errorInfo?: Record<string, unknown>[] } }[]
}

type Given = 'metricsPublic' | 'tracing' | 'filterClient' | 'jwt' | 'introspection'

export interface TestGatewayOptions extends Pick<Partial<GatewayOptions>, Given> {
  /** The gateway is a further one on this database, with connections of its own, and leaves it in place. */
  database?: TestDatabase
  log?: Logger
  /** How the gateway connects to its database, where that is not straight to the run's PostgreSQL. */
  connection?: ConnectionConfig
  globalConfig?: GlobalConfig
  /** Options that are passed as they are. */
  more?: Partial<GatewayOptions>
}

const fallbackConfig: GlobalConfig = { enumerations: () => fallbackEnumerations, stop: () => {} }

/** A whole gateway on a database of its own, listening on a free port of the loopback. */
export async function startTestGateway({
  database: shared,
  log = pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
  connection = {},
  globalConfig = fallbackConfig,
  more = {},
  ...given
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const database = await createTestDatabase({ connection, ...(shared && { shared }) })
  const replicas = replicasOf(database)
  const options: GatewayOptions = {
    ...readConfig({}),
    db: database.db,
    connection: database.connection,
    globalConfig,
    bootstrapToken: token,
    persistedDocuments: undefined,
    port: 0,
    log,
    databaseReadUrl: replicas,
    // A thread takes a second of CPU time to start.
    hasSpareThread: false,
    ...given,
    ...more,
  }
  const gateway = await background.run(true, () => startGateway(options))
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const call = async (path: string, options: Call = {}) => {
    const send = (call: Call) => sendKept(gateway.url + path, { token, agent, ...call })
    const reply = await (replicas.length > 0 ? readYourWrites(database, send) : send)(options)
    expectDocumented(options.method ?? 'GET', path, reply)
    // A configuration of its own gives a gateway a document of its own.
    if (process.env.EXCHANGES && globalConfig === fallbackConfig)
      recordExchange(process.env.EXCHANGES, path, options, reply)
    return reply
  }
  const stop = async () => {
    agent.destroy()
    // A stop that takes long says why.
    if (log.level === 'silent') log.level = 'warn'
    await gateway.stop()
    await database.drop()
  }
  return { database, url: gateway.url, ...callerOf(call), stop, [Symbol.asyncDispose]: stop }
}

/** A gateway for the tests of the calling file or `describe`: starts before them and stops after them. */
export function useGateway(options: TestGatewayOptions = {}): TestGateway {
  return fixture(
    () => startTestGateway(options),
    (gateway) => gateway.stop?.(),
  )
}
