import { type RawBuilder, sql } from 'kysely'
import { storeKey } from './store-key.ts'

/**
 * A query for the store's assets of these URLs: of each format and URL the one with the lowest id, as `asset_format`, `asset_id`, `url`. The hash
 * finds them by index: a URL is too long to be in one.
 */
export function assetsByUrl(storeUuid: string, urls: readonly string[]): RawBuilder<unknown> {
  return sql`
    select a.asset_format, a.asset_id, a.url
    from unnest(${urls}::text[]) as u(url) cross join lateral (
      select min(asset_id) as asset_id, asset_format, url from asset
      where store_uuid = ${storeKey(storeUuid)} and url = u.url collate "C"
        and hashtextextended(url, 0) = hashtextextended(u.url collate "C", 0)
      group by asset_format, url
    ) a`
}
