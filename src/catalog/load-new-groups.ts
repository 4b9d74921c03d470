import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { CopyLines, escaped, escapedJson, type Session } from '../database/copy.ts'
import { assetsByUrl } from './assets-by-url.ts'
import type { LoadedRow } from './load-assets.ts'
import type { NewUrls } from './new-urls.ts'
import { countNewGroups } from './read-model.ts'
import { storedUrlField } from './url-fields.ts'
import type { WriteView } from './viewer.ts'

export interface Target {
  storeUuid: string
  channel: string
}

interface FoundAsset {
  asset_format: string
  asset_id: string
  url: string
}

/**
 * The lines of products that have no group on the channel yet, each product in one row: assets that are not known, links, and groups as the read model holds them
 * (`entriesOfRows`). New ids count on from one: they are neighbours in the index.
 */
export class NewGroupLines {
  readonly assets = new CopyLines()
  readonly links = new CopyLines()
  readonly groups = new CopyLines()
  /** The groups: parent codes by format. */
  readonly written = new Map<string, string[]>()
  added = 0
  linked = 0
  private readonly target: Target
  private readonly ids = new Map<string, Map<string, string>>()
  private readonly id = uuidv7()
  private readonly fields = new Map<string, string[]>()

  constructor(target: Target, known: readonly FoundAsset[] = []) {
    this.target = target
    for (const { asset_format, asset_id, url } of known) this.idsOf(asset_format).set(url, asset_id)
  }

  add({ parentCode, assets }: LoadedRow): void {
    const { storeUuid } = this.target
    const channel = escaped(this.target.channel)
    const parent = escaped(parentCode)
    const entries = new Map<string, { text: string; count: number }>()
    let place = 0
    for (const asset of assets) {
      const id = this.idOf(asset)
      this.links.add(`${storeUuid}\t${parent}\t${channel}\t${escaped(id)}\t${++place}`)
      const group = entries.get(asset.assetFormat) ?? { text: '', count: 0 }
      if (group.count === 0) entries.set(asset.assetFormat, group)
      const field = this.fieldOf(asset.assetFormat, group.count++)
      group.text += `${group.count > 1 ? ',' : ''}{"asset_id":${escapedJson(id)},${field}:${escapedJson(asset.url)}}`
    }
    this.linked += place
    for (const [assetFormat, { text }] of entries) {
      this.groups.add(`${storeUuid}\t${channel}\t${escaped(assetFormat)}\t${parent}\t[${text}]`)
      const codes = this.written.get(assetFormat)
      if (codes) codes.push(parentCode)
      else this.written.set(assetFormat, [parentCode])
    }
  }

  /** The URLs of all rows, each once in its format. */
  *urls(): Generator<string> {
    for (const ofFormat of this.ids.values()) yield* ofFormat.keys()
  }

  /** Says that the lines are needed no more. */
  release(): void {
    for (const lines of [this.assets, this.links, this.groups]) lines.release()
  }

  private idOf({ assetFormat, url }: LoadedRow['assets'][number]): string {
    const ids = this.idsOf(assetFormat)
    const known = ids.get(url)
    if (known !== undefined) return known
    const id = this.id.slice(0, 24) + (this.added++).toString(16).padStart(6, '0') + this.id.slice(30)
    ids.set(url, id)
    this.assets.add(`${this.target.storeUuid}\t${id}\t${escaped(assetFormat)}\t${escaped(url)}`)
    return id
  }

  private idsOf(assetFormat: string): Map<string, string> {
    const ids = this.ids.get(assetFormat) ?? new Map<string, string>()
    if (ids.size === 0) this.ids.set(assetFormat, ids)
    return ids
  }

  /** The name of the field at a place from 0, as JSON. */
  private fieldOf(assetFormat: string, at: number): string {
    const fields = this.fields.get(assetFormat) ?? []
    if (fields.length === 0) this.fields.set(assetFormat, fields)
    fields[at] ??= escapedJson(storedUrlField(assetFormat, at + 1))
    return fields[at]
  }
}

/**
 * Writes the assets of products that have no group on the channel yet, straight into the tables. `prepared` are the lines as they are if the store has none of the assets. The
 * caller holds the store's lock. Eight statements at most; two more where a range has grown too large.
 */
export async function loadNewGroups(
  session: Session,
  db: WriteView,
  target: Target,
  { rows, prepared, newUrls }: { rows: readonly LoadedRow[]; prepared: NewGroupLines; newUrls: NewUrls },
): Promise<{ added: number; linked: number }> {
  await newUrls.begin(db)
  const known = await findAssets(db, target.storeUuid, newUrls.add(prepared.urls()))
  const lines = known.length === 0 ? prepared : linesOf(target, rows, known)
  await session.copy('asset (store_uuid, asset_id, asset_format, url)', lines.assets.take())
  await session.copy('asset_link (store_uuid, parent_code, channel, asset_id, place)', lines.links.take())
  await session.copy('asset_group (store_uuid, channel, asset_format, parent_code, entries)', lines.groups.take())
  await countNewGroups(db, target, lines.written)
  await newUrls.end(db)
  if (lines !== prepared) lines.release()
  return { added: lines.added, linked: lines.linked }
}

async function findAssets(db: WriteView, storeUuid: string, urls: readonly string[]): Promise<FoundAsset[]> {
  if (urls.length === 0) return []
  const { rows } = await sql<FoundAsset>`${assetsByUrl(storeUuid, urls)}`.execute(db)
  return rows
}

/** The lines of rows, of which some assets may be known. */
export function linesOf(target: Target, rows: readonly LoadedRow[], known: readonly FoundAsset[] = []): NewGroupLines {
  const lines = new NewGroupLines(target, known)
  for (const row of rows) lines.add(row)
  return lines
}
