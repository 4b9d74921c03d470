import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import {
  type Catalogue,
  joinTransaction,
  type Origin,
  type WriteCatalogue,
  wholeCatalogue,
} from '../../src/catalogue/catalogue.ts'
import { needsCustomPlan } from '../../src/database/connection/session.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/tables.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { fixture } from '../support/fixture.ts'

/** A node of a plan by `explain (analyze, format json)`; rows are an average over the loops. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

export interface Explainer extends AsyncDisposable {
  catalogue: Catalogue
  /** Runs the work, rolls it back and returns all plan nodes of its statements, also of those within functions. */
  plansOf(work: (catalogue: WriteCatalogue) => Promise<unknown>): Promise<PlanNode[]>
  close(): Promise<void>
}

/** As the service sets it: Citus plans for each store. */
const useGenericPlans = `select set_config('plan_cache_mode', 'force_generic_plan', false)
  where current_setting('citus.propagate_set_commands', true) is distinct from 'local'`

/** PostgreSQL explains each statement while it runs it, planned as for the service. */
const explaining = `
  load 'auto_explain';
  set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_format = json;
  set auto_explain.log_nested_statements = on; set client_min_messages = log;
  ${useGenericPlans}`

/** Changes are recorded, as of any request. */
const origin: Origin = { requestId: 'explained', actor: 'explainer', via: 'graphql', operation: 'explain' }

/** Explains what is sent by its database. The user must be a superuser, and the session its own: without a pooler. */
export function createExplainer(server: pg.ClientConfig): Explainer {
  const pool = new pg.Pool({ ...server, max: 1 })
  const nodes: PlanNode[] = []
  // A connection that ends may still see its database dropped.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    client.on('notice', ({ message = '' }) => {
      const plan = message.split('  plan:\n')[1]
      if (plan !== undefined) nodes.push(...nodesOf((JSON.parse(plan) as { Plan: PlanNode }).Plan))
    })
    client.query(explaining).catch(() => {}) // then there are no plans
  })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: planning(pool) }) })
  const catalogue = { ...wholeCatalogue(db), origin }
  return {
    catalogue,
    plansOf: async (work) => {
      nodes.length = 0
      await undone(catalogue, work)
      return [...nodes]
    },
    close: () => db.destroy(),
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

/** A database without partitions, whatever TEST_PARTITIONS says: the plans for partitions of few stores differ. */
export async function createPlainDatabase(): Promise<TestDatabase> {
  const isTemplatePlain = !process.env.TEST_PARTITIONS && !process.env.CITUS_URL
  const database = await createTestDatabase({ empty: !isTemplatePlain })
  if (!isTemplatePlain) await migrate(database.db)
  return database
}

/** An explainer of a database without partitions, which `fill` fills, for the calling file. */
export function useExplainer(fill: (catalogue: Catalogue) => Promise<unknown>) {
  return fixture(
    async () => {
      const database = await createPlainDatabase()
      await fill(database.catalogue)
      const explainer = createExplainer(database.direct)
      await sql`vacuum analyze`.execute(explainer.catalogue.db)
      return { database, ...explainer }
    },
    async (made) => {
      await made.close?.()
      await made.database?.drop()
    },
    'all',
    120_000,
  )
}

/** Uses a custom plan for the statements for which the service uses one. */
function planning(pool: pg.Pool): PostgresPool {
  const connect = async () => {
    const client = await pool.connect()
    const query = async (text: string, values: readonly unknown[] = []) => {
      if (!needsCustomPlan(text)) return client.query(text, [...values])
      await client.query('set plan_cache_mode = force_custom_plan')
      const result = await client.query(text, [...values])
      await client.query(`reset plan_cache_mode; ${useGenericPlans}`)
      return result
    }
    return { query, release: () => client.release() } as unknown as PostgresPoolClient
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

class Undone extends Error {}

async function undone(catalogue: Catalogue, work: (catalogue: WriteCatalogue) => Promise<unknown>): Promise<void> {
  const done = catalogue.db.transaction().execute(async (transaction) => {
    await work(joinTransaction(catalogue, transaction))
    throw new Undone()
  })
  await done.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** How many rows all nodes together returned or removed. */
export function workOf(nodes: readonly PlanNode[]): number {
  return nodes.reduce((sum, node) => {
    const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0 } = node
    return sum + (node['Actual Rows'] + filtered + unjoined) * node['Actual Loops']
  }, 0)
}
