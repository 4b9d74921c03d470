import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { connect } from '../src/database/connection/connect.ts'
import { migrate } from '../src/database/migrate.ts'
import type { Database } from '../src/database/tables.ts'
import { citusNodes, createDistributed, dropDistributed } from '../test/support/database/citus.ts'
import { startPooler } from '../test/support/database/pooler.ts'
import { program } from '../test/support/servers/installed.ts'
import { inTurn, put } from './bulk.ts'
import { citusServers } from './citus.ts'
import { generate, stores } from './data.ts'
import { compare, rest } from './reads.ts'
import { npmStart, startServer } from './servers.ts'
import type { BenchDatabase } from './setup.ts'
import { table } from './table.ts'

/**
 * A gateway that keeps no pages on the benchmark's database, the same behind PgBouncer (`PGBOUNCER` names it) in
 * transaction mode, one on a database of 16 partitions, and with `CITUS_URL` one on Citus, with the same data; then
 * gateways on one and two workers of Citus.
 */
export async function databases(
  { db, url }: BenchDatabase,
  options: { rounds: number; seconds: number },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-bench-'))
  const { hostname, port, username: user, pathname } = new URL(url)
  const server = { host: decodeURIComponent(hostname), port: Number(port), user }
  const pooler = await startPooler(program('pgbouncer', process.env.PGBOUNCER), folder, server)
  const urls: Record<string, string> = {
    plain: url,
    'behind PgBouncer': `postgresql://${user}@${encodeURIComponent(folder)}:${pooler.connection.port}${pathname}`,
    '16 partitions': url.replace(/[^/]*$/, 'partitioned'),
  }
  await sql`drop database if exists partitioned`.execute(db)
  await sql`create database partitioned`.execute(db)
  await fill({ ...server, database: 'partitioned' }, (partitioned) => migrate(partitioned, 16))
  const [coordinator] = process.env.CITUS_URL ? await citusNodes() : []
  if (coordinator) {
    await dropDistributed('bench')
    await createDistributed('bench')
    await fill({ ...coordinator, database: 'bench' })
    urls.Citus = `postgresql://${coordinator.user}@${coordinator.host}:${coordinator.port}/bench`
  }
  const gateways = await Promise.all(
    Object.entries(urls).map(async ([name, DATABASE_URL]) => ({
      name,
      server: await startServer(npmStart, { DATABASE_URL, PAGE_CACHE_MB: '0' }),
    })),
  )
  const tables: string[] = []
  try {
    const pages = gateways.map(({ name, server: gateway }) => rest(name, gateway))
    tables.push(await compare('50 groups × 5 assets, read each time', pages, { ...options, connections: 16 }))
    const puts = gateways.map(({ name, server: gateway }) => [name, put(gateway, stores.big, 1_000)] as const)
    const rows = await inTurn('PUT of 1,000 products', Object.fromEntries(puts), options.rounds)
    tables.push(table(['bulk writes', 'ms', 'speed'], rows))
  } finally {
    await Promise.all(gateways.map(({ server: gateway }) => gateway.stop()))
    await pooler.stop()
    if (coordinator) await dropDistributed('bench')
    await rm(folder, { recursive: true, force: true })
  }
  if (coordinator) tables.push(await citusServers(options))
  return tables.join('\n\n')
}

async function fill(config: pg.PoolConfig, prepare: (db: Kysely<Database>) => Promise<unknown> = async () => {}) {
  const db = connect({ ...config, statement_timeout: 0 }, () => {})
  await prepare(db)
  await generate(db, { large: false })
  await db.destroy()
}
