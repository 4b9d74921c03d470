import { sql } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import { entriesOf, noEntries } from '../asset-groups/asset-entries.ts'
import { type AssetGroup, listGroupsOfParents } from '../asset-groups/asset-groups.ts'
import { changeGroups } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'

/** The key of a group. */
export interface GroupKey {
  storeUuid: string
  channel: string
  parentCode: string
  assetFormat: string
}

/**
 * Moves the named assets to the front, in the given order; the others keep their order. Returns the group. Throws
 * `store_not_found`, or `link_not_found` with every asset id that is not in the group. Three statements.
 */
export async function reorderAssets(
  catalogue: WriteCatalogue,
  key: GroupKey,
  assetIds: readonly string[],
): Promise<AssetGroup> {
  const group = await lockGroup(catalogue, key)
  checkMembers(group, assetIds)
  const first = new Set(assetIds)
  return writeOrder(catalogue, group, [...first, ...idsOf(group).filter((assetId) => !first.has(assetId))])
}

/**
 * Moves one asset to a position from 1; past the end means the end. Throws as `reorderAssets` does. Three statements.
 */
export async function moveAsset(
  catalogue: WriteCatalogue,
  key: GroupKey,
  assetId: string,
  position: number,
): Promise<AssetGroup> {
  const group = await lockGroup(catalogue, key)
  checkMembers(group, [assetId])
  const order = idsOf(group).filter((other) => other !== assetId)
  order.splice(Math.min(position - 1, order.length), 0, assetId)
  return writeOrder(catalogue, group, order)
}

/** Locks the group and returns it, perhaps without assets. */
async function lockGroup(catalogue: WriteCatalogue, key: GroupKey): Promise<AssetGroup> {
  const { channel, parentCode, assetFormat } = key
  const storeUuid = await lockStore(catalogue, key.storeUuid, { groups: [parentCode] })
  const [group] = await listGroupsOfParents(catalogue, [{ storeUuid, productCode: parentCode }], key)
  return group ?? { storeUuid, channel, parentCode, assetType: assetFormat, entries: noEntries }
}

function idsOf(group: AssetGroup): string[] {
  return entriesOf(group).map((entry) => entry.assetId)
}

/** Throws `link_not_found` with every asset id that is not in the group. */
function checkMembers(group: AssetGroup, assetIds: readonly string[]): void {
  const members = new Set(idsOf(group))
  const missing = assetIds.filter((assetId) => !members.has(assetId))
  if (missing.length === 0) return
  const place = `the ${group.assetType} assets of ${JSON.stringify(group.parentCode)} on the channel ${JSON.stringify(group.channel)}`
  throw new CatalogueError(
    'link_not_found',
    missing.map((assetId) => {
      const details = `the asset ${JSON.stringify(assetId)} is not among ${place}`
      return { reason: 'link_not_found', details, field: 'assetId' }
    }),
  )
}

async function writeOrder(catalogue: WriteCatalogue, group: AssetGroup, assetIds: string[]): Promise<AssetGroup> {
  const changes = sql`
    ordered as (
      select asset_id, place from unnest(${assetIds}::text[]) with ordinality as o(asset_id, place)
    ), moved as (
      update asset_link l set place = o.place from ordered o
      where l.store_uuid = ${group.storeUuid}::uuid and l.parent_code = ${group.parentCode} and l.channel = ${group.channel}
        and l.asset_id = o.asset_id
    ), touched as (
      select ${group.storeUuid}::uuid as store_uuid, ${group.channel} collate "C" as channel,
        ${group.assetType} collate "C" as asset_format, ${group.parentCode} collate "C" as parent_code
    ), remaining as (
      select t.*, a.asset_id, a.url, o.place
      from touched t cross join ordered o
      join asset a on a.store_uuid = t.store_uuid and a.asset_id = o.asset_id collate "C"
    )`
  const answer = sql<{ entries: string | null }>`(select entries from rebuilt) as entries`
  const written = await changeGroups(catalogue, [group.storeUuid], changes, answer)
  return { ...group, entries: written.entries ?? noEntries }
}
