import pg from 'pg'
import { distribute } from '../../../src/database/citus/distribute.ts'
import { connect } from '../../../src/database/connection/connect.ts'
import { migrate } from '../../../src/database/migrate.ts'

interface Node {
  host: string
  port: number
  user: string
}

/** The nodes of CITUS_URL, the coordinator first. */
export async function citusNodes(): Promise<Node[]> {
  const client = new pg.Client({ connectionString: process.env.CITUS_URL })
  await client.connect()
  const { rows } = await client.query('select nodename as host, nodeport as port from pg_dist_node order by groupid')
  await client.end()
  return rows.map((node) => ({ ...node, user: client.user ?? 'postgres' }))
}

/**
 * Makes a database on each node, and spreads the tables of the one on the coordinator, unless it is to be `empty`, over
 * the workers, or the first of them.
 */
export async function createDistributed(
  database: string,
  empty: boolean,
  workers = Number.POSITIVE_INFINITY,
): Promise<void> {
  const nodes = (await citusNodes()).slice(0, workers + 1)
  // One at a time: adding a server writes the roles that all databases share.
  const lock = new pg.Client({ connectionString: process.env.CITUS_URL })
  await lock.connect()
  await lock.query('select pg_advisory_lock(1)')
  await create(nodes, database, empty).finally(() => lock.end())
}

async function create(nodes: readonly Node[], database: string, empty: boolean): Promise<void> {
  for (const node of nodes) {
    await run({ ...node, database: 'postgres' }, `create database ${database}`)
    await run({ ...node, database }, 'create extension citus')
  }
  const [{ host, port, user } = { host: '', port: 0, user: '' }, ...workers] = nodes
  const added = workers.map((worker) => `select citus_add_node('${worker.host}', ${worker.port})`)
  await run({ host, port, user, database }, `select citus_set_coordinator_host('${host}', ${port}); ${added.join(';')}`)
  // A test fails writes by a trigger.
  await run({ host, port, user, database }, `alter database ${database} set citus.enable_unsafe_triggers = on`)
  if (empty) return
  const db = connect({ host, port, user, database, statement_timeout: 0 }, () => {})
  await migrate(db)
  await distribute(db)
  await db.destroy()
}

export async function dropDistributed(database: string): Promise<void> {
  for (const node of await citusNodes()) {
    const admin = { ...node, database: 'postgres' }
    await endPrepared(admin, database)
    await run(admin, `drop database if exists ${database} with (force)`)
  }
}

/** Ends what sessions of the coordinator that were ended had prepared on a worker: the database could not be dropped. */
async function endPrepared(admin: pg.ClientConfig, database: string): Promise<void> {
  const prepared = await run<{ gid: string }>(admin, `select gid from pg_prepared_xacts where database = '${database}'`)
  for (const { gid } of prepared) await run({ ...admin, database }, `rollback prepared '${gid}'`)
}

async function run<Row>(config: pg.ClientConfig, text: string): Promise<Row[]> {
  const client = new pg.Client(config)
  await client.connect()
  const { rows } = await client.query(text).finally(() => client.end())
  return rows
}
