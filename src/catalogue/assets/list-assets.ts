import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { isStorable } from '../../text.ts'
import type { AssetGroup } from '../asset-groups/asset-groups.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { allOf, containing, type KeysetPage, keysetConditions } from '../conditions.ts'

export interface Asset {
  storeUuid: string
  assetId: string
  assetFormat: string
  url: string
  createdAt: Date
}

/** All conditions must hold. `urlContains`: part of the URL, case-insensitive. */
export interface AssetFilter {
  ids?: readonly string[] | null | undefined
  assetFormat?: string | null | undefined
  urlContains?: string | null | undefined
  /** True: assets in no group; false: assets in a group. */
  unlinked?: boolean | null | undefined
}

const selectedAsset = sql`store_uuid as "storeUuid", asset_id as "assetId", asset_format as "assetFormat", url,
        created_at as "createdAt"`

/** A page of a store's assets in the order of their ids. */
export async function listAssets(catalogue: Catalogue, storeUuid: string, filter: AssetFilter, page: KeysetPage) {
  const uuid = visibleStore(catalogue, storeUuid)
  const direction = page.backwards ? sql`desc` : sql`asc`
  const { rows } = await sql<Asset>`
    select ${selectedAsset} from asset
    where store_uuid = ${uuid} and ${allOf([matching(uuid, filter), ...keysetConditions(page, 'asset_id')])}
    order by asset_id ${direction}
    limit ${page.limit}`.execute(catalogue.db)
  return rows
}

export async function countAssets(catalogue: Catalogue, storeUuid: string, filter: AssetFilter): Promise<number> {
  const uuid = visibleStore(catalogue, storeUuid)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from asset where store_uuid = ${uuid} and ${matching(uuid, filter)}`.execute(
    catalogue.db,
  )
  return onlyRow(rows).count
}

/** The assets of the ids that exist, by id. */
export async function findAssets(
  catalogue: Catalogue,
  storeUuid: string,
  assetIds: readonly string[],
): Promise<Map<string, Asset>> {
  const { rows } = await sql<Asset>`
    select ${selectedAsset} from asset
    where store_uuid = ${visibleStore(catalogue, storeUuid)} and asset_id = any(${assetIds.filter(isStorable)}::text[])`.execute(
    catalogue.db,
  )
  return new Map(rows.map((asset) => [asset.assetId, asset]))
}

/** The first groups of each asset in the order of parent codes and channels, by asset id. */
export async function listGroupsOfAssets(
  catalogue: Catalogue,
  storeUuid: string,
  assetIds: readonly string[],
  first: number,
): Promise<Map<string, AssetGroup[]>> {
  const uuid = visibleStore(catalogue, storeUuid)
  const { rows } = await sql<AssetGroup & { assetId: string }>`
    select k.asset_id as "assetId", ${storeUuid}::uuid as "storeUuid", l.channel, a.asset_format as "assetFormat",
      l.parent_code as "parentCode", g.entries
    from unnest(${assetIds}::text[]) as k(asset_id) cross join lateral (
      select asset_format from asset where store_uuid = ${uuid} and asset_id = k.asset_id collate "C"
      offset 0
    ) a cross join lateral (
      select parent_code, channel from asset_link where store_uuid = ${uuid} and asset_id = k.asset_id collate "C"
      order by parent_code, channel
      limit ${first}
    ) l cross join lateral (
      select entries from asset_group
      where store_uuid = ${uuid} and channel = l.channel and asset_format = a.asset_format and parent_code = l.parent_code
      offset 0
    ) g
    order by l.parent_code, l.channel`.execute(catalogue.db)
  return Map.groupBy(rows, (row) => row.assetId)
}

function matching(uuid: string | null, filter: AssetFilter) {
  const linked = sql<boolean>`exists (
      select from asset_link l where l.store_uuid = ${uuid} and l.asset_id = asset.asset_id
    )`
  return allOf([
    filter.ids != null && sql<boolean>`asset_id = any(${filter.ids.filter(isStorable)}::text[])`,
    filter.assetFormat != null && sql<boolean>`asset_format = ${filter.assetFormat}`,
    filter.urlContains != null && sql<boolean>`url collate "default" ilike ${containing(filter.urlContains)}`,
    filter.unlinked != null && (filter.unlinked ? sql<boolean>`not ${linked}` : linked),
  ])
}
