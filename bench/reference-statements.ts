import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../src/database/tables.ts'
import { stores } from './data.ts'

/**
 * Minimal hand-written statements for bulk writes to these tables: they check no definitions, order no locks, report no
 * failures, and rely on current statistics.
 */

/** PUT of products: merges, and returns the codes that exist. Parameters: store, items as JSON. */
export const mergeProducts = {
  name: 'merge',
  text: `
    update product p set attributes = p.attributes || i.attributes, status = coalesce(i.status, p.status), updated_at = now()
    from jsonb_to_recordset($2::jsonb) as i(product_code text, status text, attributes jsonb)
    where p.store_uuid = $1 and p.product_code = i.product_code collate "C"
    returning p.product_code`,
}

/** DELETE of assets by their ids, with their links, and the read model. */
export function referenceDelete(db: Kysely<Database>, ids: readonly string[]): Promise<unknown> {
  const changes = sql`
    gone as (
      delete from asset_link where store_uuid = ${stores.big}::uuid and asset_id = any(${ids}::text[])
      returning parent_code, channel, asset_id
    ), deleted as (
      delete from asset where store_uuid = ${stores.big}::uuid and asset_id = any(${ids}::text[])
      returning asset_id
    ), ${touched}`
  return undone(db, changes, sql`select count(*) from deleted`)
}

export interface Link {
  parent_code: string
  channel: string
  asset_id: string
}

/** Unlink of single assets, with the read model. */
export function referenceUnlink(db: Kysely<Database>, links: readonly Link[]): Promise<unknown> {
  const changes = sql`
    gone as (
      delete from asset_link l
      using jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as i(parent_code text, channel text, asset_id text)
      where l.store_uuid = ${stores.big}::uuid and l.parent_code = i.parent_code collate "C" and l.channel = i.channel
        and l.asset_id = i.asset_id
      returning l.parent_code, l.channel, l.asset_id
    ), ${touched}`
  return undone(db, changes, sql`select count(*) from gone`)
}

const touched = sql`touched as (
      select distinct g.channel, a.asset_format, g.parent_code
      from gone g join asset a on a.store_uuid = ${stores.big}::uuid and a.asset_id = g.asset_id
    )`

class Undone extends Error {}

/** Makes the changes, updates the read model, and rolls back, so that each round starts with the same rows. */
async function undone(db: Kysely<Database>, changes: RawBuilder<unknown>, answer: RawBuilder<unknown>): Promise<void> {
  const done = db.transaction().execute(async (transaction) => {
    await sql`
      with ${changes}, remaining as (
        select t.channel, t.asset_format, t.parent_code, l.asset_id, a.url,
          row_number() over (partition by t.channel, t.asset_format, t.parent_code order by l.place, l.asset_id) as position
        from touched t
        join asset_link l on l.store_uuid = ${stores.big}::uuid and l.parent_code = t.parent_code and l.channel = t.channel
        join asset a on a.store_uuid = ${stores.big}::uuid and a.asset_id = l.asset_id and a.asset_format = t.asset_format
        where (l.parent_code, l.channel, l.asset_id) not in (select parent_code, channel, asset_id from gone)
      ), rebuilt as (
        select channel, asset_format, parent_code, '[' || string_agg('{"asset_id":' || to_json(asset_id) || ',"Image URL ' ||
          position || '":' || to_json(url) || '}', ',' order by position) || ']' as entries
        from remaining group by channel, asset_format, parent_code
      ), kept as (
        update asset_group g set entries = r.entries from rebuilt r
        where g.store_uuid = ${stores.big}::uuid and g.channel = r.channel and g.asset_format = r.asset_format
          and g.parent_code = r.parent_code
      ), emptied as (
        delete from asset_group g using touched t
        where g.store_uuid = ${stores.big}::uuid and g.channel = t.channel and g.asset_format = t.asset_format
          and g.parent_code = t.parent_code
          and (t.channel, t.asset_format, t.parent_code) not in (select channel, asset_format, parent_code from rebuilt)
        returning g.channel, g.asset_format, g.parent_code
      ), less as materialized (
        select channel, asset_format, (
            select first_code from asset_group_range r
            where store_uuid = ${stores.big}::uuid and r.channel = e.channel and r.asset_format = e.asset_format and first_code <= e.parent_code
            order by first_code desc limit 1
          ) as first_code, count(*) as groups
        from emptied e group by 1, 2, 3
      ), counted as (
        update asset_group_range r set groups = r.groups - l.groups from less l
        where r.store_uuid = ${stores.big}::uuid and r.channel = l.channel and r.asset_format = l.asset_format and r.first_code = l.first_code
      ), totalled as (
        update asset_group_total o set version = o.version + 1,
          groups = o.groups - (select count(*) from emptied e where e.channel = t.channel and e.asset_format = t.asset_format)
        from (select distinct channel, asset_format from touched) t
        where o.store_uuid = ${stores.big}::uuid and o.channel = t.channel and o.asset_format = t.asset_format and o.shard = 0
      )
      ${answer}`.execute(transaction)
    throw new Undone()
  })
  await done.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}
