import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { z } from 'zod'
import { largestPage, listGroupsOfStores } from '../catalog/asset-groups.ts'
import { isStorable, storeUuidOf } from '../catalog/text.ts'
import type { View } from '../catalog/viewer.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { loggableError } from '../loggable-error.ts'

const mostBytes = 64 * 1024
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000 }

const question = z.object({
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

/** The filtering service's side of the contract (decisions: Filtering service), with `/health`, over the catalogue's own database. */
export function createFilterService(db: View, log: Logger): Server {
  return createServer({ ...timeouts, keepAliveTimeout: 65_000 }, (request, response) => {
    answerTo(db, request)
      .catch((error: unknown): Answer => {
        const requestId = request.headers['x-request-id']
        if (isUnavailable(error))
          return { status: 503, body: { error: 'the database cannot be reached' }, headers: again }
        log.error({ err: loggableError(error), requestId }, 'unexpected error')
        return { status: 500, body: { error: 'the service made a mistake; it has been logged' } }
      })
      .then((answer) => send(request, response, answer))
  })
}

const again = { 'Retry-After': '1' }

async function answerTo(db: View, request: IncomingMessage): Promise<Answer> {
  const path = request.url?.split('?')[0]
  if (path === '/health')
    return onlyFor(request, ['GET', 'HEAD'], async () => ({ status: 200, body: { status: 'ok' } }))
  if (path === '/filter') return onlyFor(request, ['POST'], async () => filter(db, await readBody(request)))
  return { status: 404, body: { error: 'this service has /filter and /health' } }
}

async function onlyFor(request: IncomingMessage, methods: string[], work: () => Promise<Answer>): Promise<Answer> {
  if (methods.includes(request.method ?? '')) return work()
  const Allow = methods.join(', ')
  return { status: 405, body: { error: `this path takes ${Allow}; got ${request.method}` }, headers: { Allow } }
}

async function filter(db: View, body: string | undefined): Promise<Answer> {
  if (body === undefined) return { status: 413, body: { error: `the body must have at most ${mostBytes} bytes` } }
  const asked = question.safeParse(json(body))
  if (!asked.success) {
    const faults = asked.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
    return { status: 400, body: { error: faults.join('; ') } }
  }
  const { store_uuid, channel, asset_format: assetFormat, offset, limit } = asked.data
  const storeUuid = storeUuidOf(store_uuid)
  const names = [channel, assetFormat].every((name) => isStorable(name))
  const pages =
    storeUuid && names
      ? await listGroupsOfStores(
          db,
          [storeUuid],
          { channel, assetFormat, offset, limit: Math.min(limit, largestPage) },
          { codesOnly: true },
        )
      : undefined
  const { totalGroups, groups } = (storeUuid && pages?.get(storeUuid)) || { totalGroups: 0, groups: [] }
  return { status: 200, body: { total_groups: totalGroups, parent_codes: groups.map((group) => group.parentCode) } }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Answer): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
    ...(!request.complete && { Connection: 'close' }),
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
