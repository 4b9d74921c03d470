import { type RawBuilder, sql } from 'kysely'
import { storeKey } from '../conditions.ts'

/**
 * A query for the store's assets of these URLs: for each format and URL the one with the lowest id, as `asset_format`,
 * `asset_id`, `url`. They are found by the hash, because a URL can be too long for an index.
 */
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
