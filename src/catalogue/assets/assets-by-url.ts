import { type RawBuilder, sql } from 'kysely'
import { storeKey } from '../conditions.ts'

/** For each format and URL the asset with the lowest id, found by a hash: a URL can be too long for an index. */
export function assetsByUrl(storeUuid: string, urls: readonly string[]): RawBuilder<unknown> {
  return sql`
    select a.asset_format, min(a.asset_id) as asset_id, a.url
    from unnest(${urls}::text[]) as u(url) cross join lateral (
      select asset_id, asset_format, url from asset
      where store_uuid = ${storeKey(storeUuid)} and url = u.url collate "C"
        and hashtextextended(url, 0) = hashtextextended(u.url collate "C", 0)
      offset 0
    ) a
    group by a.asset_format, a.url`
}
