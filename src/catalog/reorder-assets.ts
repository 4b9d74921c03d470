import { sql } from 'kysely'
import { CatalogueError, storeNotFound } from '../errors.ts'
import { entriesOf } from './asset-entries.ts'
import { type AssetGroup, listGroupsOfParents } from './asset-groups.ts'
import { lockGroups } from './locks.ts'
import { changeGroups } from './read-model.ts'
import { withWords } from './url-fields.ts'
import { visibleStore, type WriteView } from './viewer.ts'

/** Which group: a parent code, a channel and a format together. */
export interface GroupKey {
  storeUuid: string
  channel: string
  parentCode: string
  assetFormat: string
}

/**
 * Puts the named assets first, in the order given; the others follow in the order that they had. Returns the group as it then is. Throws
 * `store_not_found`, or `link_not_found` with every asset id that is not in the group. Three statements.
 */
export async function reorderAssets(db: WriteView, key: GroupKey, assetIds: readonly string[]): Promise<AssetGroup> {
  const group = await lockedGroup(db, key)
  checkMembers(group, assetIds)
  const first = new Set(assetIds)
  return writeOrder(db, group, [...first, ...idsOf(group).filter((assetId) => !first.has(assetId))])
}

/** Moves one asset to a place from 1; past the end means the end. Throws as `reorderAssets` does. Three statements. */
export async function moveAsset(db: WriteView, key: GroupKey, assetId: string, position: number): Promise<AssetGroup> {
  const group = await lockedGroup(db, key)
  checkMembers(group, [assetId])
  const order = idsOf(group).filter((other) => other !== assetId)
  order.splice(Math.min(position - 1, order.length), 0, assetId)
  return writeOrder(db, group, order)
}

async function lockedGroup(db: WriteView, key: GroupKey): Promise<AssetGroup> {
  const storeUuid = visibleStore(db, key.storeUuid)
  const stores = await lockGroups(db, new Map(storeUuid ? [[storeUuid, [key.parentCode]]] : []))
  if (!storeUuid || !stores.has(storeUuid)) throw storeNotFound('storeUuid', key.storeUuid)
  return findGroup(db, { ...key, storeUuid })
}

/** The group as it stands, perhaps without assets. */
async function findGroup(db: WriteView, key: GroupKey): Promise<AssetGroup> {
  const { storeUuid, channel, parentCode, assetFormat } = key
  const [group] = await listGroupsOfParents(db, [{ storeUuid, productCode: parentCode }], key)
  return group ?? { storeUuid, channel, parentCode, assetType: assetFormat, entries: '[]' }
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

async function writeOrder(db: WriteView, group: AssetGroup, assetIds: string[]): Promise<AssetGroup> {
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
  const written = await changeGroups(db, [group.storeUuid], changes, answer)
  return { ...group, entries: withWords(group.assetType, written?.entries ?? '[]') }
}
