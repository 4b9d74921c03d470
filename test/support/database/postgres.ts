import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg, { type PoolConfig } from 'pg'
import type { TestProject } from 'vitest/node'
import { connect } from '../../../src/database/connection/connect.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { packagedBinDir } from '../../../src/embedded-postgres/binaries.ts'
import { startEmbedded } from '../../../src/embedded-postgres/embedded-postgres.ts'
import { program } from '../servers/installed.ts'
import { citusNodes, createDistributedTemplate, dropDistributed } from './citus.ts'
import { startPooler } from './pooler.ts'
import { createStandby, type Standby } from './standby.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the PostgreSQL of this run listens: a socket directory. */
    postgres: { host: string; port: number; user: string }
    /** Where a gateway connects to: the same, or the pooler before it. */
    gatewayServer: { host: string; port: number; user: string; transactionPooling: boolean }
    /** A replica of it that lags, for reads of gateways. */
    replicaServer: { host: string; port: number; user: string } | null
    /** The migrated database that new ones are copies of. */
    template: string
  }
}

/**
 * The run's PostgreSQL; test files copy its migrated database. TEST_POSTGRES_BIN: the programs of another version.
 * TEST_PGBOUNCER: the program of a pooler that gateways connect through, found through the PATH, or its path.
 * TEST_PARTITIONS: how many the large tables have.
 * TEST_REPLICA_DELAY: how many ms the replica lags that gateways read from.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalogue-test-'))
  const binDir = process.env.TEST_POSTGRES_BIN
  let server = await startEmbedded({ dataDir, ...(binDir && { binDir }) })
  const { host, port, user } = server.connection
  const citus = process.env.CITUS_URL ? (await citusNodes())[0] : undefined
  // The servers of Citus outlive the run, and several runs may use them.
  const template = citus ? `catalogue_template_${process.pid}` : 'catalogue_template'
  await (citus ? createDistributedTemplate(template) : createTemplate(server.connection, template))
  const delay = process.env.TEST_REPLICA_DELAY
  let replica: Standby | undefined
  if (delay) {
    await server.stop()
    replica = await createStandby(binDir ?? (await packagedBinDir()), dataDir, { host, port, user }, dataDir)
    server = await startEmbedded({ dataDir, ...(binDir && { binDir }) })
    await replica.start(Number(delay))
  }
  project.provide('replicaServer', replica?.connection ?? null)
  project.provide('template', template)
  project.provide('postgres', citus ?? { host, port, user })
  const given = process.env.TEST_PGBOUNCER
  const pooler = given ? await startPooler(program(given), dataDir, { host, port, user }) : undefined
  const gatewayServer = pooler?.connection ?? citus ?? { host, port, user }
  project.provide('gatewayServer', { ...gatewayServer, transactionPooling: pooler !== undefined })
  return async () => {
    await Promise.all([pooler?.stop(), replica?.stop(), citus && dropDistributed(template)])
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function createTemplate(connection: PoolConfig, template: string): Promise<void> {
  const admin = new pg.Client({ ...connection, database: 'postgres' })
  await admin.connect()
  // What is in the page cache outlives killed processes, and a database is dropped in a hundredth of the time.
  for (const setting of ['fsync', 'full_page_writes']) await admin.query(`alter system set ${setting} = off`)
  await admin.query('select pg_reload_conf()')
  await admin.query(`create database ${template}`)
  await admin.end()
  const db = connect({ ...connection, database: template }, () => {})
  const partitions = process.env.TEST_PARTITIONS
  await migrate(db, partitions ? Number(partitions) : undefined)
  await db.destroy()
}
