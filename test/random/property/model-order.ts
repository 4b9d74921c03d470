import {
  type Catalogue,
  channels,
  formats,
  groupsOf,
  hasLength,
  invalidRequest,
  isStorable,
  type ModelGroup,
  type ModelStore,
  storeNotFound,
  storeOf,
} from './model.ts'
import { type Failure, failure, isUrl } from './model-assets.ts'
import { idOf, parsed, type Stored } from './model-beyond.ts'

/** `assets` maps URL fields to URLs, as entries. */
export interface Placement {
  parentCode: string
  assetFormat: string
  assets: (readonly [field: string, url: unknown])[]
}

export interface Order {
  channel: string
  parentCode: string
  assetFormat: string
  assetIds: string[]
  /** Where the one asset goes; left out, all of them go to the front. */
  position?: number
}

export function placeAssets(
  catalogue: Catalogue,
  { store: storeText, channel, placements }: { store: string; channel: string; placements: readonly Placement[] },
  stored: Stored,
) {
  const texts = placements.map(({ parentCode, assetFormat }) => [parentCode, assetFormat])
  if (!isStorable([storeText, channel, texts]) || !channels.includes(channel)) return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const failures: Failure[] = []
  const before = [...store.assets]
  const first = firstOfUrls(store)
  let created = 0
  let updated = 0
  for (const [index, { parentCode, assetFormat, assets }] of placements.entries()) {
    const failed = failure('invalid_request', index, { channel, parentCode })
    if (!formats.includes(assetFormat) || !hasLength(parentCode, 1, 255)) {
      failures.push(failed)
      continue
    }
    const entries = assets.map(([name, url]) => ({ field: parsed(name), url }))
    const good = entries.filter(({ field, url }) => field?.assetFormat === assetFormat && isUrl(url))
    for (let i = good.length; i < entries.length; i++) failures.push(failed)
    for (const { field, url } of good.sort((a, b) => (a.field?.position ?? 0) - (b.field?.position ?? 0))) {
      const group = idsOf(store, { channel, parentCode, assetFormat })
      const name = JSON.stringify([channel, parentCode, assetFormat, url])
      const assetId = first.get(name) ?? idOf(store, before, { assetFormat, url: String(url) }, stored)
      first.set(name, assetId)
      const others = group.filter((id) => id !== assetId)
      others.splice((field?.position ?? 0) - 1, 0, assetId)
      if (!group.includes(assetId)) created++
      else if (group.indexOf(assetId) !== others.indexOf(assetId)) updated++
      arrange(store, { channel, parentCode }, others)
    }
  }
  return { created, updated, failed: failures.length, failures }
}

export function orderAssets(catalogue: Catalogue, storeText: string, order: Order) {
  const { position, assetIds, ...place } = order
  if (!isStorable([storeText, place, position === undefined ? [] : assetIds])) return invalidRequest
  if (position !== undefined && position < 1) return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const group = idsOf(store, place)
  if (assetIds.some((id) => !group.includes(id))) return { error: 'link_not_found' }
  const others = group.filter((id) => !assetIds.includes(id))
  others.splice((position ?? 1) - 1, 0, ...new Set(assetIds))
  arrange(store, place, others)
  const { assetFormat: assetType, ...rest } = place
  return groupAt(store, place) ?? { ...rest, assetType, storeUuid: store.storeUuid, assets: [] }
}

type GroupPlace = { channel: string; parentCode: string; assetFormat: string }

function groupAt(store: ModelStore, { channel, parentCode, assetFormat }: GroupPlace): ModelGroup | undefined {
  return groupsOf(store).find(
    (group) => group.channel === channel && group.parentCode === parentCode && group.assetType === assetFormat,
  )
}

function idsOf(store: ModelStore, place: GroupPlace): string[] {
  return groupAt(store, place)?.assets.map((asset) => asset.assetId) ?? []
}

/** Links the assets of a group in this order, the new ones too. */
function arrange(store: ModelStore, place: { channel: string; parentCode: string }, assetIds: readonly string[]): void {
  const { channel, parentCode } = place
  const isElsewhere = (link: ModelStore['links'][number]) =>
    link.channel !== channel || link.parentCode !== parentCode || !assetIds.includes(link.assetId)
  store.links = [...store.links.filter(isElsewhere), ...assetIds.map((assetId) => ({ parentCode, channel, assetId }))]
}

/** Of assets of one group that have the same URL, the first is the one that moves. */
function firstOfUrls(store: ModelStore): Map<string, string> {
  const first = new Map<string, string>()
  for (const { channel, parentCode, assetType, assets } of groupsOf(store)) {
    for (const { assetId, url } of assets) {
      const name = JSON.stringify([channel, parentCode, assetType, url])
      if (!first.has(name)) first.set(name, assetId)
    }
  }
  return first
}
