import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'

const keptHours = 14 * 24

/** Writes how many products a store has, and how many are ready, as the numbers of an hour and of its day. */
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
    ) m cross join (values ('day'), ('hour')) g(grain)
    on conflict (store_uuid, metric, dimension, grain, at) do update set value = excluded.value`.execute(db)
}

export async function deleteOldHours({ db }: WriteCatalogue, uuid: string): Promise<void> {
  await sql`
    delete from measure where store_uuid = ${uuid} and grain = 'hour' and at < now() - ${keptHours} * interval '1 hour'`.execute(
    db,
  )
}
