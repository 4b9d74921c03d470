import { type RawBuilder, sql } from 'kysely'

/** The asset with the lowest id of each format and URL. The index is on a hash, as a URL can be too long for one. */
export function assetsByUrl(storeUuid: string, urls: readonly string[]): RawBuilder<unknown> {
  return sql`
    select a.asset_format, min(a.asset_id) as asset_id, a.url
    from (
      select url collate "C" as url, hashtextextended(url collate "C", 0) as hash from unnest(${urls}::text[]) as u(url) offset 0
    ) u cross join lateral (
      select asset_id, asset_format, url from asset
      where store_uuid = ${storeUuid} and url_hash = u.hash and url = u.url
      offset 0
    ) a
    group by a.asset_format, a.url`
}
