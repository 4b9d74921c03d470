import pg from 'pg'
import { createFailover } from './hosts.ts'
import type { ConnectionConfig } from './session.ts'

/** How long the server may take to answer, and a pooler to find a session for a second client. */
const maxAnswerMs = 35_000
const maxSecondMs = 5_000
/** Other clients may take the session in between. */
const attempts = 20

/**
 * Whether there is a pooler: the process id of the connection is not that of the server's session. A pooler in session
 * mode looks the same, and is used in the same way.
 */
export function isPooled(connection: ConnectionConfig): Promise<boolean> {
  return withClients({ query_timeout: maxAnswerMs, ...connection }, async (open) => {
    const client = await open()
    // At the level that a server may set for transactions, a hot standby may refuse to read.
    await client.query('begin isolation level read committed')
    return (await pidOf(client)) !== (client as pg.PoolClient & { processID: number }).processID
  })
}

/**
 * Whether a pooler gives the session of an idle client to another client, as in transaction mode. A pooler in session
 * mode that has one session only lets the second client wait.
 */
export function sharesSessions(connection: ConnectionConfig): Promise<boolean> {
  return withClients({ ...connection, query_timeout: maxSecondMs }, async (open) => {
    const idle = await open()
    const pid = await pidOf(idle)
    try {
      const busy = await open()
      for (let attempt = 0; attempt < attempts; attempt++) {
        await busy.query('begin')
        // If a third client has got the first session, the idle client gets another one.
        if ((await pidOf(busy)) === pid || (await pidOf(idle)) !== pid) return true
        await busy.query('rollback')
      }
      return false
    } catch {
      return false
    }
  })
}

async function withClients(
  { urls = [], ...connection }: ConnectionConfig,
  work: (open: () => Promise<pg.PoolClient>) => Promise<boolean>,
): Promise<boolean> {
  const pool = new pg.Pool({ connectionTimeoutMillis: maxSecondMs, ...connection, max: 2 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const withFailover = createFailover(pool.options, urls)
  const clients: pg.PoolClient[] = []
  try {
    return await work(async () => {
      const client = await withFailover(() => pool.connect())
      clients.push(client)
      return client
    })
  } finally {
    for (const client of clients) client.release(true)
    await pool.end()
  }
}

async function pidOf(client: pg.PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
