import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { catalogue } from './create-cluster.ts'
import { type DataDirectory, socketPort } from './data-directory.ts'

/** A connection with a shared advisory lock. A process stops the server only with the exclusive lock. */
export type Lease = NonNullable<Awaited<ReturnType<typeof acquireLease>>>

const lockKey = 7_231_605_118
const applicationName = 'catalogue lease'

/** Returns undefined when no server accepts clients now. `ended` resolves when the connection ends, for any reason. */
export async function acquireLease({ socketDir }: DataDirectory) {
  const connection = { host: socketDir, port: socketPort, user: catalogue, database: catalogue }
  const socket = new Socket()
  const client = new pg.Client({
    ...connection,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    lock_timeout: 5_000,
    ssl: false,
    stream: () => socket,
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  client.on('error', () => {}) // `ended` resolves too
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [lockKey])
  } catch {
    socket.destroy()
    return undefined
  }
  socket.unref()
  return { connection, ended, isLast: () => isLast(client, socket), release: () => client.end() }
}

/** Whether no other lease and no other client is left; if so, no new lease is granted until this one is released. */
async function isLast(client: pg.Client, socket: Socket): Promise<boolean> {
  socket.ref()
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [lockKey])
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockKey])
    return rows[0]?.locked === true && (await hasNoOtherClients(client))
  } catch {
    return false // the server is gone
  }
}

/** A connection that its client has closed is listed a moment longer, so a client counts when it stays. */
async function hasNoOtherClients(client: pg.Client): Promise<boolean> {
  const sql = `select count(*)::int as others from pg_stat_activity
    where backend_type in ('client backend', 'walsender') and pid <> pg_backend_pid() and application_name <> $1`
  for (const deadline = Date.now() + 500; ; await sleep(20)) {
    const { rows } = await client.query<{ others: number }>(sql, [applicationName])
    if (rows[0]?.others === 0) return true
    if (Date.now() > deadline) return false
  }
}
