import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { OwnConnection } from '../../database/connection/own-connection.ts'
import { type AssetEntry, encodeEntries, entriesOf } from '../asset-groups/asset-entries.ts'
import { assetsByUrl, countLoadedGroups, type WrittenGroup } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdAssets, createdLinks, recordChanges } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'

/** URLs, each once, to link in this order at the end of a group. */
export interface LoadedGroup {
  channel: string
  parentCode: string
  assetFormat: string
  urls: Iterable<string>
}

/**
 * Creates and links any number of assets by `copy`. A URL gets the store's asset of its format and URL, or else a new
 * one; a URL that its group has is left out. Each group must come once. Returns the numbers of new assets and links.
 */
export async function loadAssets(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  storeUuid: string,
  groups: readonly LoadedGroup[],
): Promise<{ added: number; linked: number }> {
  if (groups.length === 0) return { added: 0, linked: 0 }
  await lockStore(catalogue, storeUuid, { groups: 'all' })
  const stored = await readEntries(catalogue, storeUuid, groups)
  const missing = groups.flatMap((group, i): MissingGroup[] => {
    const entries = stored[i]?.entries
    const current = entries ? entriesOf(group.assetFormat, entries) : []
    const known = new Set(current.map(({ url }) => url))
    const urls = [...group.urls].filter((url) => !known.has(url))
    return urls.length === 0 ? [] : [{ ...group, urls, current }]
  })
  if (missing.length === 0) return { added: 0, linked: 0 }
  const ids = await findIdsByUrl(catalogue, storeUuid, missing)
  const rows = rowsOf(missing, ids, await readLastPlaces(catalogue, storeUuid, missing))
  await writeRows(connection, catalogue, storeUuid, rows)
  return { added: rows.assets.length, linked: rows.links.length }
}

async function writeRows(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  storeUuid: string,
  { assets, links, groups }: ReturnType<typeof rowsOf>,
): Promise<void> {
  await connection.copy('asset (asset_id, asset_format, url, store_uuid)', assets, ({ id, assetFormat, url }) => {
    return [id, assetFormat, url, storeUuid]
  })
  await connection.copy('asset_link (asset_id, parent_code, place, store_uuid, channel)', links, (link) => {
    return [link.id, link.parentCode, link.place, storeUuid, link.channel]
  })
  const items = sql`${createdAssets(sql`select unnest(${assets.map(({ id }) => id)}::text[]) as asset_id`)} union all
    ${createdLinks(sql`
      select * from unnest(${links.map((link) => link.channel)}::text[],
        ${links.map((link) => link.parentCode)}::text[], ${links.map(({ id }) => id)}::text[])
        as l(channel, parent_code, asset_id)`)}`
  await recordChanges(catalogue, storeUuid, items)
  const fresh = groups.filter(({ isNew }) => isNew)
  await connection.copy('asset_group (asset_format, parent_code, entries, store_uuid, channel)', fresh, (group) => {
    return [group.assetFormat, group.parentCode, group.entries, storeUuid, group.channel]
  })
  await countLoadedGroups(catalogue, storeUuid, groups)
}

/** A group with the URLs that it lacks, and its current entries. It does not exist if it has none. */
interface MissingGroup extends LoadedGroup {
  urls: string[]
  current: AssetEntry[]
}

/** The entries of each group in the order of the groups, null for a group that does not exist. */
async function readEntries({ db }: WriteCatalogue, storeUuid: string, groups: readonly LoadedGroup[]) {
  const channels = groups.map(({ channel }) => channel)
  const codes = groups.map(({ parentCode }) => parentCode)
  const formats = groups.map(({ assetFormat }) => assetFormat)
  const { rows } = await sql<{ entries: string | null }>`
    select g.entries
    from (
      select *, hashtextextended(parent_code collate "C", 0) as hash
      from unnest(${channels}::text[], ${codes}::text[], ${formats}::text[]) with ordinality
        as n(channel, parent_code, asset_format, nth)
      offset 0
    ) n left join lateral (
      select entries from asset_group
      where store_uuid = ${storeUuid} and channel = n.channel collate "C" and asset_format = n.asset_format collate "C"
        and parent_code = n.parent_code collate "C" and parent_hash = n.hash
      offset 0
    ) g on true
    order by n.nth`.execute(db)
  return rows
}

/** The last place of the links of each product that has a group, on its channel. */
async function readLastPlaces({ db }: WriteCatalogue, storeUuid: string, groups: readonly MissingGroup[]) {
  const known = groups.filter(({ current }) => current.length > 0)
  if (known.length === 0) return new Map()
  const { rows } = await sql<{ channel: string; parent_code: string; place: number }>`
    select n.channel, n.parent_code, l.place
    from (
      select distinct *
      from unnest(${known.map(({ channel }) => channel)}::text[], ${known.map(({ parentCode }) => parentCode)}::text[])
        as n(channel, parent_code)
    ) n cross join lateral (
      select coalesce(max(place), 0) as place from asset_link
      where store_uuid = ${storeUuid} and parent_code = n.parent_code collate "C" and channel = n.channel collate "C"
    ) l`.execute(db)
  return new Map(rows.map(({ channel, parent_code, place }) => [keyOf(channel, parent_code), place]))
}

async function findIdsByUrl({ db }: WriteCatalogue, storeUuid: string, groups: readonly MissingGroup[]) {
  const urls = new Set(groups.flatMap((group) => group.urls))
  const { rows } = await sql<{ asset_format: string; asset_id: string; url: string }>`
    ${assetsByUrl(storeUuid, [...urls])}`.execute(db)
  return new Map(rows.map((asset) => [keyOf(asset.asset_format, asset.url), asset.asset_id]))
}

function keyOf(first: string, second: string): string {
  return `${first}\n${second}`
}

/**
 * The new assets, the new links, and the groups with all their entries. The ids of new assets are consecutive version 7
 * UUIDs, so that they are neighbours in the index.
 */
function rowsOf(missing: readonly MissingGroup[], ids: Map<string, string>, places: Map<string, number>) {
  const assets: { id: string; assetFormat: string; url: string }[] = []
  const links: { channel: string; parentCode: string; id: string; place: number }[] = []
  const groups: WrittenGroup[] = []
  const first = uuidv7()
  for (const { channel, parentCode, assetFormat, urls, current } of missing) {
    const parent = keyOf(channel, parentCode)
    let place = places.get(parent) ?? 0
    const added = urls.map((url) => {
      const key = keyOf(assetFormat, url)
      const id = ids.get(key) ?? first.slice(0, 24) + assets.length.toString(16).padStart(6, '0') + first.slice(30)
      if (!ids.has(key)) assets.push({ id, assetFormat, url })
      ids.set(key, id)
      links.push({ channel, parentCode, id, place: ++place })
      return { assetId: id, url }
    })
    places.set(parent, place)
    const all = [...current, ...added]
    const entries = encodeEntries(assetFormat, all)
    groups.push({ channel, parentCode, assetFormat, entries, isNew: current.length === 0, assets: all.length })
  }
  return { assets, links, groups }
}
