import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/**
 * What the best engineer would write by hand for this one job: `node:http`, one prepared statement, `JSON.stringify`. With the argument
 * `rendered` it sends the entries as the text that they are stored as. It reads the tables of the gateway and answers in the spec's envelope.
 */
const rendered = process.argv.includes('rendered')
const token = `Bearer ${process.env.BOOTSTRAP_TOKEN}`
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const page = {
  name: 'page',
  text: `
    select t.total, g.parent_code, g.${rendered ? 'entries' : 'entries::json'} as entries
    from store s cross join lateral (
      select coalesce(sum(groups), 0)::int as total from asset_group_range where store_uuid = s.store_uuid and channel = $2 and asset_format = $3
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
  const status = { code: 0, message: 'SUCCESS', request_id: request.headers['x-request-id'] ?? crypto.randomUUID() }
  const found = rows.filter((row) => row.parent_code !== null)
  const body = rendered
    ? `{"status":${JSON.stringify(status)},"data":{"total_groups":${rows[0].total},"returned_groups":${found.length},"assets":{${found
        .map(
          (row) =>
            `${JSON.stringify(row.parent_code)}:{"channel":${JSON.stringify(channel)},"asset_type":${JSON.stringify(format)},"store_uuid":"${store}","assets":${row.entries}}`,
        )
        .join(',')}}}}`
    : JSON.stringify({
        status,
        data: {
          total_groups: rows[0].total,
          returned_groups: found.length,
          assets: Object.fromEntries(
            found.map((row) => [
              row.parent_code,
              { channel, asset_type: format, store_uuid: store, assets: row.entries },
            ]),
          ),
        },
      })
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`yardstick at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
