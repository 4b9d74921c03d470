import { sql } from 'kysely'
import { removeFromGroups } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import type { ItemFailure } from '../item-failure.ts'
import { lockGroups } from '../locks.ts'
import { failuresOf, keyOf, type Selection, type Selector, selectionRows, selectionsOf } from './asset-selection.ts'

export interface Unlink extends Selector {
  parentCode: string
  channel: string
}

export interface UnlinkedAssets {
  /** Links removed; the assets stay. */
  unlinked: number
  failures: ItemFailure[]
}

/**
 * Removes links between assets and a parent code on a channel (spec: POST /assets/unlink). `assetId` left out means
 * every asset linked there. Throws `payload_too_large`. Two statements, whatever the number of links.
 */
export async function unlinkAssets(catalogue: WriteCatalogue, links: readonly Unlink[]): Promise<UnlinkedAssets> {
  const selections = selectionsOf(links)
  const parents = Map.groupBy(
    selections.filter(({ isUuid }) => isUuid),
    ({ storeUuid }) => storeUuid,
  )
  const locks = [...parents].map(
    ([storeUuid, group]) => [storeUuid, group.map(({ parentCode }) => parentCode ?? '')] as const,
  )
  const stores = await lockGroups(catalogue, new Map(locks))
  const { unlinked, missing } = await removeLinks(
    catalogue,
    selections.filter(({ storeUuid }) => stores.has(storeUuid)),
  )
  const failures = failuresOf(
    selections,
    (selection) => {
      if (!stores.has(selection.storeUuid)) return 'store_not_found'
      return missing.has(keyOf(selection)) ? 'link_not_found' : undefined
    },
    keyOf,
  )
  return { unlinked, failures }
}

async function removeLinks(catalogue: WriteCatalogue, selections: readonly Selection[]) {
  const chosen = [...new Map(selections.map((selection) => [keyOf(selection), selection])).entries()]
  if (chosen.length === 0) return { unlinked: 0, missing: new Set<string>() }
  const changes = sql`
    item as (${selectionRows(chosen.map(([, selection]) => selection))}
    ), chosen as (
      select i.n, l.store_uuid, l.parent_code, l.channel, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
        and l.channel = i.channel and l.asset_id = i.asset_id
    union all
      select i.n, l.store_uuid, l.parent_code, l.channel, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
        and l.channel = i.channel
      where i.asset_id is null
    ), gone as (
      delete from asset_link l
      using (select distinct store_uuid, parent_code, channel, asset_id from chosen) c
      where l.store_uuid = c.store_uuid and l.parent_code = c.parent_code
        and l.channel = c.channel and l.asset_id = c.asset_id
      returning l.store_uuid, l.parent_code, l.channel, l.asset_id
    )`
  const answer = sql<{ unlinked: number; missing: number[] }>`(select count(*)::int from gone) as unlinked,
      (select coalesce(array_agg(n), '{}') from item where n not in (select n from chosen)) as missing`
  const { unlinked, missing } = await removeFromGroups(catalogue, changes, answer)
  return { unlinked, missing: new Set(missing.flatMap((n) => chosen[n]?.[0] ?? [])) }
}
