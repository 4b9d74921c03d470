import type { CallToolResult } from '@modelcontextprotocol/server'
import { invalidRequest, type PublicError } from '../errors.ts'
import { requireLength } from '../http/body/body-size.ts'
import type { GraphQLApi } from '../http/edges/graphql-edge.ts'
import type { McpSession } from '../http/edges/mcp-edge.ts'
import { HttpError } from '../request/http-error.ts'
import { isObject } from '../text.ts'
import { type Plans, refused } from './plans.ts'
import type { Tool } from './tools.ts'

export interface CallOptions extends Pick<GraphQLApi, 'graphql' | 'errorOf'> {
  /** How many products, assets and links one call may change. */
  maxAffected: number
  plans: Plans
}

export const applyPlanName = 'apply_plan'

/** How many items of a list an answer shows, with the number of all. */
const shownItems = 20

/** Agents cannot read longer answers. */
const maxAnswerBytes = 256 * 1024

/** Runs a tool for an agent. Errors are part of the answer: the agent can correct its call. */
export async function call(
  name: string,
  given: Record<string, unknown>,
  tools: readonly Tool[],
  session: McpSession,
  options: CallOptions,
): Promise<CallToolResult> {
  try {
    if (name === applyPlanName) return answered(await apply(given.plan, tools, session, options))
    const tool = tools.find((one) => one.name === name)
    if (!tool) throw invalidRequest(`there is no tool ${JSON.stringify(name)}`)
    const unknown = Object.keys(given).find((key) => !Object.hasOwn(tool.inputSchema.properties, key))
    if (unknown !== undefined) throw invalidRequest(`${name} has no argument ${JSON.stringify(unknown)}`)
    if (!tool.isMutation) return answered((await run(tool, given, session, options)).data)
    if (!tool.isPreviewed) return answered(await write(tool, given, session, options))
    const { data, affected } = await run(tool, { ...given, dryRun: true }, session, options)
    const { fingerprint, ...preview } = onlyField(data)
    const variables = fingerprint === undefined ? given : { ...given, fingerprint }
    const plan = await options.plans.keep({ operation: tool.operation, variables }, session.caller)
    return answered({ affected, ...preview, plan })
  } catch (error) {
    const { faults } = options.errorOf(error, session.requestId)
    return { isError: true, content: [{ type: 'text', text: JSON.stringify({ errors: faults }) }] }
  }
}

async function apply(given: unknown, tools: readonly Tool[], session: McpSession, options: CallOptions) {
  const { caller, requestId } = session
  const { id, operation, variables } = await options.plans.read(given, caller)
  const tool = tools.find((one) => one.isPreviewed && one.operation === operation)
  if (!tool) throw refused('this token is no longer allowed to apply it')
  await options.plans.begin(id, caller, requestId)
  return write(tool, variables, session, options)
}

async function write(tool: Tool, variables: Record<string, unknown>, session: McpSession, options: CallOptions) {
  const { data } = await run(tool, { ...variables, dryRun: false }, session, options)
  const { fingerprint: _, ...result } = onlyField(data)
  return { requestId: session.requestId, ...result }
}

/** Runs the operation of a tool, with the limit on changes. Throws its errors. */
async function run(tool: Tool, variables: Record<string, unknown>, session: McpSession, options: CallOptions) {
  const { graphql, maxAffected } = options
  const body = new TextEncoder().encode(JSON.stringify({ variables }))
  const request = {
    ...session,
    method: 'POST',
    search: '',
    accept: 'application/json',
    headers: { prefer: `max-affected=${maxAffected}` },
    document: tool.text,
    ...(tool.isMutation && { shownItems }),
    body,
  }
  const { answer } = await graphql(request)
  if (!tool.isMutation) requireLength(answer, maxAnswerBytes)
  const { body: made = '' } = answer
  const { data, errors, extensions } = JSON.parse(typeof made === 'string' ? made : Buffer.concat(made).toString()) as {
    data?: Record<string, unknown>
    errors?: PublicError[]
    extensions?: { affected?: number }
  }
  if (!errors?.[0]) return { data: data ?? {}, affected: extensions?.affected }
  const faults = errors.flatMap(
    ({ message, extensions: { code, errorInfo } }) => errorInfo ?? [{ reason: code, details: message }],
  )
  throw new HttpError(errors[0].extensions.code, faults)
}

/** The result of the one field of a mutation. */
function onlyField(data: Record<string, unknown>): Record<string, unknown> {
  return Object.values(data).filter(isObject)[0] ?? {}
}

function answered(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}
