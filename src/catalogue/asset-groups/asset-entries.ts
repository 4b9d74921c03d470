import { sql } from 'kysely'
import { urlField, urlFieldsOf } from '../assets/url-fields.ts'

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
  const assets: AssetEntry[] = []
  forEachPair(entries, (assetId, url, position) => {
    assets.push({ assetId, url, position, urlField: fieldAt(position) })
  })
  return assets.slice(0, most)
}

/**
 * Adds the same to pieces of JSON text, as objects with the id and, under the name of its field, the URL (spec: Asset
 * entry). Plain text is not parsed, and pieces leave little garbage: a page takes a tenth of the time of its fields.
 */
export function pushEntries(pieces: unknown[], group: { assetType: string; entries: string }): void {
  if (!isPlain(group.entries)) {
    const assets = entriesOf(group).map(({ assetId, urlField, url }) => ({ asset_id: assetId, [urlField]: url }))
    pieces.push(JSON.stringify(assets))
    return
  }
  // The names of the fields differ in the number at their end.
  const beforeNumber = `",${JSON.stringify(urlField(group.assetType, 0)).slice(0, -'0"'.length)}`
  pieces.push('[')
  forEachPair(group.entries, (assetId, url, position) => {
    pieces.push(position === 1 ? '{"asset_id":"' : '"},{"asset_id":"', assetId, beforeNumber, position, '":"', url)
  })
  pieces.push(group.entries === noEntries ? ']' : '"}]')
}

/** Plain text is cut where quotes stand, which takes half of the time of parsing it. */
function forEachPair(entries: string, visit: (assetId: string, url: string, position: number) => void): void {
  if (!isPlain(entries)) {
    const pairs = JSON.parse(entries) as [assetId: string, url: string][]
    pairs.forEach(([assetId, url], i) => {
      visit(assetId, url, i + 1)
    })
    return
  }
  let begin = '[["'.length
  for (let position = 1; begin < entries.length; position++) {
    const idEnd = entries.indexOf('","', begin)
    const urlEnd = entries.indexOf('"]', idEnd + '","'.length)
    visit(entries.slice(begin, idEnd), entries.slice(idEnd + '","'.length, urlEnd), position)
    begin = urlEnd + '"],["'.length
  }
}

/** Without a backslash nothing is escaped, and no quote stands within a string. */
function isPlain(entries: string): boolean {
  return !entries.includes('\\')
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
