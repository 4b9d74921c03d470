import { startTestGateway, type TestGateway } from '../../support/servers/gateway.ts'

export const onCitus = process.env.CITUS_URL !== undefined
/** On Citus a write takes a multiple of the time, and each connection needs a second one, to a worker. */
export const writers = onCitus ? 16 : 64

/** Two gateways on one database, each with connections for half of the writers. */
export interface TwoGateways {
  gateway: TestGateway
  /** Calls one gateway or the other, by the writer's number; throws when the answer is no success. */
  call(writer: number, method: string, path: string, body?: unknown): Promise<unknown>
  graphql(writer: number, query: string, variables: Record<string, unknown>): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** All may wait for one lock: on Citus for longer than a request usually may. */
const patience = {
  lock_timeout: 60_000,
  statement_timeout: 90_000,
  query_timeout: 95_000,
  connectionTimeoutMillis: 90_000,
}

const connection = { max: writers / 2, connectionTimeoutMillis: 20_000, ...(onCitus && patience) }

/** On Citus, large writes would wait too long for one of the two threads. */
const ownThread = {
  mainThreadLimits: { bytes: Infinity, members: Infinity, cost: Infinity, isForLong: true, readBytes: Infinity },
}
const more = onCitus ? ownThread : {}

export async function startTwoGateways(): Promise<TwoGateways> {
  const gateway = await startTestGateway({ connection, more })
  const other = await startTestGateway({ database: gateway.database, connection, more })
  const of = (writer: number) => (writer % 2 ? other : gateway)
  return {
    gateway,
    call: async (writer, method, path, body) => {
      const { status, text, json } = await of(writer).call(`/v1${path}`, { method, body })
      if (status !== 200) throw new Error(`writer ${writer}: ${method} ${path} was answered with ${status} ${text}`)
      return (json as { data: unknown }).data
    },
    graphql: (writer, query, variables) => of(writer).data(query, variables),
    stop: async () => {
      await other.stop()
      await gateway.stop()
    },
  }
}

/** Runs all writers at once; the first failure fails all. */
export async function together(work: (writer: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: writers }, (_, writer) => work(writer)))
}
