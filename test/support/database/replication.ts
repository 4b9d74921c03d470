import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connect } from '../../../src/database/connection/connect.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { packagedBinDir } from '../../../src/embedded-postgres/binaries.ts'
import { startEmbedded } from '../../../src/embedded-postgres/embedded-postgres.ts'
import { type FaultProxy, startFaultProxy } from '../servers/fault-proxy.ts'
import { queryOnce } from './sql-client.ts'
import { createStandby } from './standby.ts'

export interface Replication {
  /** The way of gateways to the primary, and to the replica. */
  primary: Endpoint
  replica: Endpoint
  /** Holds replay where it is, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Waits until the replica has all that the primary has now. */
  catchUp(): Promise<void>
  stopReplica(): Promise<void>
  /** Starts the primary as it was before the replica was made, which knows nothing of what came after. */
  startFork(): ReturnType<typeof startEmbedded>
  /** Starts it again; what it replays is so much later than on the primary. */
  startReplica(delayMs?: number): Promise<void>
  stop(): Promise<void>
}

interface Endpoint {
  proxy: FaultProxy
  connection: { host: string; port: number; user: string; database: string }
  url: string
  /** Runs a statement straight on the server. */
  query(sql: string): Promise<pg.QueryResult>
}

/** A migrated primary of its own, and a streaming replica of it, each behind a proxy. */
export async function startReplication(): Promise<Replication> {
  const directory = await mkdtemp(join(tmpdir(), 'catalogue-replica-'))
  const within = (name: string) => join(directory, name)
  const [dataDir, forked] = [within('primary'), within('fork')]
  const binDir = process.env.TEST_POSTGRES_BIN ?? (await packagedBinDir())
  const first = await startEmbedded({ dataDir, binDir })
  const db = connect(first.connection, () => {})
  await migrate(db)
  await db.destroy()
  await first.stop()
  execFileSync('cp', ['-a', dataDir, forked])
  const { host, port, user, database } = first.connection
  const standby = await createStandby(binDir, dataDir, { host, port, user }, directory)
  const server = await startEmbedded({ dataDir, binDir })
  const primary = await endpoint({ host, port, user, database })
  const replica = await endpoint({ ...standby.connection, database })

  const waitFor = async (condition: string) => {
    while (!(await replica.query(`select ${condition} as yes`)).rows[0].yes) await sleep(5)
  }
  await standby.start()
  return {
    primary,
    replica,
    pause: async () => {
      await replica.query('select pg_wal_replay_pause()')
      await waitFor(`pg_get_wal_replay_pause_state() = 'paused'`)
    },
    resume: async () => void (await replica.query('select pg_wal_replay_resume()')),
    catchUp: async () => {
      const { rows } = await primary.query('select pg_current_wal_flush_lsn() as position')
      await waitFor(`pg_last_wal_replay_lsn() >= '${rows[0].position}'`)
    },
    startFork: () => startEmbedded({ dataDir: forked, binDir }),
    stopReplica: standby.stop,
    startReplica: standby.start,
    stop: async () => {
      await standby.stop()
      await Promise.all([primary.proxy.close(), replica.proxy.close()])
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function endpoint({ host, port, user, database }: Endpoint['connection']): Promise<Endpoint> {
  const proxy = await startFaultProxy({ path: `${host}/.s.PGSQL.${port}` })
  return {
    proxy,
    connection: { ...proxy.connection, user, database },
    url: `postgresql://${user}@${proxy.connection.host}:${proxy.connection.port}/${database}`,
    query: (sql) => queryOnce({ host, port, user, database }, sql),
  }
}
