import { type RawBuilder, sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { recorded } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { requestBuild } from '../projections/queue.ts'

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
    ), ${written(catalogue, uuid)}
    select`.execute(catalogue.db)
  await requestBuild(catalogue, uuid)
}

/**
 * CTEs that store the requirements of the rows `changed(channel, requirements, stored)`, delete those that are null,
 * and record the change.
 */
export function written(catalogue: WriteCatalogue, uuid: string): RawBuilder<unknown> {
  return sql`
    deleted as (
      delete from channel_requirement
      where store_uuid = ${uuid} and channel = any(array(select channel from changed where requirements is null))
    ), written as (
      insert into channel_requirement (store_uuid, channel, requirements)
      select ${uuid}::uuid, channel, requirements from changed where requirements is not null
      order by channel
      on conflict (store_uuid, channel) do update set requirements = excluded.requirements
    ), ${recorded(catalogue, uuid, changedItems)}`
}

const changedItems = sql`
  select 'requirement' as kind,
    case when stored is null then 'created' when requirements is null then 'deleted' else 'updated' end as action,
    channel as code, null::text as key, stored::text as was
  from changed where stored is distinct from requirements`
