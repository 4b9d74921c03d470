import { sql } from 'kysely'
import { onlyRow } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { requestRecount, written } from '../readiness/store-requirements.ts'
import { changedSince, type Reversal, type Reverted, revertedItems, skippedColumns } from './reverted-items.ts'

/** Gives channels the requirements that they had before a request, if any. Two statements. */
export async function revertRequirements(catalogue: WriteCatalogue, reversal: Reversal): Promise<Reverted> {
  const { storeUuid } = reversal
  const { rows } = await sql<Reverted>`
    with ${revertedItems(reversal, ['requirement'])}, changed as materialized (
      select f.channel, f.requirements, r.stored
      from (
        select distinct on (code) code as channel, was::jsonb as requirements from own where is_undone order by code, seq
      ) f left join lateral (
        select requirements as stored from channel_requirement
        where store_uuid = ${storeUuid} and channel = f.channel
        offset 0
      ) r on true
      where f.requirements is distinct from r.stored
    ), ${written(catalogue, storeUuid)}
    select json_build_object('requirements', (select count(*) from changed)) as reverted, ${skippedColumns(changedSince)}`.execute(
    catalogue.db,
  )
  await requestRecount(catalogue, storeUuid)
  return onlyRow(rows)
}
