import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type View, type WriteView, wholeCatalogue, within } from '../../src/catalog/viewer.ts'
import type { Database } from '../../src/database/tables.ts'

/** A node of a plan as `explain (analyze, format json)` tells it; rows are an average over the loops. */
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

export interface Explainer {
  db: View
  /** Does the work, undoes it, and explains each statement that it sent as PostgreSQL ran it: all nodes of all plans. */
  plansOf(work: (db: WriteView) => Promise<unknown>): Promise<PlanNode[]>
  close(): Promise<void>
}

/** Explains what Kysely compiles, planned as the service has it planned: prepared, for any parameters. No statement is written a second time. */
export function createExplainer(url: string): Explainer {
  const pool = new pg.Pool({ connectionString: url })
  const sent: CompiledQuery[] = []
  const logged = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (!/^(begin|commit|rollback)/.test(query.sql)) sent.push(query)
    },
  })
  const db = wholeCatalogue(logged)
  return {
    db,
    plansOf: async (work) => {
      sent.length = 0
      await undone(db, work)
      const statements = [...sent]
      const nodes: PlanNode[] = []
      await undone(db, async (transaction) => {
        await sql`set local plan_cache_mode = force_generic_plan`.execute(transaction)
        for (const [i, { sql: text, parameters }] of statements.entries()) {
          const name = `explained_${Date.now()}_${i}`
          await sql.raw(`prepare ${name} as ${text}`).execute(transaction)
          const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
          const { rows } = await sql
            .raw<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) execute ${name}${values}`)
            .execute(transaction)
          for (const row of rows) nodes.push(...nodesOf(row['QUERY PLAN'][0].Plan))
        }
      })
      return nodes
    },
    close: () => db.destroy(),
  }
}

/** The value as the driver would send it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`)
  return pg.escapeLiteral(String(value))
}

function element(value: unknown): string {
  return value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`
}

class Undone extends Error {}

async function undone(db: View, work: (db: WriteView) => Promise<unknown>): Promise<void> {
  const done = db.transaction().execute(async (transaction) => {
    await work(within(db, transaction))
    throw new Undone()
  })
  await done.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** How many rows all nodes together brought forth or looked at in vain. */
export function workOf(nodes: readonly PlanNode[]): number {
  return nodes.reduce((sum, node) => {
    const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0 } = node
    return sum + (node['Actual Rows'] + filtered + unjoined) * node['Actual Loops']
  }, 0)
}
