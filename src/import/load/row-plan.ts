import { LRUCache } from 'lru-cache'
import { nameFault } from '../../catalogue/attributes/attribute-rules.ts'
import { defaultAssetFormat } from '../../catalogue/enumerations.ts'
import { type ImportRequest, optionName } from '../options.ts'
import { hasInvisible, visible } from '../read/columns.ts'
import type { Cell, Row } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import type { Layout } from './layout.ts'
import { noteLikelyColumns } from './likely-columns.ts'

/** What to do with the cells of rows that have the same columns. Numbers are indexes of cells. */
export interface RowPlan {
  code: number
  status: number
  attributes: readonly { at: number; column: string; name: string }[]
  names: readonly string[]
  /** Whether several columns may give one attribute. */
  isAmbiguous: boolean
  /** Columns that can be no attribute, by their names. */
  reserved: readonly { at: number; column: string | undefined; expected: string }[]
  assets: readonly { at: number; column: string; isList: boolean; channel: string; assetFormat: string }[]
  /** Objects in the place of assets: the columns of their members. */
  objects: readonly { column: string; members: readonly { at: number; column: string }[] }[]
  noteLikelyImages(cells: readonly Cell[]): void
}

/** Plans what to do with rows, by their columns, of which it notes what options should name. */
export function rowPlanner(request: ImportRequest, layout: Layout, notes: Notes): (row: Row) => RowPlan {
  const plans = new LRUCache<string, RowPlan>({ maxSize: 20_000 })
  let last: { columns: readonly string[]; plan: RowPlan } | undefined
  return (row) => {
    const { columns, cells } = row
    if (last?.columns !== columns) {
      const key = JSON.stringify(columns)
      last = { columns, plan: plans.get(key) ?? planFor(row, request, layout, notes) }
      plans.set(key, last.plan, { size: columns.length + 1 })
    }
    last.plan.noteLikelyImages(cells)
    return last.plan
  }
}

function planFor({ columns, places }: Row, request: ImportRequest, layout: Layout, notes: Notes): RowPlan {
  const indexes = new Map(columns.map((column, at) => [column, at]))
  const objects = objectsOf(columns, request.assets)
  const members = new Set(objects.flatMap((object) => object.members.map(({ at }) => at)))
  const attributes = columns.flatMap((column, at) => {
    const name = members.has(at) || column === '' ? undefined : layout.attributeOf(column)
    return name === undefined ? [] : [{ at, column, name }]
  })
  for (const { column, name } of attributes)
    if (hasInvisible(name)) notes.add('invisible_characters', { column, rows: 0, example: visible(name) })
  const nameless = layout.attributeOf('') === undefined ? [] : namelessOf(columns, places, request)
  const names = attributes.map(({ name }) => name)
  const placed = columns.flatMap((column, at) => {
    const place = layout.urlPlaceOf(column)
    return place ? [{ at, column, isList: false, ...place, channel: place.channel ?? request.channel }] : []
  })
  const list = { isList: true, channel: request.channel, assetFormat: defaultAssetFormat }
  const named = [...new Set(request.assets)].flatMap((column) => {
    const at = indexes.get(column)
    return at === undefined ? [] : [{ at, column, ...list }]
  })
  return {
    code: indexes.get(layout.code) ?? -1,
    status: indexes.get(layout.status ?? '') ?? -1,
    attributes,
    names,
    reserved: [...reservedOf(attributes, request), ...nameless],
    isAmbiguous: new Set(names).size < names.length,
    assets: [...placed.sort((a, b) => a.position - b.position), ...named],
    objects,
    noteLikelyImages: noteLikelyColumns(columns, request, layout.attributeOf, notes),
  }
}

function reservedOf(attributes: RowPlan['attributes'], request: ImportRequest): RowPlan['reserved'] {
  return attributes.flatMap(({ at, column, name }) => {
    const fault = name === 'status' ? "status cannot be an attribute's name" : nameFault(name)
    if (fault === undefined) return []
    return [{ at, column, expected: `${fault}: ${optionName(request, 'map')} renames the column` }]
  })
}

function namelessOf(columns: readonly string[], places: Row['places'], request: ImportRequest): RowPlan['reserved'] {
  const expectedAt = (at: number) =>
    `column ${(places?.[at] ?? at) + 1} must have a name, as it has a value: delete it, or use ${optionName(request, 'onlyMapped')}`
  return columns.flatMap((column, at) => (column === '' ? [{ at, column: undefined, expected: expectedAt(at) }] : []))
}

function objectsOf(columns: readonly string[], assets: readonly string[]): RowPlan['objects'] {
  const outer = assets.filter((asset) => !columns.includes(asset))
  return outer.flatMap((asset) => {
    const inner = columns.map((column, at) => ({ at, column }))
    const members = inner.filter(({ column }) => column.startsWith(`${asset}.`) && !assets.includes(column))
    return members.length === 0 ? [] : [{ column: asset, members }]
  })
}
