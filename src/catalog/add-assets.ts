import { sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database/tables.ts'
import { storeNotFound } from '../errors.ts'
import { channelFault, formatFault, urlFault } from './asset-rules.ts'
import type { Enumerations } from './enumerations.ts'
import type { ItemFailure } from './item-failure.ts'
import { lockStores } from './lock-stores.ts'
import { maintainReadModel } from './read-model.ts'
import { isName, shown, storeUuidOf } from './text.ts'

/** An asset to link at the end of a group. Without `assetId` it is the store's asset of that format and URL, or a new one. */
export interface NewAsset {
  assetId?: string | null | undefined
  channel: string
  parentCode: string
  assetFormat: string
  url: string
}

export interface AddedAssets {
  /** Assets made. */
  added: number
  /** Links made; what was linked already is neither. */
  linked: number
  /** The asset id of each item that did not fail, in the order of the request. */
  assetIds: string[]
  failures: ItemFailure[]
}

interface AssetRow {
  index: number
  named: boolean
  asset_id: string
  channel: string
  parent_code: string
  asset_format: string
  url: string
}

/**
 * Creates assets and links them at the end of their groups. An item with an unknown channel or format, a URL that is
 * none, or an id that exists with another URL or format, fails alone. Throws `store_not_found`. Two statements, whatever the number of items.
 */
export async function addAssets(
  db: Transaction<Database>,
  enumerations: Enumerations,
  storeUuid: string,
  assets: readonly NewAsset[],
): Promise<AddedAssets> {
  const uuid = storeUuidOf(storeUuid)
  if (!uuid) throw storeNotFound('storeUuid', storeUuid)
  const failures = assets.flatMap((asset, index) => itemFailure(enumerations, asset, index) ?? [])
  const failed = new Set(failures.map((failure) => failure.index))
  const rows = assetRows(assets).filter((row) => !failed.has(row.index))
  const stores = await lockStores(db, [uuid])
  if (!stores.has(uuid)) throw storeNotFound('storeUuid', storeUuid)
  const { added, linked, items } = await insertAssets(db, uuid, rows)
  const conflicts = items.flatMap(({ index, ok }) => (ok ? [] : [conflict(assets[index], index)]))
  return {
    added,
    linked,
    assetIds: items.flatMap((item) => (item.ok ? [item.asset_id] : [])),
    failures: [...failures, ...conflicts].sort((a, b) => a.index - b.index),
  }
}

function itemFailure(enumerations: Enumerations, asset: NewAsset, index: number): ItemFailure | undefined {
  const faults: [field: string, fault: string | undefined][] = [
    ['channel', channelFault(enumerations, asset.channel)],
    ['assetFormat', formatFault(enumerations, asset.assetFormat)],
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

function conflict(asset: NewAsset | undefined, index: number): ItemFailure {
  const details = `the asset ${JSON.stringify(asset?.assetId)} exists with another URL or format`
  return { reason: 'asset_conflict', details, ...(asset ? placeOf(asset, index) : { index }) }
}

function placeOf(asset: NewAsset, index: number) {
  return { index, channel: asset.channel, parentCode: asset.parentCode, assetId: asset.assetId ?? undefined }
}

/** Each item with an id: its own, that of an item before it with the same format and URL, or a new one. */
function assetRows(assets: readonly NewAsset[]): AssetRow[] {
  const idByUrl = new Map<string, string>()
  return assets.map((asset, index) => {
    const key = JSON.stringify([asset.assetFormat, asset.url])
    const assetId = asset.assetId ?? idByUrl.get(key) ?? uuidv7()
    if (!idByUrl.has(key)) idByUrl.set(key, assetId)
    return {
      index,
      named: asset.assetId != null,
      asset_id: assetId,
      channel: asset.channel,
      parent_code: asset.parentCode,
      asset_format: asset.assetFormat,
      url: asset.url,
    }
  })
}

interface Inserted {
  added: number
  linked: number
  items: { index: number; asset_id: string; ok: boolean }[]
}

async function insertAssets(
  db: Transaction<Database>,
  storeUuid: string,
  rows: readonly AssetRow[],
): Promise<Inserted> {
  if (rows.length === 0) return { added: 0, linked: 0, items: [] }
  const result = await sql<Inserted>`
    with item as (
      select i.index, channel collate "C" as channel, parent_code collate "C" as parent_code,
        asset_format collate "C" as asset_format, url collate "C" as url,
        coalesce(case when not named then (
          select min(a.asset_id) from asset a
          where a.store_uuid = ${storeUuid}::uuid and hashtextextended(a.url, 0) = hashtextextended(i.url collate "C", 0)
            and a.url = i.url collate "C" and a.asset_format = i.asset_format collate "C"
        ) end, asset_id) collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i(index integer, named boolean, asset_id text,
        channel text, parent_code text, asset_format text, url text)
    ), first as (
      select distinct on (asset_id) asset_id, asset_format, url from item order by asset_id, index
    ), truth as (
      select first.asset_id, coalesce(a.asset_format, first.asset_format) as asset_format,
        coalesce(a.url, first.url) as url, a.asset_id is null as is_new
      from first left join asset a on a.store_uuid = ${storeUuid}::uuid and a.asset_id = first.asset_id
    ), judged as (
      select item.*, item.url = truth.url and item.asset_format = truth.asset_format as ok
      from item join truth using (asset_id)
    ), new_asset as (
      insert into asset (store_uuid, asset_id, asset_format, url)
      select ${storeUuid}::uuid, asset_id, asset_format, url from truth where is_new
      order by asset_id
      returning asset_id
    ), wanted as (
      select parent_code, channel, asset_id, min(asset_format) as asset_format, min(url) as url, min(index) as index
      from judged where ok group by parent_code, channel, asset_id
    ), fresh as (
      select w.*, row_number() over (partition by w.parent_code, w.channel order by w.index) as nth
      from wanted w left join asset_link l on l.store_uuid = ${storeUuid}::uuid
        and l.parent_code = w.parent_code and l.channel = w.channel and l.asset_id = w.asset_id
      where l.asset_id is null
    ), last as (
      select f.parent_code, f.channel, coalesce((
        select max(l.place) from asset_link l where l.store_uuid = ${storeUuid}::uuid
          and l.parent_code = f.parent_code and l.channel = f.channel
      ), 0) as place
      from (select distinct parent_code, channel from fresh) f
    ), new_link as (
      insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
      select ${storeUuid}::uuid, parent_code, channel, asset_id, last.place + nth from fresh join last using (parent_code, channel)
      order by parent_code, channel, asset_id
      returning store_uuid, parent_code, channel, asset_id, place
    ), touched as (
      select distinct n.store_uuid, n.channel, f.asset_format, n.parent_code
      from new_link n join fresh f using (parent_code, channel, asset_id)
    ), remaining as (
      select t.store_uuid, t.channel, t.asset_format, t.parent_code, l.asset_id, a.url, l.place
      from touched t
      join asset_link l on l.store_uuid = t.store_uuid and l.parent_code = t.parent_code and l.channel = t.channel
      join asset a on a.store_uuid = l.store_uuid and a.asset_id = l.asset_id and a.asset_format = t.asset_format
    union all
      select n.store_uuid, n.channel, f.asset_format, n.parent_code, n.asset_id, f.url, n.place
      from new_link n join fresh f using (parent_code, channel, asset_id)
    ), ${maintainReadModel}
    select (select count(*)::int from new_asset) as added, (select count(*)::int from new_link) as linked,
      (select coalesce(json_agg(json_build_object('index', index, 'asset_id', asset_id, 'ok', ok) order by index), '[]') from judged) as items`.execute(
    db,
  )
  return result.rows[0] ?? { added: 0, linked: 0, items: [] }
}
