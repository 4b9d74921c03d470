import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { faultsOf } from '../../errors.ts'
import { isName, shown } from '../../text.ts'
import { changeGroups } from '../asset-groups/change-groups.ts'
import { assetsByUrl } from '../asset-groups/read-model.ts'
import { boundedFailures, brief, type ItemFailure, maxReasonLength } from '../bounded-failures.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdAssets, createdLinks } from '../changes/record-changes.ts'
import { type Enumerations, oneOfFault } from '../enumerations.ts'
import { lockStore } from '../locks.ts'
import { urlFault } from './url-fields.ts'

/** An asset to link at the end of a group. Without `assetId`: the store's asset of the format and URL, or a new one. */
export interface NewAsset {
  assetId?: string | null | undefined
  channel: string
  parentCode: string
  assetFormat: string
  url: string
}

type StoredAsset = Record<'asset_id' | 'asset_format' | 'url', string>

/** An item as a row to write. `is_new` marks the first item of an asset to create. */
interface AssetRow extends StoredAsset {
  index: number
  is_new: boolean
  channel: string
  parent_code: string
}

/**
 * Creates assets and links them at the end of their groups. Each item fails by itself: for an unknown channel or
 * format, a bad URL, or an id that exists with another URL or format. Throws `store_not_found`.
 */
export async function addAssets(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  assets: readonly NewAsset[],
) {
  const failures = assets.flatMap((asset, index) => itemFailure(enumerations, asset, index) ?? [])
  const failed = new Set(failures.map((failure) => failure.index))
  const good = assets.map((asset, index) => ({ ...asset, index })).filter(({ index }) => !failed.has(index))
  const names = good.flatMap(({ parentCode, assetId, url }) => [parentCode, url, ...(assetId == null ? [] : [assetId])])
  const uuid = await lockStore(catalogue, storeUuid, { groups: names })
  const { rows, conflicts } = identify(good, await findStoredAssets(catalogue, uuid, good))
  const failedItems = failures.length + conflicts.length
  return {
    added: rows.filter((row) => row.is_new).length,
    linked: await insertAssets(catalogue, uuid, rows, failedItems),
    assetIds: rows.map((row) => row.asset_id),
    ...boundedFailures([...failures, ...conflicts.map(conflict)].sort((a, b) => a.index - b.index)),
  }
}

function itemFailure(enumerations: Enumerations, asset: NewAsset, index: number): ItemFailure | undefined {
  const { channel, parentCode, assetFormat, assetId, url } = asset
  const faults = faultsOf([
    ['channel', oneOfFault(channel, enumerations.channels)],
    ['assetFormat', oneOfFault(assetFormat, enumerations.assetFormats)],
    ['parentCode', codeFault(parentCode)],
    ['assetId', assetId == null ? undefined : codeFault(assetId)],
    ['url', urlFault(url)],
  ])
  if (faults.length === 0) return undefined
  // Each fault is cut to its share of the length, to show all of them.
  const details = faults
    .map((fault) => brief(fault.details, Math.floor(maxReasonLength / faults.length) - 2))
    .join('; ')
  return { reason: 'invalid_request', details, index, channel, parentCode, assetId }
}

/** The fault of a parent code or an asset id, or undefined. */
export function codeFault(code: string): string | undefined {
  return isName(code) ? undefined : `must have 1 to 255 characters; got ${shown(code)}`
}

function conflict({ index, channel, parentCode, assetId }: NewAsset & { index: number }): ItemFailure {
  const details = `the asset ${JSON.stringify(assetId)} exists with another URL or format`
  return { reason: 'asset_conflict', details, index, channel, parentCode, assetId }
}

/** The stored assets of the items' ids and, for items without an id, the first asset of each format and URL. */
async function findStoredAssets(catalogue: WriteCatalogue, storeUuid: string, assets: readonly NewAsset[]) {
  if (assets.length === 0) return []
  const ids = assets.flatMap((asset) => asset.assetId ?? [])
  const urls = new Set(assets.flatMap((asset) => (asset.assetId == null ? asset.url : [])))
  const { rows } = await sql<StoredAsset>`
      select asset_format, asset_id, url from asset
      where store_uuid = ${storeUuid} and asset_id = any(${ids}::text[])
    union ${assetsByUrl(storeUuid, [...urls])}
    order by asset_id`.execute(catalogue.db)
  return rows
}

/**
 * Assigns an asset to each item: by its id, or else by format and URL a stored or an earlier one, or else a new one.
 */
function identify(assets: readonly (NewAsset & { index: number })[], stored: readonly StoredAsset[]) {
  const rows: AssetRow[] = []
  const conflicts: (NewAsset & { index: number })[] = []
  const known = new Map(stored.map((asset) => [asset.asset_id, asset]))
  const idByUrl = new Map<string, string>()
  const addId = ({ asset_id, asset_format, url }: StoredAsset) => {
    const key = JSON.stringify([asset_format, url])
    if (!idByUrl.has(key)) idByUrl.set(key, asset_id)
  }
  stored.forEach(addId)
  for (const asset of assets) {
    const { index, channel, parentCode: parent_code, assetFormat: asset_format, url } = asset
    const asset_id = asset.assetId ?? idByUrl.get(JSON.stringify([asset_format, url])) ?? uuidv7()
    const before = known.get(asset_id)
    if (before && (before.url !== url || before.asset_format !== asset_format)) {
      conflicts.push(asset)
      continue
    }
    const row = { index, is_new: !before, asset_id, channel, parent_code, asset_format, url }
    if (!before) known.set(asset_id, row)
    addId(row)
    rows.push(row)
  }
  return { rows, conflicts }
}

/** Creates the new assets and the missing links, and returns the number of new links. */
async function insertAssets(
  catalogue: WriteCatalogue,
  storeUuid: string,
  rows: readonly AssetRow[],
  failed: number,
): Promise<number> {
  if (rows.length === 0) return 0
  const reads = sql`
    item as (
      select index, is_new, channel collate "C" as channel, parent_code collate "C" as parent_code,
        asset_format collate "C" as asset_format, url collate "C" as url, asset_id collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i(index integer, is_new boolean, asset_id text,
        channel text, parent_code text, asset_format text, url text)
    ), wanted as (
      select parent_code, channel, asset_id, min(asset_format) as asset_format, min(url) as url, min(index) as index
      from item group by parent_code, channel, asset_id
    ), fresh as (
      select w.*, row_number() over (partition by w.parent_code, w.channel order by w.index) as nth
      from wanted w cross join lateral (
        select count(*) as links from asset_link l where l.store_uuid = ${storeUuid}
          and l.parent_code = w.parent_code and l.channel = w.channel and l.asset_id = w.asset_id
      ) l
      where l.links = 0
    ), placed as materialized (
      select channel, asset_format, parent_code, asset_id, url,
        nth + max(case when nth = 1 then (
          select coalesce(max(l.place), 0) from asset_link l where l.store_uuid = ${storeUuid}
            and l.parent_code = fresh.parent_code and l.channel = fresh.channel
        ) end) over (partition by parent_code, channel) as place
      from fresh
    ), touched as (
      select distinct channel, asset_format, parent_code from placed
    ), remaining as materialized (
      select t.channel, t.asset_format, t.parent_code, l.asset_id, a.url, l.place
      from touched t cross join lateral (
        select asset_id, place from asset_link
        where store_uuid = ${storeUuid} and parent_code = t.parent_code and channel = t.channel
        offset 0
      ) l cross join lateral (
        select url from asset
        where store_uuid = ${storeUuid} and asset_id = l.asset_id and asset_format = t.asset_format
        offset 0
      ) a
    union all
      select channel, asset_format, parent_code, asset_id, url, place from placed
    )`
  const writes = sql`
    new_asset as (
      insert into asset (store_uuid, asset_id, asset_format, url)
      select ${storeUuid}::uuid, asset_id, asset_format, url from item where is_new
      order by asset_id
    ), new_link as (
      insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
      select ${storeUuid}::uuid, parent_code, channel, asset_id, place from placed
      order by parent_code, channel, asset_id
      returning asset_id
    )`
  const items = sql`${createdAssets(sql`select asset_id from item where is_new`)} union all ${createdLinks(sql`select * from placed`)}`
  const answer = sql<{ linked: number }>`(select count(*)::int from new_link) as linked`
  return (await changeGroups(catalogue, storeUuid, { reads, links: sql`remaining`, writes, items }, answer, failed))
    .linked
}
