import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { currentReadBytes } from '../../request/context.ts'
import { isStorable } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../catalogue.ts'
import type { Sql } from '../conditions.ts'
import { findStores, requireStore } from '../stores/stores.ts'
import { noEntries } from './asset-entries.ts'

export interface AssetGroup {
  parentCode: string
  channel: string
  assetFormat: string
  storeUuid: string
  /** The assets in order, in the stored form of asset-entries.ts. */
  entries: string
}

export interface AssetGroupPage {
  totalGroups: number
  groups: AssetGroup[]
  /** The `groupsVersion` of the page; null if the filtering service chose the groups. */
  version: string | null
}

/** `offset` from 0; `limit` from 1, at most `maxGroups`. */
export interface AssetGroupQuery {
  channel: string
  assetFormat: string
  offset: number
  limit: number
}

export const maxGroups = 50

/** A page, or undefined if there is no such store. */
export async function pageGroups(
  catalogue: Catalogue,
  storeUuid: string,
  { channel, assetFormat, offset, limit }: AssetGroupQuery,
): Promise<AssetGroupPage | undefined> {
  const uuid = visibleStore(catalogue, storeUuid)
  const readBytes = currentReadBytes()
  const ofQuery = sql`store_uuid = ${uuid} and channel = ${channel} and asset_format = ${assetFormat}`
  const { rows } = await sql<{ total: number; version: string; codes: string[] | null; entries: string | null }>`
    select t.total, t.version, g.codes, g.entries
    from (
      select coalesce(sum(groups), 0)::int as total, coalesce(sum(version), 0)::text as version
      from asset_group_total where ${ofQuery}
    ) t cross join (
      -- The rows come in order: an aggregate with an order of its own would sort them again.
      select json_agg(parent_code) as codes,
        string_agg(entries, ${newline}) filter (where bytes <= ${readBytes.left}) as entries
      from (
        select parent_code, entries, sum(octet_length(entries)) over () as bytes
        from (
          select parent_code, entries from asset_group
          where ${ofQuery} and parent_code >= (${offset <= nearOffset ? firstCode(ofQuery, sql`true`, sql`${offset}`) : farCode(ofQuery, offset)})
          order by parent_code
          limit ${limit}
        ) p
      ) p
    ) g`.execute(catalogue.db)
  const page = onlyRow(rows)
  if (page.total === 0 && !(await findStores(catalogue, [storeUuid])).has(storeUuid)) return undefined
  if (page.codes && page.entries === null) throw readBytes.tooMuch()
  const texts = page.entries?.split(newline) ?? []
  const groups = (page.codes ?? []).map((parentCode, i) => {
    return { storeUuid, channel, assetFormat, parentCode, entries: texts[i] ?? noEntries }
  })
  return { totalGroups: page.total, version: page.version, groups }
}

/** Separates the entries, which have no line break: one row costs a fraction of fifty. */
const newline = '\n'

/** Skipping up to this many keys of an index costs less than looking up their range. */
const nearOffset = 500

/** The code after `skipped` others, by an index-only scan. */
function firstCode(ofQuery: Sql, from: Sql, skipped: Sql): Sql {
  return sql`
        select parent_code from asset_group where ${ofQuery} and ${from}
        order by parent_code offset ${skipped} limit 1`
}

/**
 * The code at the offset, through the range that contains it. The inner limit only affects the plan: PostgreSQL expects
 * few rows of it, and so reads the ranges in index order, as far as needed, instead of sorting all of them.
 */
function farCode(ofQuery: Sql, offset: number): Sql {
  return sql`
        select f.parent_code from (
          select first_code, ${offset}::bigint - (upto - groups) as skipped
          from (
            select first_code, groups, sum(groups) over (order by first_code rows unbounded preceding) as upto
            from (
              select first_code, groups from asset_group_range where ${ofQuery}
              order by first_code limit ${Number.MAX_SAFE_INTEGER}::bigint
            ) r
          ) r
          where upto > ${offset}::bigint order by first_code limit 1
        ) r cross join lateral (${firstCode(ofQuery, sql`parent_code >= r.first_code`, sql`r.skipped`)}
        ) f`
}

/** The version of a listing, which any change of it raises. Throws `store_not_found`. */
export async function groupsVersion(
  catalogue: Catalogue,
  storeUuid: string,
  { channel, assetFormat }: Pick<AssetGroupQuery, 'channel' | 'assetFormat'>,
): Promise<string> {
  const uuid = requireVisible(catalogue, storeUuid)
  const { rows } = await sql<{ version: string }>`
    select coalesce(sum(version), 0)::text as version from asset_group_total
    where store_uuid = ${uuid} and channel = ${channel} and asset_format = ${assetFormat}`.execute(catalogue.db)
  const { version } = onlyRow(rows)
  if (version === '0') await requireStore(catalogue, storeUuid)
  return version
}

/**
 * The groups of parent codes, on a channel or of a format if given, in the order of parent code, channel and format.
 */
export async function listGroupsOfParents(
  catalogue: Catalogue,
  storeUuid: string,
  parentCodes: readonly string[],
  narrow: { channel?: string | null | undefined; assetFormat?: string | null | undefined },
): Promise<AssetGroup[]> {
  const readBytes = currentReadBytes()
  const { rows } = await sql<AssetGroup>`
    select ${storeUuid}::uuid as "storeUuid", g.channel, g.asset_format as "assetFormat", g.parent_code as "parentCode",
      case when sum(octet_length(g.entries)) over () <= ${readBytes.left} then g.entries end as entries
    from (
      select parent_code, hashtextextended(parent_code collate "C", 0) as hash
      from unnest(${parentCodes.filter(isStorable)}::text[]) as k(parent_code) offset 0
    ) k cross join lateral (
      select channel, asset_format, parent_code, entries from asset_group
      where store_uuid = ${visibleStore(catalogue, storeUuid)} and parent_code = k.parent_code collate "C"
        and parent_hash = k.hash
        and (${narrow.channel ?? null}::text is null or channel = ${narrow.channel ?? null})
        and (${narrow.assetFormat ?? null}::text is null or asset_format = ${narrow.assetFormat ?? null})
      offset 0
    ) g
    order by g.parent_code, g.channel, g.asset_format`.execute(catalogue.db)
  if (rows[0]?.entries === null) throw readBytes.tooMuch()
  return rows
}

/** A page as the JSON text that a REST listing has as its data: its groups have one store, channel and format. */
export function pageText({ totalGroups, groups }: AssetGroupPage): string {
  const [{ channel, assetFormat, storeUuid } = {}] = groups
  const head = JSON.stringify({ channel, asset_type: assetFormat, store_uuid: storeUuid }).slice(0, -1)
  // Appended, and not joined: a page may have 16 MiB, and is copied once.
  let text = `{"total_groups":${totalGroups},"returned_groups":${groups.length},"assets":{`
  for (const [i, { parentCode, entries }] of groups.entries()) {
    text += `${i === 0 ? '' : ','}${JSON.stringify(parentCode)}:${head},"assets":${entries}}`
  }
  return `${text}}}`
}
