import { sql, type Transaction } from 'kysely'
import type { Session } from '../database/copy.ts'
import type { Database } from '../database/tables.ts'
import { lockGroups } from './group-locks.ts'
import { linkItems } from './link-items.ts'
import { storeKey } from './store-key.ts'

/** An asset to link at the end of a product's group: judged already, each once in its product. */
export interface LoadedAsset {
  parentCode: string
  assetFormat: string
  url: string
  /** Its id if the store has none of its format and URL: the same wherever the asset comes again. */
  assetId: string
  /** Whether it comes here for the first time. */
  isFirst: boolean
}

/**
 * Creates assets and links them at the end of their groups as `addAssets` does, by way of `COPY`. Four statements, whatever their number.
 */
export async function loadAssets(
  session: Session,
  transaction: Transaction<Database>,
  { storeUuid, channel }: { storeUuid: string; channel: string },
  assets: readonly LoadedAsset[],
): Promise<{ added: number; linked: number }> {
  if (assets.length === 0) return { added: 0, linked: 0 }
  await lockGroups(transaction, new Map([[storeUuid, 'all']]))
  await sql`truncate loaded_asset`.execute(transaction)
  await session.copy('loaded_asset', rowsOf(assets))
  await sql`
    update loaded_asset l set asset_id = known.asset_id, is_new = false
    from loaded_asset i cross join lateral (
      select min(a.asset_id) as asset_id from asset a
      where a.store_uuid = ${storeKey(storeUuid)} and hashtextextended(a.url, 0) = hashtextextended(i.url, 0)
        and a.url = i.url and a.asset_format = i.asset_format
    ) known
    where known.asset_id is not null and l.index = i.index`.execute(transaction)
  const items = sql`
    select index, is_new, ${channel} collate "C" as channel, parent_code, asset_format, url, asset_id from loaded_asset`
  return linkItems(transaction, storeUuid, items)
}

function* rowsOf(assets: readonly LoadedAsset[]) {
  for (const [index, { parentCode, assetFormat, url, assetId, isFirst }] of assets.entries()) {
    yield [index, isFirst, parentCode, assetFormat, url, assetId]
  }
}
