import { type RawBuilder, sql } from 'kysely'
import { CatalogueError, type Reason } from '../../errors.ts'
import { storeUuidOf } from '../../text.ts'
import type { ItemFailure } from '../item-failure.ts'

/**
 * Which links or assets a delete or unlink item means. `assetId` left out does not narrow the choice, an empty list
 * chooses none.
 */
export interface Selector {
  storeUuid: string
  channel?: string | null | undefined
  parentCode?: string | null | undefined
  assetId?: readonly string[] | null | undefined
}

/** One asset id of an item, or the whole item if it names none. `index` is the item's place in the request. */
export interface Selection {
  index: number
  /** Canonical, or as given if it is no UUID; `isUuid` says which. */
  storeUuid: string
  isUuid: boolean
  channel: string | null
  parentCode: string | null
  assetId: string | null
}

const maxIds = 10_000
/** 255 characters of up to two UTF-16 units each. */
const maxNameLength = 510

/**
 * Splits the selectors into one selection per asset id. Texts longer than any name match nothing; they are cut, because
 * they are repeated in each failure. Throws `payload_too_large` for more than 10,000 asset ids in all: each can be a
 * failure of its own.
 */
export function selectionsOf(selectors: readonly Selector[]): Selection[] {
  const ids = selectors.reduce((sum, { assetId }) => sum + (assetId?.length ?? 0), 0)
  if (ids > maxIds) {
    const details = `a request must name at most ${maxIds} asset ids; got ${ids}`
    throw new CatalogueError('payload_too_large', [{ reason: 'payload_too_large', details }])
  }
  return selectors.flatMap((selector, index) => {
    const uuid = storeUuidOf(selector.storeUuid)
    const common = {
      index,
      storeUuid: uuid ?? cut(selector.storeUuid),
      isUuid: uuid !== undefined,
      channel: selector.channel == null ? null : cut(selector.channel),
      parentCode: selector.parentCode == null ? null : cut(selector.parentCode),
    }
    return (selector.assetId ?? [null]).map((assetId) => ({ ...common, assetId }))
  })
}

function cut(text: string): string {
  return text.length <= maxNameLength ? text : `${text.slice(0, maxNameLength).toWellFormed()}…`
}

/** Equal for selections that mean the same. */
export function keyOf({ storeUuid, channel, parentCode, assetId }: Selection): string {
  return JSON.stringify([storeUuid, channel, parentCode, assetId])
}

/**
 * The selections as rows `n`, `store_uuid`, `channel`, `parent_code`, `asset_id`, for a CTE; `n` is the place in the
 * list.
 */
export function selectionRows(selections: readonly Selection[]): RawBuilder<unknown> {
  const rows = selections.map((selection, n) => ({ n, ...selection }))
  return sql`
      select n, "storeUuid" as store_uuid, channel collate "C" as channel, "parentCode" collate "C" as parent_code,
        "assetId" collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as i(n integer, "storeUuid" uuid, channel text, "parentCode" text, "assetId" text)`
}

/**
 * The failures of a request in its order: one for each selection that has a reason. An asset id that several items name
 * counts once; `identity` says what makes two of them the same.
 */
export function failuresOf(
  selections: readonly Selection[],
  reasonOf: (selection: Selection) => Reason | undefined,
  identity: (selection: Selection) => string,
): ItemFailure[] {
  const counted = new Set<string>()
  return selections.flatMap((selection) => {
    const reason = reasonOf(selection)
    if (reason === undefined) return []
    if (selection.assetId !== null) {
      const id = identity(selection)
      if (counted.has(id)) return []
      counted.add(id)
    }
    return [failureOf(selection, reason)]
  })
}

function failureOf({ index, storeUuid, channel, parentCode, assetId }: Selection, reason: Reason): ItemFailure {
  const at = {
    index,
    storeUuid,
    channel: channel ?? undefined,
    parentCode: parentCode ?? undefined,
    assetId: assetId ?? undefined,
  }
  return { reason, details: detailsOf(at, reason), ...at }
}

type Place = Pick<ItemFailure, 'storeUuid' | 'channel' | 'parentCode' | 'assetId'>

function detailsOf({ storeUuid, channel, parentCode, assetId }: Place, reason: Reason): string {
  if (reason === 'store_not_found') return `there is no store ${JSON.stringify(storeUuid)}`
  if (reason === 'selector_required') {
    return 'name a channel, a parent code or asset ids: an item without any would delete all assets of the store'
  }
  const words = [
    assetId === undefined ? 'no asset is' : `the asset ${JSON.stringify(assetId)} is not`,
    parentCode !== undefined && `linked to the parent code ${JSON.stringify(parentCode)}`,
    channel !== undefined && `${parentCode === undefined ? 'linked ' : ''}on the channel ${JSON.stringify(channel)}`,
    `in the store ${JSON.stringify(storeUuid)}`,
  ]
  return words.filter((word) => word !== false).join(' ')
}
