import { sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { CopyRows, type Session } from '../database/copy.ts'
import type { Database } from '../database/tables.ts'
import { lockGroups } from './group-locks.ts'
import { linkItems } from './link-items.ts'
import { storeKey } from './store-key.ts'

/** Assets to link at the ends of their products' groups, in order: judged already. */
export class LoadedAssets {
  readonly rows = new CopyRows()
  count = 0

  add(parentCode: string, assetFormat: string, url: string): void {
    this.rows.add([this.count++, parentCode, assetFormat, url])
  }
}

/**
 * Creates assets and links them at the end of their groups as `addAssets` does, by way of `COPY`. An asset is the store's of that format and
 * URL, or a new one. Four statements, whatever their number.
 */
export async function loadAssets(
  session: Session,
  transaction: Transaction<Database>,
  { storeUuid, channel }: { storeUuid: string; channel: string },
  assets: LoadedAssets,
): Promise<{ added: number; linked: number }> {
  if (assets.count === 0) return { added: 0, linked: 0 }
  await lockGroups(transaction, new Map([[storeUuid, 'all']]))
  await sql`truncate loaded_asset`.execute(transaction)
  await session.copy('loaded_asset', assets.rows)
  // The ids of new assets are version 7 UUIDs that count on from one of their own: they are neighbours in the index.
  const id = uuidv7()
  const items = sql`
    select l.index, u.known is null and u.first = l.index as is_new, ${channel} collate "C" as channel, l.parent_code,
      l.asset_format, l.url,
      coalesce(u.known, ${id.slice(0, 24)} || lpad(to_hex(u.first), 6, '0') || ${id.slice(30)}) collate "C" as asset_id
    from loaded_asset l join (
      select n.asset_format, n.url, n.first, (
        select min(a.asset_id) from asset a
        where a.store_uuid = ${storeKey(storeUuid)} and hashtextextended(a.url, 0) = hashtextextended(n.url, 0)
          and a.url = n.url and a.asset_format = n.asset_format
      ) as known
      from (select asset_format, url, min(index) as first from loaded_asset group by asset_format, url) n
    ) u using (asset_format, url)`
  return linkItems(transaction, storeUuid, items)
}
