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

interface Distributed {
  /** Without tables. */
  empty?: boolean
  /** The number of workers; by default all. */
  workers?: number
}

/** Makes a database on each node, and distributes the tables of the one on the coordinator over the workers. */
export async function createDistributed(
  database: string,
  { empty = false, workers = Number.POSITIVE_INFINITY }: Distributed = {},
): Promise<void> {
  const nodes = (await citusNodes()).slice(0, workers + 1)
  // One at a time: adding a server writes the roles that all databases share.
  const lock = new pg.Client({ connectionString: process.env.CITUS_URL })
  await lock.connect()
  await lock.query('select pg_advisory_lock(1)')
  await create(nodes, database, empty).finally(() => lock.end())
}

/** Makes a distributed database for `copyDistributed`: nobody connects to it, not even Citus. */
export async function createDistributedTemplate(template: string): Promise<void> {
  await createDistributed(template)
  for (const node of await citusNodes()) {
    await run({ ...node, database: 'postgres' }, `alter database ${template} allow_connections false`)
    await endSessions({ ...node, database: 'postgres' }, template)
  }
}

/** Copies the template on each node: in much less time than it takes to make it. */
export async function copyDistributed(database: string, template: string): Promise<void> {
  const copy = async (node: Node) => {
    const admin = { ...node, database: 'postgres' }
    await run(admin, `create database ${database} template ${template}`)
    for (const setting of [unsafeTriggers, propagateSettings]) await run(admin, `alter database ${database} ${setting}`)
  }
  await Promise.all((await citusNodes()).map(copy))
}

/** A test fails writes by a trigger. */
const unsafeTriggers = 'set citus.enable_unsafe_triggers = on'
/** As `distribute` does. */
const propagateSettings = 'set citus.propagate_set_commands = local'

async function create(nodes: readonly Node[], database: string, empty: boolean): Promise<void> {
  for (const node of nodes) {
    await run({ ...node, database: 'postgres' }, `create database ${database}`)
    await run({ ...node, database }, 'create extension citus')
  }
  const [{ host, port, user } = { host: '', port: 0, user: '' }, ...workers] = nodes
  const added = workers.map((worker) => `select citus_add_node('${worker.host}', ${worker.port})`)
  await run({ host, port, user, database }, `select citus_set_coordinator_host('${host}', ${port}); ${added.join(';')}`)
  await run({ host, port, user, database }, `alter database ${database} ${unsafeTriggers}`)
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

async function endSessions(admin: pg.ClientConfig, database: string): Promise<void> {
  const ended = `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}'`
  await run(admin, ended)
}

/** Ends what lost sessions of the coordinator had prepared on a worker: the database could not be dropped. */
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
