import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { productStatuses } from '../enumerations.ts'

const keptHours = 14 * 24

/**
 * Writes how many products and groups a store has, and how many products are ready, as the numbers of an hour and of its
 * day. The products by status are counted once an hour: counting reads all of them.
 */
export async function writeMeasures({ db }: WriteCatalogue, uuid: string, at: Date): Promise<void> {
  await sql`
    with hour as materialized (
      select from measure where store_uuid = ${uuid} and metric = 'PRODUCTS_BY_STATUS' and grain = 'hour'
        and at = date_trunc('hour', ${at}::timestamptz, 'UTC') limit 1
    ), counted as materialized (
      select status, count(*) as value from product where store_uuid = ${uuid} and not exists (select from hour)
      group by status
    )
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
      select 'PRODUCTS_BY_STATUS', s.status, coalesce(c.value, 0)
      from unnest(${productStatuses}::text[]) s(status) left join counted c on c.status = s.status
      where not exists (select from hour)
    ) m cross join (values ('day'), ('hour')) g(grain)
    on conflict (store_uuid, metric, dimension, grain, at) do update set value = excluded.value`.execute(db)
}

export async function deleteOldHours({ db }: WriteCatalogue, uuid: string): Promise<void> {
  await sql`
    delete from measure where store_uuid = ${uuid} and grain = 'hour' and at < now() - ${keptHours} * interval '1 hour'`.execute(
    db,
  )
}
