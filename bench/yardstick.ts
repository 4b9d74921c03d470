import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { mergeProducts } from './reference-statements.ts'

/**
 * A hand-written server for the listing and for PUT of products: `node:http`, one prepared statement each,
 * `JSON.stringify`. It uses the tables of the gateway and the envelope of the specification.
 */
const token = `Bearer ${process.env.BOOTSTRAP_TOKEN}`
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const page = {
  name: 'page',
  text: `
    select t.total, g.parent_code, g.entries::json as entries
    from store s cross join lateral (
      select coalesce(sum(groups), 0)::int as total from asset_group_total where store_uuid = s.store_uuid and channel = $2 and asset_format = $3
    ) t left join lateral (
      select parent_code, entries from asset_group
      where store_uuid = s.store_uuid and channel = $2 and asset_format = $3
      order by parent_code offset $4 limit $5
    ) g on true
    where s.store_uuid = $1`,
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const query = url.searchParams
  if (request.headers.authorization === token && request.method === 'PUT' && url.pathname === '/v1/products') {
    const answer = await putProducts(query.get('store_uuid'), (await json(request)) as Item[])
    send(response, JSON.stringify({ status: statusOf(request, 'success'), data: answer }))
    return
  }
  if (request.headers.authorization !== token || url.pathname !== '/v1/assets') {
    response.writeHead(request.headers.authorization === token ? 404 : 401).end()
    return
  }
  const store = query.get('store_uuid')
  const channel = query.get('channel') ?? 'SMP'
  const format = query.get('asset_format') ?? 'image'
  const offset = Number(query.get('offset') ?? 0)
  const limit = Math.min(Number(query.get('limit') ?? 50), 50)
  const { rows } = await pool.query({ ...page, values: [store, channel, format, offset, limit] })
  const status = statusOf(request, 'SUCCESS')
  const found = rows.filter((row) => row.parent_code !== null)
  const assets = found.map((row) => [
    row.parent_code,
    { channel, asset_type: format, store_uuid: store, assets: row.entries },
  ])
  const data = { total_groups: rows[0].total, returned_groups: found.length, assets: Object.fromEntries(assets) }
  send(response, JSON.stringify({ status, data }))
})

type Item = { product_code: string; status?: string } & Record<string, string>

async function putProducts(store: string | null, items: Item[]) {
  const rows = items.map(({ product_code, status, ...attributes }) => ({ product_code, status, attributes }))
  const { rows: found } = await pool.query({ ...mergeProducts, values: [store, JSON.stringify(rows)] })
  const known = new Set(found.map((row) => row.product_code))
  return {
    store_uuid: store,
    updated_skus: rows.filter((row) => known.has(row.product_code)).map((row) => row.product_code),
    unavailable_skus: rows.filter((row) => !known.has(row.product_code)).map((row) => row.product_code),
    failed_products: {},
  }
}

function statusOf({ headers }: IncomingMessage, message: string) {
  return { code: 0, message, request_id: headers['x-request-id'] ?? crypto.randomUUID() }
}

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`yardstick at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
