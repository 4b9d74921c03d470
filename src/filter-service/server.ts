import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Logger } from 'pino'
import { z } from 'zod'
import { maxGroups, pageGroups } from '../catalogue/asset-groups/asset-groups.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { isUnavailable, shortageOf } from '../database/unavailable.ts'
import { loggableError } from '../request/log.ts'
import { isStorable, parsedJson, storeUuidOf, textWithin } from '../text.ts'

const maxBytes = 64 * 1024
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000 }

const query = z.object({
  store_uuid: z.string(),
  channel: z.string(),
  asset_format: z.string(),
  offset: z.int().min(0),
  limit: z.int().min(1),
})

interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** The filtering service: `/filter` and `/health`, on the catalogue's database. */
export function createFilterServer(catalogue: Catalogue, log: Logger): Server {
  return createServer({ ...timeouts, keepAliveTimeout: 65_000 }, async (request, response) => {
    const { status, body, headers } = await answerOf(catalogue, request).catch((error: unknown): Answer => {
      if (isUnavailable(error)) {
        const problem = shortageOf(error) ?? 'the database cannot be reached'
        return { status: 503, body: { error: problem }, headers: { 'Retry-After': '1' } }
      }
      log.error({ err: loggableError(error), requestId: request.headers['x-request-id'] }, 'unexpected error')
      return { status: 500, body: { error: 'internal error; it has been logged' } }
    })
    response.statusCode = status
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
    if (!request.complete) response.setHeader('Connection', 'close')
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
    response.end(JSON.stringify(body))
  })
}

async function answerOf(catalogue: Catalogue, request: IncomingMessage): Promise<Answer> {
  const { method = '', url = '' } = request
  const [path] = url.split('?')
  if (path !== '/health' && path !== '/filter') {
    return { status: 404, body: { error: 'this service has /filter and /health' } }
  }
  const allowed = path === '/health' ? ['GET', 'HEAD'] : ['POST']
  if (!allowed.includes(method)) {
    const Allow = allowed.join(', ')
    return { status: 405, body: { error: `this path takes ${Allow}; got ${method}` }, headers: { Allow } }
  }
  if (path === '/health') return { status: 200, body: { status: 'ok' } }
  const body = await textWithin(maxBytes, request.iterator({ destroyOnReturn: false }))
  if (body === undefined) return { status: 413, body: { error: `the body must have at most ${maxBytes} bytes` } }
  const { success, data, error } = query.safeParse(parsedJson(body))
  if (success) return { status: 200, body: await filter(catalogue, data) }
  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return { status: 400, body: { error: faults.join('; ') } }
}

async function filter(
  catalogue: Catalogue,
  { store_uuid, channel, asset_format, offset, limit }: z.infer<typeof query>,
) {
  const store = storeUuidOf(store_uuid)
  if (store === undefined || !isStorable(channel) || !isStorable(asset_format))
    return { total_groups: 0, parent_codes: [] }
  const listing = { channel, assetFormat: asset_format, offset, limit: Math.min(limit, maxGroups) }
  const page = await pageGroups(catalogue, store, listing)
  return { total_groups: page?.totalGroups ?? 0, parent_codes: page?.groups.map((group) => group.parentCode) ?? [] }
}
