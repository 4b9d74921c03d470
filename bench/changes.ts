import { type Kysely, sql } from 'kysely'
import type { Database } from '../src/database/tables.ts'
import { stores } from './data.ts'
import { type Server, token } from './servers.ts'
import { figure, median, table } from './table.ts'

const days = 30
const reads = 50
const chunk = 500_000

/**
 * Reads of a ledger of `count` changes in 30 days, a quarter of them of one store: the history of a product, a page of
 * the feed and a receipt, one at a time, with a token for all stores.
 */
export async function changes(db: Kysely<Database>, gateway: Server, count: number): Promise<string> {
  await fill(db, count)
  const first = await get(gateway, `/v1/changes?store_uuid=${stores.big}&limit=1`)
  let cursor = (first as { data: { next: string } }).data.next
  const history = (i: number) => {
    const document = `{ store(storeUuid: "${stores.big}") { product(productCode: "${code(i)}") {
      changes { edges { node { at actor operation counts { updated } } } } } } }`
    return get(gateway, `/graphql?query=${encodeURIComponent(document)}`)
  }
  const feed = async () => {
    const page = await get(gateway, `/v1/changes?store_uuid=${stores.big}&after=${cursor}`)
    cursor = (page as { data: { next: string } }).data.next
  }
  const receipt = (i: number) =>
    get(gateway, `/v1/requests/bench-${4 * (1 + ((i * 7_919) % Math.floor(count / 4)))}?store_uuid=${stores.big}`)
  const timed: [string, (i: number) => Promise<unknown>][] = [
    ['history of a product', history],
    ['page of the feed', feed],
    ['receipt', receipt],
  ]
  const rows: string[][] = []
  for (const [name, read] of timed) {
    const times: number[] = []
    for (let i = 0; i < reads + 5; i++) {
      const began = performance.now()
      await read(i)
      if (i >= 5) times.push(performance.now() - began)
    }
    const slow = times.toSorted((a, b) => a - b)[Math.floor(reads * 0.95)] ?? Number.NaN
    rows.push([name, figure(median(times)), figure(slow)])
  }
  return table([`${count} changes in ${days} days`, 'p50 ms', 'p95 ms'], rows)
}

const code = (i: number) => `SKU-${String((i * 7_919) % 200_000).padStart(7, '0')}`

async function get({ url }: Server, path: string): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const json: unknown = await answer.json()
  if (answer.ok && !(json as { errors?: unknown }).errors) return json
  throw new Error(`${path} answered ${JSON.stringify(json)}`)
}

/** The days before today. All changes are of transactions that ended long ago. */
async function fill(db: Kysely<Database>, count: number): Promise<void> {
  await sql`
    create or replace function add_bench_day(day date) returns void language plpgsql as $$
    begin
      execute format('create table if not exists change_%s partition of change for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end $$`.execute(db)
  await sql`
    select add_bench_day((now() at time zone 'UTC')::date - ago) from generate_series(1, ${days}::integer) ago`.execute(
    db,
  )
  for (let begin = 1; begin <= count; begin += chunk) {
    const end = Math.min(count, begin + chunk - 1)
    await sql`
      insert into change (store_uuid, tx, seq, at, request_id, actor, via, operation, kind, action, codes, keys, was, count)
      select case i % 4 when 0 then ${stores.big}::uuid
          else (left(${stores.small}, 32) || lpad(to_hex(4096 + i % 200), 4, '0'))::uuid end,
        '3'::xid8, nextval('change_seq'),
        (now() at time zone 'UTC')::date::timestamp at time zone 'UTC'
          - ${days}::integer * interval '1 day' + (i - 1.0) / ${count}::integer * ${days}::integer * interval '1 day',
        'bench-' || i, 'bench', 'rest', 'updateProducts', 'product', 'updated',
        array['SKU-' || lpad((i / 4 * 7919 % 200000)::text, 7, '0')], '{Color}', array['value ' || i], 1
      from generate_series(${begin}::bigint, ${end}::bigint) i`.execute(db)
  }
  await sql`vacuum analyze change`.execute(db)
}
