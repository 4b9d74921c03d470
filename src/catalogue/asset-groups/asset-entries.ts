import { sql } from 'kysely'
import { urlFieldsOf } from '../assets/url-fields.ts'
import type { Sql } from '../conditions.ts'

/**
 * The stored form of a group's assets is the JSON text of a REST listing (spec: Asset entry), so that a page is a
 * concatenation of texts. Only this file knows that form.
 */

export interface AssetEntry {
  assetId: string
  url: string
  /** Position in the group, from 1, without gaps. */
  position: number
  urlField: string
}

export const noEntries = '[]'

const opening = '{"asset_id":"'

/** The assets of a group's stored form, in order, at most `limit`. */
export function entriesOf(assetFormat: string, entries: string, limit = Number.POSITIVE_INFINITY): AssetEntry[] {
  const fieldAt = urlFieldsOf(assetFormat)
  const assets: AssetEntry[] = []
  if (entries.includes('\\')) {
    for (const [i, entry] of (JSON.parse(entries) as Record<string, string>[]).slice(0, limit).entries()) {
      const urlField = fieldAt(i + 1)
      assets.push({ assetId: entry.asset_id ?? '', url: entry[urlField] ?? '', position: i + 1, urlField })
    }
    return assets
  }
  // No value contains a quote. Cutting the text takes a fifth of the time of parsing it, and stops at the limit.
  for (let begin = 1 + opening.length; begin < entries.length && assets.length < limit; ) {
    const position = assets.length + 1
    const urlField = fieldAt(position)
    const idEnd = entries.indexOf('"', begin)
    const urlBegin = idEnd + '","'.length + urlField.length + '":"'.length
    const urlEnd = entries.indexOf('"', urlBegin)
    assets.push({ assetId: entries.slice(begin, idEnd), url: entries.slice(urlBegin, urlEnd), position, urlField })
    begin = urlEnd + '"},'.length + opening.length
  }
  return assets
}

export function encodeEntries(assetFormat: string, assets: readonly { assetId: string; url: string }[]): string {
  const fieldAt = urlFieldsOf(assetFormat)
  return JSON.stringify(assets.map(({ assetId, url }, i) => ({ asset_id: assetId, [fieldAt(i + 1)]: url })))
}

/** SQL: the name of a URL field without the number at its end, as `urlFieldsOf` has it. */
const fieldPrefix = (assetFormat: Sql) => sql`
  (case ${assetFormat} when 'pdf' then 'PDF' else upper(left(${assetFormat}, 1) collate "und-x-icu") collate "C" || substr(${assetFormat}, 2) end || ' URL ')`

const encodedRows = (assetFormat: Sql) => sql`
  '[' || string_agg('{"asset_id":' || to_json(asset_id) || ',' || to_json(${fieldPrefix(assetFormat)} || position) || ':'
    || to_json(url) || '}', ',' order by position) || ']'`

/**
 * SQL: the groups, with `entries` and their number `assets`, of rows `(channel, asset_format, parent_code, asset_id,
 * url, place)`.
 */
export const encodedGroups = (rows: Sql) => sql`
  select channel, asset_format, parent_code, ${encodedRows(sql`asset_format`)} as entries, count(*)::int as assets
  from (
    select *, row_number() over (
      partition by channel, asset_format, parent_code order by place, asset_id
    ) as position
    from (${rows}) r
  ) r
  group by channel, asset_format, parent_code`

/** SQL: the URL of a row of `entryRows`. */
export const entryUrl = sql`(entry ->> (${fieldPrefix(sql`g.asset_format`)} || place))`

/** SQL: the entries of the group `g` as a table `e(entry, place)`. */
export const entryRows = sql`json_array_elements(g.entries::json) with ordinality as e(entry, place)`

/** SQL: the entries of the group `g` that fulfil the condition; null if there are none. */
export const entriesWith = (condition: Sql) => sql`(
  select ${encodedRows(sql`g.asset_format`)}
  from (
    select entry ->> 'asset_id' as asset_id, ${entryUrl} as url, row_number() over (order by place) as position
    from ${entryRows} where ${condition}
  ) e)`

/** SQL: the number of assets of the group `g`. */
export const entryCount = sql<number>`json_array_length(g.entries::json)`
