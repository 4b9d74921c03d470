import { sql } from 'kysely'
import { removeFromGroups } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import type { ItemFailure } from '../item-failure.ts'
import { lockGroups } from '../locks.ts'
import { failuresOf, keyOf, type Selection, type Selector, selectionRows, selectionsOf } from './asset-selection.ts'

export interface DeletedAssets {
  /** Assets removed, each with all its links. */
  deletedCount: number
  failures: ItemFailure[]
}

/**
 * Deletes the assets that the selectors choose (spec: DELETE /assets). `channel`, `parentCode` and `assetId` narrow the
 * choice together; a selector with none of them fails. Throws `payload_too_large`. Two statements, whatever the number
 * of selectors.
 */
export async function deleteAssets(catalogue: WriteCatalogue, selectors: readonly Selector[]): Promise<DeletedAssets> {
  const selections = selectionsOf(selectors)
  // An asset may be linked anywhere in its store.
  const storeUuids = selections.flatMap(({ isUuid, storeUuid }) => (isUuid ? [storeUuid] : []))
  const stores = await lockGroups(catalogue, new Map(storeUuids.map((storeUuid) => [storeUuid, 'all'])))
  const usable = selections.filter((selection) => stores.has(selection.storeUuid) && narrows(selection))
  const { deleted, missing } = await removeAssets(catalogue, usable)
  const failures = failuresOf(
    selections,
    (selection) => {
      if (!narrows(selection)) return 'selector_required'
      if (!stores.has(selection.storeUuid)) return 'store_not_found'
      return missing.has(keyOf(selection)) ? 'asset_not_found' : undefined
    },
    ({ storeUuid, assetId }) => JSON.stringify([storeUuid, assetId]),
  )
  return { deletedCount: deleted, failures }
}

function narrows({ channel, parentCode, assetId }: Selection): boolean {
  return channel !== null || parentCode !== null || assetId !== null
}

async function removeAssets(catalogue: WriteCatalogue, selections: readonly Selection[]) {
  const chosen = [...new Map(selections.map((selection) => [keyOf(selection), selection])).entries()]
  if (chosen.length === 0) return { deleted: 0, missing: new Set<string>() }
  const changes = sql`
    item as (${selectionRows(chosen.map(([, selection]) => selection))}
    ), chosen as (
      ${chosenAssets}
    ), doomed as (
      select distinct store_uuid, asset_id from chosen
    ), gone as (
      delete from asset_link l using doomed d
      where l.store_uuid = d.store_uuid and l.asset_id = d.asset_id
      returning l.store_uuid, l.parent_code, l.channel, l.asset_id
    ), deleted as (
      delete from asset a using doomed d
      where a.store_uuid = d.store_uuid and a.asset_id = d.asset_id
      returning a.asset_id
    )`
  const answer = sql<{ deleted: number; missing: number[] }>`(select count(*)::int from deleted) as deleted,
      (
        select coalesce(array_agg(n), '{}') from item
        where case when asset_id is null then n not in (select n from chosen)
          else (store_uuid, asset_id) not in (select store_uuid, named from chosen where named is not null) end
      ) as missing`
  const { deleted, missing } = await removeFromGroups(catalogue, changes, answer)
  return { deleted, missing: new Set(missing.flatMap((n) => chosen[n]?.[0] ?? [])) }
}

/**
 * One branch for each combination, so that each uses an index: by id; by id within links; by parent code; by channel
 * alone.
 */
const chosenAssets = sql`
      select i.n, i.asset_id as named, a.store_uuid, a.asset_id
      from item i join asset a on a.store_uuid = i.store_uuid and a.asset_id = i.asset_id
      where i.channel is null and i.parent_code is null
    union all
      select i.n, i.asset_id, l.store_uuid, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.asset_id = i.asset_id
        and (i.channel is null or l.channel = i.channel) and (i.parent_code is null or l.parent_code = i.parent_code)
      where i.channel is not null or i.parent_code is not null
    union all
      select i.n, null, l.store_uuid, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
        and (i.channel is null or l.channel = i.channel)
      where i.asset_id is null
    union all
      select i.n, null, l.store_uuid, l.asset_id
      from item i join asset_group g on g.store_uuid = i.store_uuid and g.channel = i.channel
      join asset_link l on l.store_uuid = g.store_uuid and l.parent_code = g.parent_code and l.channel = g.channel
      where i.asset_id is null and i.parent_code is null`
