import { type RawBuilder, sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Item, recordItems } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { requestBuild } from '../projections/queue.ts'

/** Replaces the requirements of a channel; an empty list removes them. Throws `store_not_found`. */
export async function replaceRequirements(
  catalogue: WriteCatalogue,
  storeUuid: string,
  channel: string,
  requirements: readonly object[],
): Promise<void> {
  const uuid = await lockStore(catalogue, storeUuid, { definitions: 'all' })
  const list = requirements.length === 0 ? null : JSON.stringify(requirements)
  const { rows: items } = await sql<Item>`
    with changed as materialized (
      select ${channel}::text as channel, ${list}::jsonb as requirements, (
          select requirements from channel_requirement where store_uuid = ${uuid} and channel = ${channel}
        ) as stored
    )
    ${changedRequirements(sql`changed`)}`.execute(catalogue.db)
  const written = list
    ? sql`insert into channel_requirement (store_uuid, channel, requirements) values (${uuid}, ${channel}, ${list}::jsonb)
        on conflict (store_uuid, channel) do update set requirements = excluded.requirements`
    : sql`delete from channel_requirement where store_uuid = ${uuid} and channel = ${channel}`
  await written.execute(catalogue.db)
  await recordItems(catalogue, uuid, items)
  await requestBuild(catalogue, uuid)
}

/** The items of the rows `(channel, requirements, stored)`: the lists to store and the stored ones. */
export const changedRequirements = (rows: RawBuilder<unknown>) => sql`
  select 'requirement' as kind,
    case when stored is null then 'created' when requirements is null then 'deleted' else 'updated' end as action,
    channel as code, null::text as key, stored::text as was
  from ${rows} where stored is distinct from requirements`
