import type { AssetGroup } from './asset-groups.ts'
import { urlFieldsOf } from './url-fields.ts'

export interface AssetEntry {
  assetId: string
  url: string
  /** The asset's place in its group, from 1, without gaps. */
  position: number
  urlField: string
}

/** The group's assets, in order. */
export function entriesOf({ assetType, entries }: AssetGroup): AssetEntry[] {
  const fieldAt = fieldsOf(assetType)
  return entries.includes('\\') || entries === '[]' ? parsed(entries, fieldAt) : cut(entries, fieldAt)
}

type FieldAt = (position: number) => string

function parsed(json: string, fieldAt: FieldAt): AssetEntry[] {
  const entries = JSON.parse(json) as Record<string, string>[]
  return entries.map((entry, i) => {
    const urlField = fieldAt(i + 1)
    return { assetId: entry.asset_id ?? '', url: entry[urlField] ?? '', position: i + 1, urlField }
  })
}

const opening = '{"asset_id":"'

/** The same for a text in which nothing is escaped, so that no quote stands within a value: to cut it takes a third of the time of parsing. */
function cut(json: string, fieldAt: FieldAt): AssetEntry[] {
  const entries: AssetEntry[] = []
  for (let begin = 1 + opening.length; begin < json.length; ) {
    const position = entries.length + 1
    const urlField = fieldAt(position)
    const idEnd = json.indexOf('"', begin)
    const urlBegin = idEnd + urlField.length + '","":"'.length
    const end = json.indexOf('"', urlBegin)
    entries.push({ assetId: json.slice(begin, idEnd), url: json.slice(urlBegin, end), position, urlField })
    begin = end + '"},'.length + opening.length
  }
  return entries
}

/** Names of the first fields of each format: to make them anew for each asset of a page is most of its garbage. */
const known = new Map<string, string[]>()
const mostFormats = 100
const mostPlaces = 20

function fieldsOf(assetFormat: string): FieldAt {
  const fieldAt = urlFieldsOf(assetFormat)
  const names = known.get(assetFormat) ?? Array.from({ length: mostPlaces }, (_, i) => fieldAt(i + 1))
  if (known.size < mostFormats) known.set(assetFormat, names)
  return (position) => names[position - 1] ?? fieldAt(position)
}

/** The groups of a page as the REST listing shows them, as JSON text (spec: Asset group). Their entries are text already, and go as they are. */
export function groupsText(groups: readonly AssetGroup[]): string {
  let json = '{'
  let before: AssetGroup | undefined
  let head = ''
  for (const group of groups) {
    if (!before || group.channel !== before.channel || group.assetType !== before.assetType) head = headOf(group)
    json += `${before ? ',' : ''}${JSON.stringify(group.parentCode)}:${head}${group.entries}}`
    before = group
  }
  return `${json}}`
}

/** What the groups of a page have in common, up to their entries. */
function headOf({ channel, assetType, storeUuid }: AssetGroup): string {
  return `${JSON.stringify({ channel, asset_type: assetType, store_uuid: storeUuid }).slice(0, -1)},"assets":`
}
