import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { OwnConnection } from '../../database/connection/own-connection.ts'
import { type AssetEntry, encodeEntries, entriesOf } from '../asset-groups/asset-entries.ts'
import { countLoadedGroups } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdAssets, createdLinks, recordChanges } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { assetsByUrl } from './assets-by-url.ts'

/** URLs to link at the end of a product's group of one format, in order, each once. */
export interface LoadedGroup {
  parentCode: string
  assetFormat: string
  urls: Iterable<string>
}

interface Target {
  storeUuid: string
  channel: string
}

/**
 * Creates assets and links them as `addAssets` does, for any number of them: reads what the store has, then copies what
 * it does not have straight into the tables. An asset is the store's of that format and URL, or a new one; a URL that
 * is in the group already is left alone. Each group must come once. Returns how many assets and links were made. At
 * most twelve statements.
 */
export async function loadAssets(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  target: Target,
  groups: readonly LoadedGroup[],
): Promise<{ added: number; linked: number }> {
  if (groups.length === 0) return { added: 0, linked: 0 }
  await lockStore(catalogue, target.storeUuid, { groups: 'all' })
  const stored = await readEntries(catalogue, target, groups)
  const missing = groups.flatMap((group, i): MissingGroup[] => {
    const entries = stored[i]?.entries
    const current = entries ? entriesOf(group.assetFormat, entries) : []
    const known = new Set(current.map(({ url }) => url))
    const urls = [...group.urls].filter((url) => !known.has(url))
    return urls.length === 0 ? [] : [{ ...group, urls, current }]
  })
  if (missing.length === 0) return { added: 0, linked: 0 }
  const ids = await findAssets(catalogue, target.storeUuid, missing)
  const rows = rowsOf(missing, ids, await readLastPlaces(catalogue, target, missing))
  await writeRows(connection, catalogue, target, rows)
  return { added: rows.assets.length, linked: rows.links.length }
}

async function writeRows(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  { storeUuid, channel }: Target,
  { assets, links, groups }: ReturnType<typeof rowsOf>,
): Promise<void> {
  await connection.copy('asset (asset_id, asset_format, url, store_uuid)', assets, ({ id, assetFormat, url }) => {
    return [id, assetFormat, url, storeUuid]
  })
  await connection.copy('asset_link (asset_id, parent_code, place, store_uuid, channel)', links, (link) => {
    return [link.id, link.parentCode, link.place, storeUuid, channel]
  })
  const items = sql`${createdAssets(sql`select unnest(${assets.map(({ id }) => id)}::text[]) as asset_id`)} union all
    ${createdLinks(sql`
      select *, ${channel}::text as channel
      from unnest(${links.map((link) => link.parentCode)}::text[], ${links.map(({ id }) => id)}::text[])
        as l(parent_code, asset_id)`)}`
  await recordChanges(catalogue, storeUuid, items)
  const fresh = groups.filter(({ isNew }) => isNew)
  await connection.copy('asset_group (asset_format, parent_code, entries, store_uuid, channel)', fresh, (group) => {
    return [group.assetFormat, group.parentCode, group.entries, storeUuid, channel]
  })
  const changed = groups.filter(({ isNew }) => !isNew)
  await replaceEntries(catalogue, { storeUuid, channel }, changed)
  await countLoadedGroups(catalogue, { storeUuid, channel }, groups)
}

/** A group with those of its URLs that it does not have, and what it has; nothing: it does not exist. */
interface MissingGroup extends LoadedGroup {
  urls: string[]
  current: AssetEntry[]
}

/**
 * The entries of the groups in their order, null of one that does not exist. One statement, which finds each by its
 * key.
 */
async function readEntries({ db }: WriteCatalogue, { storeUuid, channel }: Target, groups: readonly LoadedGroup[]) {
  const codes = groups.map(({ parentCode }) => parentCode)
  const formats = groups.map(({ assetFormat }) => assetFormat)
  const { rows } = await sql<{ entries: string | null }>`
    select g.entries
    from (
      select *, hashtextextended(parent_code collate "C", 0) as hash
      from unnest(${codes}::text[], ${formats}::text[]) with ordinality as n(parent_code, asset_format, nth) offset 0
    ) n left join lateral (
      select entries from asset_group
      where store_uuid = ${storeUuid} and channel = ${channel} and asset_format = n.asset_format collate "C"
        and parent_code = n.parent_code collate "C" and parent_hash = n.hash
      offset 0
    ) g on true
    order by n.nth`.execute(db)
  return rows
}

/** The last place of the products' links, of those products that have a group already. At most one statement. */
async function readLastPlaces({ db }: WriteCatalogue, { storeUuid, channel }: Target, groups: readonly MissingGroup[]) {
  const codes = new Set(groups.flatMap(({ parentCode, current }) => (current.length === 0 ? [] : parentCode)))
  if (codes.size === 0) return new Map()
  const { rows } = await sql<{ parent_code: string; place: number }>`
    select n.parent_code, l.place
    from unnest(${[...codes]}::text[]) as n(parent_code) cross join lateral (
      select coalesce(max(place), 0) as place from asset_link
      where store_uuid = ${storeUuid} and parent_code = n.parent_code collate "C" and channel = ${channel}
    ) l`.execute(db)
  return new Map(rows.map(({ parent_code, place }) => [parent_code, place]))
}

async function findAssets({ db }: WriteCatalogue, storeUuid: string, groups: readonly MissingGroup[]) {
  const urls = new Set(groups.flatMap((group) => group.urls))
  const { rows } = await sql<{ asset_format: string; asset_id: string; url: string }>`
    ${assetsByUrl(storeUuid, [...urls])}`.execute(db)
  return new Map(rows.map((asset) => [keyOf(asset.asset_format, asset.url), asset.asset_id]))
}

function keyOf(assetFormat: string, url: string): string {
  return `${assetFormat}\n${url}`
}

/**
 * The assets that are new, the links, and the groups with all of their entries. New assets have version 7 UUIDs that
 * count on from one of their own, so that they are neighbours in the index.
 */
function rowsOf(missing: readonly MissingGroup[], ids: Map<string, string>, places: Map<string, number>) {
  const assets: { id: string; assetFormat: string; url: string }[] = []
  const links: { parentCode: string; id: string; place: number }[] = []
  const groups: { parentCode: string; assetFormat: string; entries: string; isNew: boolean }[] = []
  const first = uuidv7()
  for (const { parentCode, assetFormat, urls, current } of missing) {
    let place = places.get(parentCode) ?? 0
    const added = urls.map((url) => {
      const key = keyOf(assetFormat, url)
      const id = ids.get(key) ?? first.slice(0, 24) + assets.length.toString(16).padStart(6, '0') + first.slice(30)
      if (!ids.has(key)) assets.push({ id, assetFormat, url })
      ids.set(key, id)
      links.push({ parentCode, id, place: ++place })
      return { assetId: id, url }
    })
    places.set(parentCode, place)
    groups.push({
      parentCode,
      assetFormat,
      entries: encodeEntries(assetFormat, [...current, ...added]),
      isNew: current.length === 0,
    })
  }
  return { assets, links, groups }
}

async function replaceEntries(
  { db }: WriteCatalogue,
  { storeUuid, channel }: Target,
  groups: readonly { parentCode: string; assetFormat: string; entries: string }[],
): Promise<void> {
  if (groups.length === 0) return
  const codes = groups.map(({ parentCode }) => parentCode)
  const formats = groups.map(({ assetFormat }) => assetFormat)
  const entries = groups.map((group) => group.entries)
  await sql`
    insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
    select ${storeUuid}::uuid, ${channel}, asset_format, parent_code, entries
    from unnest(${codes}::text[], ${formats}::text[], ${entries}::text[]) as n(parent_code, asset_format, entries)
    on conflict (store_uuid, channel, asset_format, parent_code) do update set entries = excluded.entries`.execute(db)
}
