import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import { invalidRequest, storeNotFound } from '../errors.ts'
import type { Enumerations } from './enumerations.ts'
import { fromSource } from './from-source.ts'
import type { ProductKey } from './list-products.ts'
import { isStorable, shown, storeUuidOf } from './text.ts'
import { urlField } from './url-fields.ts'

export interface AssetEntry {
  assetId: string
  url: string
  /** The asset's place in its group, from 1, without gaps. */
  position: number
  urlField: string
}

export interface AssetGroup {
  parentCode: string
  channel: string
  assetType: string
  storeUuid: string
  assets: AssetEntry[]
}

export interface AssetGroupPage {
  /** All groups of the store, channel and format, exactly. */
  totalGroups: number
  groups: AssetGroup[]
}

/** `offset` from 0; `limit` from 1, at most `largestPage`. */
export interface AssetGroupQuery {
  channel: string
  assetFormat: string
  offset: number
  limit: number
}

export const largestPage = 50

interface GroupRow {
  store_uuid: string
  channel: string
  asset_format: string
  parent_code: string
  assets: [assetId: string, url: string][]
}

/** Throws `invalid_request` that names the formats in force when the query's is none of them (decisions: Assets). */
export function checkFormat(enumerations: Enumerations, assetFormat: string): void {
  if (enumerations.assetFormats.includes(assetFormat)) return
  const expected = enumerations.assetFormats.join(', ')
  throw invalidRequest([
    { field: 'assetFormat', details: `assetFormat must be one of ${expected}; got ${shown(assetFormat)}` },
  ])
}

/** The page of one store's groups (spec: GET /assets); throws `store_not_found`. One statement. */
export async function listGroups(
  db: Kysely<Database>,
  storeUuid: string,
  query: AssetGroupQuery,
): Promise<AssetGroupPage> {
  const uuid = storeUuidOf(storeUuid)
  const pages = uuid && (await listGroupsOfStores(db, [uuid], query))
  const page = uuid && pages ? pages.get(uuid) : undefined
  if (!page) throw storeNotFound('storeUuid', storeUuid)
  return page
}

/**
 * The same page of each store that exists, by store, in the order of the parent codes. The total is kept, not counted; the first key of
 * the page is found in the index alone. Throws `downstream_unavailable`. One statement for all stores.
 */
export async function listGroupsOfStores(
  db: Kysely<Database>,
  storeUuids: readonly string[],
  { channel, assetFormat, offset, limit }: AssetGroupQuery,
): Promise<Map<string, AssetGroupPage>> {
  const { rows } = await fromSource(
    sql<GroupRow & { total: number; parent_code: string | null }>`
    select s.store_uuid, coalesce(c.groups, 0) as total, ${channel} as channel, ${assetFormat} as asset_format, g.parent_code, g.assets
    from store s
    left join asset_group_count c
      on c.store_uuid = s.store_uuid and c.channel = ${channel} and c.asset_format = ${assetFormat}
    left join lateral (
      select parent_code, assets from asset_group
      where store_uuid = s.store_uuid and channel = ${channel} and asset_format = ${assetFormat}
        and parent_code >= (
          select parent_code from asset_group
          where store_uuid = s.store_uuid and channel = ${channel} and asset_format = ${assetFormat}
          order by parent_code offset ${offset} limit 1
        )
      order by parent_code
      limit ${limit}
    ) g on true
    where s.store_uuid = any(${[...storeUuids]}::uuid[])
    order by s.store_uuid, g.parent_code`.execute(db),
  )
  const pages = new Map<string, AssetGroupPage>()
  for (const row of rows) {
    const page = pages.get(row.store_uuid) ?? { totalGroups: row.total, groups: [] }
    pages.set(row.store_uuid, page)
    if (row.parent_code !== null) page.groups.push(groupOf(row))
  }
  return pages
}

/** The groups of the parent codes, narrowed to a channel or format if given, in the order of channel and format. One statement. */
export async function listGroupsOfParents(
  db: Kysely<Database>,
  parents: readonly ProductKey[],
  narrow: { channel?: string | null | undefined; assetFormat?: string | null | undefined },
): Promise<AssetGroup[]> {
  const storable = parents.filter((parent) => isStorable(parent.productCode))
  const { rows } = await sql<GroupRow>`
    select g.store_uuid, g.channel, g.asset_format, g.parent_code, g.assets
    from unnest(${storable.map((parent) => parent.storeUuid)}::uuid[], ${storable.map((parent) => parent.productCode)}::text[])
      as k(store_uuid, parent_code)
    join asset_group g on g.store_uuid = k.store_uuid and g.parent_code = k.parent_code collate "C"
    where (${narrow.channel ?? null}::text is null or g.channel = ${narrow.channel ?? null})
      and (${narrow.assetFormat ?? null}::text is null or g.asset_format = ${narrow.assetFormat ?? null})
    order by g.store_uuid, g.parent_code, g.channel, g.asset_format`.execute(db)
  return rows.map(groupOf)
}

function groupOf(row: GroupRow): AssetGroup {
  return {
    parentCode: row.parent_code,
    channel: row.channel,
    assetType: row.asset_format,
    storeUuid: row.store_uuid,
    assets: row.assets.map(([assetId, url], i) => ({
      assetId,
      url,
      position: i + 1,
      urlField: urlField(row.asset_format, i + 1),
    })),
  }
}
