import { startOnePerTick } from '../../event-loop/start-one-per-tick.ts'
import type { Caller } from '../../request/caller.ts'
import type { OperationResult } from '../../request/exchange.ts'
import { HttpError } from '../../request/http-error.ts'
import { jsonOf } from '../../request/json-text.ts'
import { isObject } from '../../text.ts'
import { readJsonBody } from '../body/read-json-body.ts'
import { type HttpRequest, type HttpResult, withinLimits } from './http-request.ts'

/** The caller and the id of one request. */
export interface McpSession {
  caller: Caller
  requestId: string
}

/** Answers one message of the protocol. */
export type Mcp = (
  message: Record<string, unknown>,
  headers: Record<string, string>,
  session: McpSession,
) => Promise<OperationResult>

/** Larger messages are refused: the main thread parses them. */
const maxBytes = 512 * 1024

const readHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

/** Serves /mcp: the Model Context Protocol (Streamable HTTP, stateless) to everyone with a token. */
export async function serveMcp(mcp: () => Promise<Mcp>, incoming: HttpRequest): Promise<HttpResult> {
  const { request, id } = incoming
  const caller = incoming.requireCaller()
  const { method, headers } = request
  if (method !== 'POST') throw new HttpError('method_not_allowed', `/mcp takes POST; got ${method}`, { Allow: 'POST' })
  const body = await readJsonBody(request, { maxBytes })
  await startOnePerTick()
  const message = jsonOf('body', body)
  if (!isObject(message)) throw new HttpError('invalid_request', 'body must be one message: a JSON object')
  const named = readHeaders.map((name) => [name, headers[name]?.toString()]).filter(([, value]) => value !== undefined)
  const run = await mcp()
  const result = await run(message, Object.fromEntries(named), { caller, requestId: id.text })
  return withinLimits('mcp', result, request)
}
