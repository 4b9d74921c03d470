import { Agent, request } from 'node:http'
import type { PoolConfig } from 'pg'
import { type Logger, pino } from 'pino'
import { fallbackEnumerations } from '../../src/catalog/enumerations.ts'
import type { RemoteFilter } from '../../src/filter/remote-filter.ts'
import { startGateway } from '../../src/gateway.ts'
import type { GatewayOptions } from '../../src/gateway-options.ts'
import type { GlobalConfig } from '../../src/global-config/global-config.ts'
import type { Tracing } from '../../src/tracing/trace.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { expectDocumented } from './documented.ts'
import { recordExchange } from './exchanges.ts'

export const token = 'a-token-for-the-tests-only'

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The body as JSON; `undefined` when there is none. */
  json: unknown
}

export interface Call {
  method?: string
  headers?: Record<string, string>
  /** Sent as it is when it is a string or bytes, as JSON otherwise. */
  body?: unknown
  token?: string | null
}

export interface TestGateway {
  database: TestDatabase
  url: string
  /** Calls a path over real HTTP, with the token unless told otherwise. */
  call(path: string, call?: Call): Promise<Reply>
  /** Runs a GraphQL document over real HTTP and returns its data and errors. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLReply>
  /** Runs a document that must succeed and returns its data. */
  data(query: string, variables?: Record<string, unknown>): Promise<Record<string, never>>
  stop(): Promise<void>
}

export interface GraphQLReply {
  data?: Record<string, never> | null
  errors?: { message: string; extensions: { code: string; errorInfo?: Record<string, unknown>[] } }[]
}

export interface TestGatewayOptions {
  log?: Logger
  /** How the gateway connects to its database, where that is not straight to the run's PostgreSQL. */
  connection?: PoolConfig
  globalConfig?: GlobalConfig
  metricsPublic?: boolean
  tracing?: Tracing
  remoteFilter?: RemoteFilter
  jwt?: GatewayOptions['jwt']
  introspection?: GatewayOptions['introspection']
  /** What else the gateway is told, as it stands. */
  more?: Partial<GatewayOptions>
}

const fallbackConfig: GlobalConfig = { enumerations: () => fallbackEnumerations, stop: () => {} }

/** A whole gateway on a database of its own, listening on a free port of the loopback. */
export async function startTestGateway({
  log = pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
  connection = {},
  metricsPublic = false,
  tracing,
  globalConfig = fallbackConfig,
  remoteFilter,
  jwt,
  introspection = 'all',
  more = {},
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const database = await createTestDatabase({ connection })
  const gateway = await startGateway({
    db: database.db,
    connection: database.connection,
    jwt,
    introspection,
    globalConfig,
    remoteFilter,
    bootstrapToken: token,
    metricsPublic,
    tracing,
    host: '127.0.0.1',
    port: 0,
    log,
    ...more,
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const call = async (path: string, options: Call = {}) => {
    const reply = await send(gateway.url, path, options, agent)
    expectDocumented(options.method ?? 'GET', path, reply)
    // A configuration of its own gives a gateway a document of its own.
    if (process.env.EXCHANGES && globalConfig === fallbackConfig)
      recordExchange(process.env.EXCHANGES, path, options, reply)
    return reply
  }
  const graphql = async (query: string, variables: Record<string, unknown> = {}) => {
    const reply = await call('/graphql', { method: 'POST', body: { query, variables } })
    return reply.json as GraphQLReply
  }
  return {
    database,
    url: gateway.url,
    call,
    graphql,
    data: async (query, variables) => {
      const { data, errors } = await graphql(query, variables)
      if (errors || !data) throw new Error(`the document failed: ${JSON.stringify(errors)}`)
      return data
    },
    stop: async () => {
      agent.destroy()
      await gateway.close()
      await database.drop()
    },
  }
}

/** Calls a path of any gateway over real HTTP. */
export function send(url: string, path: string, call: Call, agent?: Agent): Promise<Reply> {
  const { method = 'GET', headers = {}, body, ...rest } = call
  const bearer = rest.token === undefined ? token : rest.token
  const bytes =
    body === undefined
      ? undefined
      : typeof body === 'string' || body instanceof Uint8Array
        ? body
        : JSON.stringify(body)
  const sent = {
    ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
    ...(bytes !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(bytes)),
    }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(url),
      { method, path, ...(agent && { agent }), headers: sent },
      async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
        const text = Buffer.concat(chunks).toString()
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== ''
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        })
      },
    )
    outgoing.on('error', (error: Error & { code?: string }) => {
      // A kept connection may be closed by the server in the moment that it is used again: then nothing was asked yet.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') send(url, path, call, agent).then(resolve, reject)
      else reject(error)
    })
    outgoing.end(bytes)
  })
}
