import { CatalogueError } from '../errors.ts'
import type { ItemFailure } from './item-failure.ts'
import { storeUuidOf } from './text.ts'

/** What a delete or unlink item says of the links or assets that it means; `assetId` left out does not narrow, an empty list names none. */
export interface Selector {
  storeUuid: string
  channel?: string | null | undefined
  parentCode?: string | null | undefined
  assetId?: readonly string[] | null | undefined
}

/** A row per asset id that a selector names, or one row without an id for a selector that names none. */
export interface SelectedRow {
  index: number
  store_uuid: string
  channel: string | null
  parent_code: string | null
  asset_id: string | null
}

/** What the database answers: which rows, by their index and asset id, found something. */
export interface Match {
  index: number
  asset_id: string | null
}

const mostIds = 10_000
/** 255 characters, of up to two units each. */
const longestName = 510

/**
 * The selectors, fit to be worked on: what is longer than any name, and so names nothing, is cut, for it comes again in each row and each
 * failure. Throws `payload_too_large` when they name more than 10,000 asset ids together: each can be a failure of its own.
 */
export function bounded<S extends Selector>(selectors: readonly S[]): S[] {
  const ids = selectors.reduce((sum, selector) => sum + (selector.assetId?.length ?? 0), 0)
  if (ids > mostIds) {
    const details = `a request must name at most ${mostIds} asset ids; got ${ids}`
    throw new CatalogueError('payload_too_large', [{ reason: 'payload_too_large', details }])
  }
  return selectors.map((selector) => ({
    ...selector,
    storeUuid: cut(selector.storeUuid),
    channel: cut(selector.channel),
    parentCode: cut(selector.parentCode),
  }))
}

function cut<T extends string | null | undefined>(text: T): T {
  if (typeof text !== 'string' || text.length <= longestName) return text
  return `${text.slice(0, longestName).toWellFormed()}…` as T
}

/** The stores that the selectors name, in canonical form. */
export function storesOf(selectors: readonly Selector[]): string[] {
  return [...new Set(selectors.flatMap((selector) => storeUuidOf(selector.storeUuid) ?? []))]
}

/**
 * The selectors as rows, those of unknown stores left out. Selectors without ids that are the same make one row, that of the first: ten
 * thousand of them would each find the whole group again.
 */
export function selectedRows(selectors: readonly Selector[], stores: ReadonlySet<string>): SelectedRow[] {
  const seen = new Set<string>()
  return selectors.flatMap((selector, index) => {
    const storeUuid = storeUuidOf(selector.storeUuid)
    if (!storeUuid || !stores.has(storeUuid)) return []
    if (selector.assetId == null && seen.has(groupsOf(selector))) return []
    if (selector.assetId == null) seen.add(groupsOf(selector))
    const row = {
      index,
      store_uuid: storeUuid,
      channel: selector.channel ?? null,
      parent_code: selector.parentCode ?? null,
    }
    return (selector.assetId ?? [null]).map((assetId) => ({ ...row, asset_id: assetId }))
  })
}

/** What makes two selectors without ids the same. */
function groupsOf({ storeUuid, channel, parentCode }: Selector): string {
  return JSON.stringify([storeUuidOf(storeUuid), channel ?? null, parentCode ?? null])
}

/**
 * The failures of a request: one for each asset id that was named and not found, one for each selector without ids that matched
 * nothing. What several items name counts once, and has failed only if it was found through none of them; `identity`
 * says what makes two named ids the same.
 */
export function failuresOf(
  selectors: readonly Selector[],
  stores: ReadonlySet<string>,
  matches: readonly Match[],
  missing: 'asset_not_found' | 'link_not_found',
  identity: (selector: Selector, assetId: string) => string,
): ItemFailure[] {
  const found = new Set<string>()
  const matched = new Set<string>()
  for (const { index, asset_id } of matches) {
    const selector = selectors[index]
    if (selector && asset_id === null) matched.add(groupsOf(selector))
    if (selector && asset_id !== null) found.add(identity(selector, asset_id))
  }
  const failures: ItemFailure[] = []
  selectors.forEach((selector, index) => {
    const known = stores.has(storeUuidOf(selector.storeUuid) ?? '')
    const reason = known ? missing : 'store_not_found'
    if (selector.assetId == null) {
      if (!matched.has(groupsOf(selector))) failures.push(failure(reason, selector, index))
      return
    }
    for (const assetId of selector.assetId) {
      const id = identity(selector, assetId)
      if (found.has(id)) continue
      found.add(id)
      failures.push(failure(reason, selector, index, assetId))
    }
  })
  return failures
}

function failure(reason: ItemFailure['reason'], selector: Selector, index: number, assetId?: string): ItemFailure {
  const at = {
    index,
    storeUuid: storeUuidOf(selector.storeUuid) ?? selector.storeUuid,
    channel: selector.channel ?? undefined,
    parentCode: selector.parentCode ?? undefined,
    assetId,
  }
  if (reason === 'store_not_found') return { reason, details: `there is no store ${quoted(at.storeUuid)}`, ...at }
  const what = assetId === undefined ? 'no asset is' : `the asset ${quoted(assetId)} is not`
  return { reason, details: `${what} ${placeOf(at)}`, ...at }
}

function placeOf(at: Pick<ItemFailure, 'storeUuid' | 'channel' | 'parentCode'>): string {
  const narrowed = [
    at.parentCode !== undefined && `linked to the parent code ${quoted(at.parentCode)}`,
    at.channel !== undefined && `${at.parentCode === undefined ? 'linked ' : ''}on the channel ${quoted(at.channel)}`,
  ].filter((part) => part !== false)
  return [...narrowed, `in the store ${quoted(at.storeUuid)}`].join(' ')
}

const quoted = (text: string | undefined): string => JSON.stringify(text)
