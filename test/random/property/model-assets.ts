import {
  byCodePoint,
  type Catalogue,
  channels,
  formats,
  groupsOf,
  hasLength,
  invalidRequest,
  isStorable,
  isUuid,
  type ModelStore,
  storeNotFound,
  storeOf,
} from './model.ts'

export interface NewAsset {
  assetId?: string
  channel: string
  parentCode: string
  assetFormat: string
  url: string
}

/** Which assets or links; what is left out does not narrow. */
export interface Selector {
  storeUuid: string
  channel?: string
  parentCode?: string
  assetId?: string[]
}

export interface Listing {
  channel: string
  assetFormat: string
  offset: number
  limit: number
}

export interface Failure {
  reason: string
  index: number
  storeUuid?: string
  channel?: string
  parentCode?: string
  assetId?: string
}

/** `answeredIds` lends the ids that the gateway made, which must be new UUIDs. */
export function addAssets(
  catalogue: Catalogue,
  storeText: string,
  items: readonly NewAsset[],
  answeredIds: readonly string[],
) {
  if (!isStorable([storeText, items])) return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const before = [...store.assets.keys()].sort(byCodePoint)
  const assetIds: string[] = []
  const failures: Failure[] = []
  let linked = 0
  items.forEach((item, index) => {
    const { parentCode, channel, assetFormat, url } = item
    const is = (id: string) => store.assets.get(id)?.url === url && store.assets.get(id)?.assetFormat === assetFormat
    const answered = answeredIds[assetIds.length] ?? ''
    const fresh = isUuid(answered) && !store.assets.has(answered) ? answered : 'a new UUID'
    const assetId = item.assetId ?? [...before, ...assetIds].find(is) ?? fresh
    const conflicts = store.assets.has(assetId) && !is(assetId)
    if (isFaultyAsset(item) || conflicts) {
      const reason = isFaultyAsset(item) ? 'invalid_request' : 'asset_conflict'
      failures.push(failure(reason, index, item, item.assetId))
      return
    }
    assetIds.push(assetId)
    store.assets.set(assetId, { assetFormat, url })
    if (linksOf(store, item).some((link) => link.assetId === assetId)) return
    store.links.push({ parentCode, channel, assetId })
    linked++
  })
  return { added: store.assets.size - before.length, linked, assetIds, failed: failures.length, failures }
}

/** All selectors choose by what is there before the first of them. */
export function deleteAssets(catalogue: Catalogue, selectors: readonly Selector[]) {
  if (!isStorable(selectors)) return invalidRequest
  const chosen = selectors.map((selector) => {
    const store = storeOf(catalogue, selector.storeUuid)
    if (!store || isRefused(selector)) return []
    const everywhere = selector.channel === undefined && selector.parentCode === undefined
    const ids = everywhere ? [...store.assets.keys()] : linksOf(store, selector).map((link) => link.assetId)
    return ids.filter((id) => selector.assetId?.includes(id) ?? true)
  })
  let deletedCount = 0
  for (const store of catalogue) {
    const here = (selector: Selector) => storeOf(catalogue, selector.storeUuid) === store
    const doomed = new Set(chosen.filter((_, i) => selectors[i] && here(selectors[i])).flat())
    deletedCount += doomed.size
    store.links = store.links.filter((link) => !doomed.has(link.assetId))
    for (const id of doomed) store.assets.delete(id)
  }
  const failures = failuresOf(catalogue, selectors, chosen, 'asset_not_found', (selector) => [
    selector.storeUuid.toLowerCase(),
  ])
  return { deletedCount, failed: failures.length, failures }
}

export function unlinkAssets(catalogue: Catalogue, selectors: readonly Selector[]) {
  if (!isStorable(selectors)) return invalidRequest
  const chosen = selectors.map((selector) => {
    const store = storeOf(catalogue, selector.storeUuid)
    return store ? linksOf(store, selector).filter((link) => selector.assetId?.includes(link.assetId) ?? true) : []
  })
  const doomed = new Set(chosen.flat())
  for (const store of catalogue) store.links = store.links.filter((link) => !doomed.has(link))
  const chosenIds = chosen.map((links) => links.map((link) => link.assetId))
  const failures = failuresOf(catalogue, selectors, chosenIds, 'link_not_found', (selector) => [
    selector.storeUuid.toLowerCase(),
    selector.parentCode,
    selector.channel,
  ])
  return { unlinked: doomed.size, failed: failures.length, failures }
}

export function listAssets(catalogue: Catalogue, storeText: string, { channel, assetFormat, offset, limit }: Listing) {
  if (!isStorable([storeText, channel]) || !formats.includes(assetFormat) || offset < 0 || limit < 1)
    return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const all = groupsOf(store).filter((group) => group.channel === channel && group.assetType === assetFormat)
  const groups = all.slice(offset, offset + Math.min(limit, 50))
  return { totalGroups: all.length, returnedGroups: groups.length, groups }
}

function linksOf(store: ModelStore, { channel, parentCode }: { channel?: string; parentCode?: string }) {
  return store.links.filter(
    (link) => link.channel === (channel ?? link.channel) && link.parentCode === (parentCode ?? link.parentCode),
  )
}

function isFaultyAsset({ assetId, channel, parentCode, assetFormat, url }: NewAsset): boolean {
  return (
    !channels.includes(channel) ||
    !formats.includes(assetFormat) ||
    !hasLength(parentCode, 1, 255) ||
    !hasLength(assetId ?? 'x', 1, 255) ||
    !isUrl(url)
  )
}

/** Whether a value is the URL of an asset, as far as the generators go. */
export function isUrl(value: unknown): boolean {
  return typeof value === 'string' && isStorable(value) && hasLength(value, 1, 2048) && /^[a-z]+:\/\/[^/]/i.test(value)
}

function isRefused({ channel, parentCode, assetId }: Selector): boolean {
  return channel === undefined && parentCode === undefined && assetId === undefined
}

/** One failure for each named id that none of its items found, and for each item without ids that chose nothing. */
function failuresOf(
  catalogue: Catalogue,
  selectors: readonly Selector[],
  chosen: readonly string[][],
  missing: string,
  placeOf: (selector: Selector) => unknown[],
): Failure[] {
  const identity = (selector: Selector, id: string) => JSON.stringify([...placeOf(selector), id])
  const settled = new Set(
    selectors.flatMap((selector, i) => (selector.assetId ? chosen[i] : [])?.map((id) => identity(selector, id)) ?? []),
  )
  return selectors.flatMap((selector, index) => {
    if (isRefused(selector)) return [failure('selector_required', index, selector)]
    const reason = storeOf(catalogue, selector.storeUuid) ? missing : 'store_not_found'
    if (!selector.assetId) return chosen[index]?.length ? [] : [failure(reason, index, selector)]
    const missed = [...new Set(selector.assetId)].filter((id) => !settled.has(identity(selector, id)))
    for (const id of missed) settled.add(identity(selector, id))
    return missed.map((id) => failure(reason, index, selector, id))
  })
}

/** A failure names the place as the item does, but its store in the canonical form. */
export function failure(reason: string, index: number, place: Partial<Selector> | NewAsset, assetId?: string): Failure {
  const { storeUuid, channel, parentCode } = { storeUuid: undefined, ...place }
  const canonical = storeUuid !== undefined && isUuid(storeUuid.toLowerCase()) ? storeUuid.toLowerCase() : storeUuid
  return {
    reason,
    index,
    ...(canonical !== undefined && { storeUuid: canonical }),
    ...(channel !== undefined && { channel }),
    ...(parentCode !== undefined && { parentCode }),
    ...(assetId !== undefined && { assetId }),
  }
}
