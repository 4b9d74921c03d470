import { sql } from 'kysely'
import { urlFieldsOf } from '../assets/url-fields.ts'

/**
 * The stored form of a group's assets: JSON text of a pair [asset id, URL] for each, in the order of their places. Only
 * this file knows it.
 */

export interface AssetEntry {
  assetId: string
  url: string
  /** The asset's place in its group, from 1, without gaps. */
  position: number
  urlField: string
}

/** The group's assets, in order; of more than `most` the first ones. */
export function entriesOf({ assetType, entries }: { assetType: string; entries: string }, most?: number): AssetEntry[] {
  const fieldAt = urlFieldsOf(assetType)
  const pairs = JSON.parse(entries) as [assetId: string, url: string][]
  return pairs.slice(0, most).map(([assetId, url], i) => ({ assetId, url, position: i + 1, urlField: fieldAt(i + 1) }))
}

/** What a group without assets has for its entries. */
export const noEntries = '[]'

/** The URLs of the entries. */
export function urlsOf(entries: string): Set<string> {
  return new Set((JSON.parse(entries) as [assetId: string, url: string][]).map(([, url]) => url))
}

/** The entries with more assets at their end. */
export function appendEntries(entries: string, assets: readonly { id: string; url: string }[]): string {
  const added = assets.map(({ id, url }) => JSON.stringify([id, url])).join(',')
  return entries === noEntries ? `[${added}]` : `${entries.slice(0, -1)},${added}]`
}

/** SQL: the entries of rows (asset_id, url, place), for a `group by` of the group's key. */
export const encodedEntries = sql`
      '[' || string_agg('[' || to_json(asset_id) || ',' || to_json(url) || ']', ',' order by place, asset_id) || ']'`

/** SQL: the entries of the group `g` as a table `e(entry, place)`, for `entryId`, `entryUrl` and `encodedAgain`. */
export const entryRows = sql`json_array_elements(g.entries::json) with ordinality as e(entry, place)`
export const entryId = sql`(entry ->> 0)`
export const entryUrl = sql`(entry ->> 1)`
export const encodedAgain = sql`'[' || string_agg(entry::text, ',' order by place) || ']'`

/** SQL: how many assets the group `g` has. */
export const entryCount = sql<number>`json_array_length(g.entries::json)`
