import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { productStatuses } from '../enumerations.ts'

const keptHours = 14 * 24

/**
 * Writes how many products and groups a store has, and how many products are ready, as numbers of an hour and its day.
 */
export async function writeMeasures({ db }: WriteCatalogue, uuid: string, at: Date): Promise<void> {
  await sql`
    insert into measure (store_uuid, metric, dimension, grain, at, value)
    select ${uuid}::uuid, m.metric, m.dimension, g.grain, date_trunc(g.grain, ${at}::timestamptz, 'UTC'), m.value
    from (
      select 'PRODUCTS' as metric, '' as dimension, total as value from change_reader where store_uuid = ${uuid}
      union all
      select 'READY_PRODUCTS', c.channel, r.total - c.blocked
      from channel_readiness c cross join (select total from change_reader where store_uuid = ${uuid}) r
      where c.store_uuid = ${uuid} and c.state = 'current' and c.as_of is null
      union all
      select 'GROUPS', json_build_array(channel, asset_format)::text, sum(groups) from asset_group_total
      where store_uuid = ${uuid} group by channel, asset_format
      union all
      select 'PRODUCTS_BY_STATUS', s.status, coalesce(t.count, 0)
      from unnest(${productStatuses}::text[]) s(status) left join (
        select status, sum(count) as count from product_total where store_uuid = ${uuid} group by status
      ) t using (status)
    ) m cross join (values ('day'), ('hour')) g(grain)
    on conflict (store_uuid, metric, dimension, grain, at) do update set value = excluded.value`.execute(db)
}

export async function deleteOldHours({ db }: WriteCatalogue, uuid: string): Promise<void> {
  await sql`
    delete from measure where store_uuid = ${uuid} and grain = 'hour' and at < now() - ${keptHours} * interval '1 hour'`.execute(
    db,
  )
}
