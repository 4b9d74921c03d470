import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from './postmaster.ts'

/**
 * One connection that a gateway holds as long as it uses the server, because its pool closes idle connections. With
 * it goes a shared advisory lock. Who wants to stop the server needs that lock exclusively, and so can neither stop it
 * under another gateway nor under one that is just arriving: that one waits for its own lock, and sees the server end.
 */
export interface Lease {
  readonly connection: Connection
  /** Settles when the connection is gone, for whatever reason. */
  readonly ended: Promise<void>
  /** True when no other lease and no other client is left; then nobody gets a lease until this one is released. */
  isLast(): Promise<boolean>
  release(): Promise<void>
}

const lockKey = 7_231_605_118
const applicationName = 'catalogue lease'

/** Takes a lease. Returns undefined when no server takes clients there now, and throws when it refuses us for good. */
export async function takeLease(connection: Connection): Promise<Lease | undefined> {
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
  client.on('error', () => {}) // `ended` tells
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [lockKey])
  } catch (error) {
    socket.destroy()
    if (isFinal(error)) throw error
    return undefined
  }
  socket.unref()
  return {
    connection,
    ended,
    isLast: () => isLast(client, socket),
    release: () => client.end(),
  }
}

/** PostgreSQL's answers that a moment's patience changes: it starts, stops, is full, or is about to be stopped. */
const passing = new Set(['57P01', '57P02', '57P03', '53300', '55P03'])

function isFinal(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !passing.has(error.code ?? '')
  return error instanceof Error && 'code' in error && error.code === 'EACCES'
}

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
