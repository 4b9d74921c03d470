import { type RawBuilder, sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { recorded } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { requestBuild } from '../projections/queue.ts'

type Sql = RawBuilder<unknown>

/** Replaces the requirements of a channel; an empty list removes them. Throws `store_not_found`. */
export async function storeRequirements(
  catalogue: WriteCatalogue,
  storeUuid: string,
  channel: string,
  requirements: readonly object[],
): Promise<void> {
  const uuid = await lockStore(catalogue, storeUuid, { definitions: 'all' })
  const stored = requirements.length === 0 ? null : JSON.stringify(requirements)
  await sql`
    with changed as materialized (
      select ${channel}::text as channel, ${stored}::jsonb as requirements, (
          select requirements from channel_requirement where store_uuid = ${uuid} and channel = ${channel}
        ) as stored
    ), ${writtenRequirements(catalogue, uuid, sql`changed`)}
    select`.execute(catalogue.db)
  await requestBuild(catalogue, uuid)
}

/** CTEs that store the requirements of rows `(channel, requirements, stored)`, delete null ones, and record this. */
export function writtenRequirements(catalogue: WriteCatalogue, uuid: string, rows: Sql): Sql {
  return sql`
    deleted as (
      delete from channel_requirement
      where store_uuid = ${uuid} and channel = any(array(select channel from ${rows} where requirements is null))
    ), written as (
      insert into channel_requirement (store_uuid, channel, requirements)
      select ${uuid}::uuid, channel, requirements from ${rows} where requirements is not null
      order by channel
      on conflict (store_uuid, channel) do update set requirements = excluded.requirements
    ), ${recorded(catalogue, uuid, changedItems(rows))}`
}

const changedItems = (rows: Sql) => sql`
  select 'requirement' as kind,
    case when stored is null then 'created' when requirements is null then 'deleted' else 'updated' end as action,
    channel as code, null::text as key, stored::text as was
  from ${rows} where stored is distinct from requirements`
