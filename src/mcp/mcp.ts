import {
  type CreateMcpHandlerOptions,
  createMcpHandler,
  INVALID_PARAMS,
  isInitializeRequest,
  type ListToolsResult,
  Server,
} from '@modelcontextprotocol/server'
import type { GraphQLSchema } from 'graphql'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../database/tables.ts'
import { lackOf } from '../graphql/access.ts'
import type { Mcp, McpSession } from '../http/edges/mcp-edge.ts'
import { requestContext } from '../request/context.ts'
import { loggableError } from '../request/log.ts'
import { isObject } from '../text.ts'
import { applyPlanName, type CallOptions, call } from './call.ts'
import { createPlans } from './plans.ts'
import { readTools, type Tool } from './tools.ts'

const applyPlan = {
  name: applyPlanName,
  description:
    'Does the write of a plan, once: a plan that fails is used up, too. Ask the user first. The answer has a requestId, which undo_request takes.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      plan: { type: 'string', description: 'Id of the plan from the answer of a preview, not older than 10 minutes.' },
    },
    required: ['plan'],
    additionalProperties: false,
  },
}

/** The tools that write. */
const writing = [applyPlanName, 'undo_request']

/** No subscriptions: the tools do not change, and a stream would stay open. */
const settings = (log: Logger): CreateMcpHandlerOptions => ({
  maxSubscriptions: 0,
  onerror: (error) => log.warn({ err: loggableError(error) }, 'a request of an agent failed'),
})

interface Settings {
  mcp: 'off' | 'read' | 'write'
  mcpMaxAffected: number
  db: Kysely<Database>
  log: Logger
}

/** The Model Context Protocol over HTTP, without sessions. Each tool runs a GraphQL operation. */
export function createMcp(
  schema: GraphQLSchema,
  { mcp: mode, mcpMaxAffected: maxAffected, db, log }: Settings,
  { graphql, errorOf }: Pick<CallOptions, 'graphql' | 'errorOf'>,
): Mcp {
  const options = { graphql, errorOf, maxAffected, plans: createPlans(db) }
  const offered = readTools(schema).filter(({ isMutation }) => mode === 'write' || !isMutation)
  const handler = createMcpHandler(({ authInfo }) => {
    const session = authInfo?.extra?.session as McpSession
    const tools = offered.filter(({ access }) => lackOf(access, session.caller) === undefined)
    const server = new Server(
      { name: 'catalogue-gateway', version: '1' },
      { capabilities: { tools: {} }, instructions: 'Stores, products and their assets. Begin with list_stores.' },
    )
    server.setRequestHandler('tools/list', () => ({ tools: listed(tools) as ListToolsResult['tools'] }))
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) =>
      call(name, given, tools, session, options),
    )
    return server
  }, settings(log))
  const names = new Set([...offered.map(({ name }) => name), applyPlanName])
  return async (message, headers, session) => {
    const { tokenId } = session.caller
    // The library answers it with an internal error.
    if (message.method === 'initialize' && !isInitializeRequest(message)) return badInitialize(message)
    const authInfo = { token: tokenId, clientId: tokenId, scopes: [], extra: { session } }
    const signal = requestContext.getStore()?.signal ?? null
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}', signal })
    const response = await handler.fetch(request, { authInfo, parsedBody: message })
    const type = response.headers.get('content-type')
    const answer = {
      status: response.status,
      headers: type ? { 'Content-Type': type } : {},
      body: await response.text(),
    }
    const params = message.method === 'tools/call' && isObject(message.params) ? message.params : {}
    const operation = typeof params.name === 'string' && names.has(params.name) ? params.name : 'other'
    return { answer, summary: { operation, isWrite: writing.includes(operation) } }
  }
}

function badInitialize({ id = null }: Record<string, unknown>) {
  const expected = 'params must have protocolVersion, capabilities and clientInfo with a name and a version'
  const error = { code: INVALID_PARAMS, message: `Invalid params: ${expected}` }
  const headers = { 'Content-Type': 'application/json' }
  const answer = { status: 200, headers, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
  return { answer, summary: { operation: 'other', isWrite: false } }
}

function listed(tools: readonly Tool[]) {
  const shown = tools.map(({ name, description, inputSchema, isMutation, isPreviewed }) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: !isMutation || isPreviewed, openWorldHint: false },
  }))
  if (!tools.some(({ isPreviewed }) => isPreviewed)) return shown
  return [...shown, { ...applyPlan, annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false } }]
}
