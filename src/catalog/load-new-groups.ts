import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { type CopyValue, copyText, type Session } from '../database/copy.ts'
import { assetsByUrl } from './assets-by-url.ts'
import type { LoadedRow } from './load-assets.ts'
import { countNewGroups } from './read-model.ts'
import { storedUrlField } from './url-fields.ts'
import type { WriteView } from './viewer.ts'

interface Target {
  storeUuid: string
  channel: string
}

interface FoundAsset {
  asset_format: string
  asset_id: string
  url: string
}

/**
 * Writes the assets of products that have no group on the channel yet, each product in one row: what is new goes straight into the tables, the groups as the
 * read model holds them (`entriesOfRows`). The caller holds the store's lock. Five statements; two more where a range has grown too large.
 */
export async function loadNewGroups(
  session: Session,
  db: WriteView,
  target: Target,
  rows: readonly LoadedRow[],
): Promise<{ added: number; linked: number }> {
  const { storeUuid, channel } = target
  const { idOf, made } = await identify(db, storeUuid, rows)
  await session.copy('asset (store_uuid, asset_id, asset_format, url)', copyText(made))
  let linked = 0
  function* links(): Generator<CopyValue[]> {
    for (const { parentCode, assets } of rows) {
      for (const [i, asset] of assets.entries()) yield [storeUuid, parentCode, channel, idOf(asset), i + 1]
      linked += assets.length
    }
  }
  await session.copy('asset_link (store_uuid, parent_code, channel, asset_id, place)', copyText(links()))
  const written = new Map<string, string[]>()
  function* groups(): Generator<CopyValue[]> {
    for (const { parentCode, assets } of rows) {
      for (const [assetFormat, entries] of entriesByFormat(assets, idOf)) {
        const codes = written.get(assetFormat)
        if (codes) codes.push(parentCode)
        else written.set(assetFormat, [parentCode])
        yield [storeUuid, channel, assetFormat, parentCode, `[${entries.join(',')}]`]
      }
    }
  }
  await session.copy('asset_group (store_uuid, channel, asset_format, parent_code, entries)', copyText(groups()))
  await countNewGroups(db, target, written)
  return { added: made.length, linked }
}

type Asset = LoadedRow['assets'][number]

/** The ids of the assets: those of the store's that it has, new ones for the others. New ids count on from one: they are neighbours in the index. */
async function identify(db: WriteView, storeUuid: string, rows: readonly LoadedRow[]) {
  const ids = new Map<string, Map<string, string>>()
  const urls = new Set<string>()
  for (const { assets } of rows) {
    for (const { assetFormat, url } of assets) {
      if (!ids.has(assetFormat)) ids.set(assetFormat, new Map())
      urls.add(url)
    }
  }
  const { rows: known } = await sql<FoundAsset>`${assetsByUrl(storeUuid, [...urls])}`.execute(db)
  for (const { asset_format, asset_id, url } of known) ids.get(asset_format)?.set(url, asset_id)
  const base = uuidv7()
  const made: CopyValue[][] = []
  for (const { assets } of rows) {
    for (const { assetFormat, url } of assets) {
      const ofFormat = ids.get(assetFormat)
      if (!ofFormat || ofFormat.has(url)) continue
      const id = base.slice(0, 24) + made.length.toString(16).padStart(6, '0') + base.slice(30)
      ofFormat.set(url, id)
      made.push([storeUuid, id, assetFormat, url])
    }
  }
  return { idOf: ({ assetFormat, url }: Asset) => ids.get(assetFormat)?.get(url) ?? '', made }
}

function entriesByFormat(assets: readonly Asset[], idOf: (asset: Asset) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const asset of assets) {
    const entries = groups.get(asset.assetFormat) ?? []
    groups.set(asset.assetFormat, entries)
    const field = JSON.stringify(storedUrlField(asset.assetFormat, entries.length + 1))
    entries.push(`{"asset_id":${JSON.stringify(idOf(asset))},${field}:${JSON.stringify(asset.url)}}`)
  }
  return groups
}
