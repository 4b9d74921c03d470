import { type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../database/tables.ts'
import { isName, shown } from '../../text.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Enumerations, oneOfFault } from '../enumerations.ts'
import type { ItemFailure } from '../item-failure.ts'
import { lockStore } from '../locks.ts'
import { storeKey } from '../store-key.ts'
import { urlFault } from './asset-rules.ts'
import { assetsByUrl } from './assets-by-url.ts'
import { linkAssets } from './link-assets.ts'

/**
 * An asset to link at the end of a group. Without `assetId` it is the store's asset of that format and URL, or a new
 * one.
 */
export interface NewAsset {
  assetId?: string | null | undefined
  channel: string
  parentCode: string
  assetFormat: string
  url: string
}

export interface AddedAssets {
  /** Assets created. */
  added: number
  /** Links created; existing links do not count. */
  linked: number
  /** The asset id of each item that did not fail, in the order of the request. */
  assetIds: string[]
  failures: ItemFailure[]
}

type StoredAsset = Pick<Selectable<Database['asset']>, 'asset_id' | 'asset_format' | 'url'>

/** An item as a row to write; `is_new` is set on the first item of an asset to create. */
interface AssetRow extends StoredAsset {
  index: number
  is_new: boolean
  channel: string
  parent_code: string
}

/**
 * Creates assets and links them at the end of their groups. Each item fails by itself: for an unknown channel or
 * format, for a bad URL, or for an id that exists with another URL or format. Throws `store_not_found`. Three
 * statements, whatever the number of items.
 */
export async function addAssets(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  assets: readonly NewAsset[],
): Promise<AddedAssets> {
  const failures = assets.flatMap((asset, index) => itemFailure(enumerations, asset, index) ?? [])
  const failed = new Set(failures.map((failure) => failure.index))
  const good = assets.map((asset, index) => ({ ...asset, index })).filter(({ index }) => !failed.has(index))
  const names = good.flatMap(({ parentCode, assetId, url }) => [parentCode, url, ...(assetId == null ? [] : [assetId])])
  const uuid = await lockStore(catalogue, storeUuid, { groups: names })
  const { rows, conflicts } = identify(good, await findAssets(catalogue, uuid, good))
  return {
    added: rows.filter((row) => row.is_new).length,
    linked: await insertAssets(catalogue, uuid, rows),
    assetIds: rows.map((row) => row.asset_id),
    failures: [...failures, ...conflicts.map(conflict)].sort((a, b) => a.index - b.index),
  }
}

function itemFailure(enumerations: Enumerations, asset: NewAsset, index: number): ItemFailure | undefined {
  const faults: [field: string, fault: string | undefined][] = [
    ['channel', oneOfFault(asset.channel, enumerations.channels)],
    ['assetFormat', oneOfFault(asset.assetFormat, enumerations.assetFormats)],
    ['parentCode', nameFault(asset.parentCode)],
    ['assetId', asset.assetId == null ? undefined : nameFault(asset.assetId)],
    ['url', urlFault(asset.url)],
  ]
  const problems = faults.flatMap(([field, fault]) => (fault === undefined ? [] : [`${field} ${fault}`]))
  if (problems.length === 0) return undefined
  return { reason: 'invalid_request', details: problems.join('; '), ...placeOf(asset, index) }
}

function nameFault(name: string): string | undefined {
  return isName(name) ? undefined : `must have 1 to 255 characters; got ${shown(name)}`
}

function conflict(asset: NewAsset & { index: number }): ItemFailure {
  const details = `the asset ${JSON.stringify(asset.assetId)} exists with another URL or format`
  return { reason: 'asset_conflict', details, ...placeOf(asset, asset.index) }
}

function placeOf(asset: NewAsset, index: number) {
  return { index, channel: asset.channel, parentCode: asset.parentCode, assetId: asset.assetId ?? undefined }
}

/** The store's assets of the items' ids and, for items without one, the first asset of their format and URL. */
async function findAssets(
  catalogue: WriteCatalogue,
  storeUuid: string,
  assets: readonly NewAsset[],
): Promise<StoredAsset[]> {
  if (assets.length === 0) return []
  const ids = assets.flatMap((asset) => asset.assetId ?? [])
  const urls = new Set(assets.flatMap((asset) => (asset.assetId == null ? asset.url : [])))
  const { rows } = await sql<StoredAsset>`
      select asset_format, asset_id, url from asset
      where store_uuid = ${storeKey(storeUuid)} and asset_id = any(${ids}::text[])
    union ${assetsByUrl(storeUuid, [...urls])}
    order by asset_id`.execute(catalogue.db)
  return rows
}

/**
 * Assigns each item its asset: by its id; else the store's asset, or that of an earlier item, with its format and URL;
 * else a new one.
 */
function identify(assets: readonly (NewAsset & { index: number })[], stored: readonly StoredAsset[]) {
  const rows: AssetRow[] = []
  const conflicts: (NewAsset & { index: number })[] = []
  const known = new Map(stored.map((asset) => [asset.asset_id, asset]))
  const idByUrl = new Map<string, string>()
  const learn = ({ asset_id, asset_format, url }: StoredAsset) => {
    const key = JSON.stringify([asset_format, url])
    if (!idByUrl.has(key)) idByUrl.set(key, asset_id)
  }
  stored.forEach(learn)
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
    learn(row)
    rows.push(row)
  }
  return { rows, conflicts }
}

/** Creates the new assets and the missing links; returns the number of links. */
async function insertAssets(catalogue: WriteCatalogue, storeUuid: string, rows: readonly AssetRow[]): Promise<number> {
  if (rows.length === 0) return 0
  const items = sql`
    select index, is_new, channel collate "C" as channel, parent_code collate "C" as parent_code,
      asset_format collate "C" as asset_format, url collate "C" as url, asset_id collate "C" as asset_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i(index integer, is_new boolean, asset_id text,
      channel text, parent_code text, asset_format text, url text)`
  return (await linkAssets(catalogue, storeUuid, items)).linked
}
