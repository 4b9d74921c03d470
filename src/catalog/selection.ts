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

/** A selector that is fit to be worked on. `store` is the canonical UUID of its store, if it names one. */
export type Bounded<S extends Selector> = S & { store: string | undefined }

/** What the database answers: which rows, by their index and asset id, found nothing. */
export interface Missing {
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
export function bounded<S extends Selector>(selectors: readonly S[]): Bounded<S>[] {
  const ids = selectors.reduce((sum, selector) => sum + (selector.assetId?.length ?? 0), 0)
  if (ids > mostIds) {
    const details = `a request must name at most ${mostIds} asset ids; got ${ids}`
    throw new CatalogueError('payload_too_large', [{ reason: 'payload_too_large', details }])
  }
  return selectors.map((selector) => ({
    ...selector,
    storeUuid: cut(selector.storeUuid),
    store: storeUuidOf(selector.storeUuid),
    channel: cut(selector.channel),
    parentCode: cut(selector.parentCode),
  }))
}

function cut<T extends string | null | undefined>(text: T): T {
  if (typeof text !== 'string' || text.length <= longestName) return text
  return `${text.slice(0, longestName).toWellFormed()}…` as T
}

/** The stores that the selectors name, in canonical form. */
export function storesOf(selectors: readonly Bounded<Selector>[]): string[] {
  const stores = new Set<string>()
  for (const { store } of selectors) if (store !== undefined) stores.add(store)
  return [...stores]
}

/**
 * The selectors as rows, those of unknown stores left out. Selectors without ids that are the same make one row, that of the first: ten
 * thousand of them would each find the whole group again.
 */
export function selectedRows(selectors: readonly Bounded<Selector>[], stores: ReadonlySet<string>): SelectedRow[] {
  const seen = new Set<string>()
  return selectors.flatMap((selector, index) => {
    const { store, channel = null, parentCode = null, assetId } = selector
    if (store === undefined || !stores.has(store)) return []
    if (assetId == null && seen.has(groupsOf(selector))) return []
    if (assetId == null) seen.add(groupsOf(selector))
    const row = { index, store_uuid: store, channel, parent_code: parentCode }
    return (assetId ?? [null]).map((id) => ({ ...row, asset_id: id }))
  })
}

/** What makes two selectors without ids the same. */
function groupsOf({ store, channel, parentCode }: Bounded<Selector>): string {
  return JSON.stringify([store, channel ?? null, parentCode ?? null])
}

/**
 * The failures of a request: one for each asset id that was named and not found, one for each selector without ids that matched
 * nothing. What several items name counts once, and has failed only if it was found through none of them; `identity`
 * says what makes two named ids the same.
 */
export function failuresOf<S extends Selector>(
  selectors: readonly Bounded<S>[],
  stores: ReadonlySet<string>,
  missing: readonly Missing[],
  reason: 'asset_not_found' | 'link_not_found',
  identity: (selector: Bounded<S>, assetId: string) => string,
): ItemFailure[] {
  const lost = new Set<string>()
  for (const { index, asset_id } of missing) {
    const selector = selectors[index]
    if (selector) lost.add(asset_id === null ? groupsOf(selector) : identity(selector, asset_id))
  }
  const told = new Set<string>()
  const failures: ItemFailure[] = []
  selectors.forEach((selector, index) => {
    const isKnown = stores.has(selector.store ?? '')
    if (isKnown && lost.size === 0) return
    const why = isKnown ? reason : 'store_not_found'
    if (selector.assetId == null) {
      if (!isKnown || lost.has(groupsOf(selector))) failures.push(failure(why, selector, index))
      return
    }
    for (const assetId of selector.assetId) {
      const id = identity(selector, assetId)
      if (told.has(id) || (isKnown && !lost.has(id))) continue
      told.add(id)
      failures.push(failure(why, selector, index, assetId))
    }
  })
  return failures
}

function failure(
  reason: ItemFailure['reason'],
  selector: Bounded<Selector>,
  index: number,
  assetId?: string,
): ItemFailure {
  const at = {
    index,
    storeUuid: selector.store ?? selector.storeUuid,
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
