import type { GraphQLSchema } from 'graphql'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../database/tables.ts'
import type { Mcp } from '../http/mcp-edge.ts'
import { lazy } from '../lazy.ts'
import type { McpOptions } from './call.ts'

interface Settings {
  mcp: 'off' | McpOptions['mode']
  mcpMaxAffected: number
  db: Kysely<Database>
  log: Logger
}

/** The tools for agents, loaded with their first request; undefined where they are switched off. */
export function loadMcp(
  { mcp: mode, mcpMaxAffected: maxAffected, db, log }: Settings,
  schema: GraphQLSchema,
  { graphql, errorOf }: Pick<McpOptions, 'graphql' | 'errorOf'>,
): (() => Promise<Mcp>) | undefined {
  if (mode === 'off') return undefined
  return lazy(async () => {
    const { createMcp } = await import('./mcp.ts')
    const { createPlans } = await import('./plans.ts')
    return createMcp(schema, { mode, maxAffected, graphql, errorOf, plans: createPlans(db), log })
  })
}
