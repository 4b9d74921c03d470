import { LRUCache } from 'lru-cache'
import { nameFault } from '../../catalogue/attributes/attribute-rules.ts'
import { defaultAssetFormat } from '../../catalogue/enumerations.ts'
import { type ImportRequest, optionName } from '../options.ts'
import { presetFor } from '../presets/presets.ts'
import type { Cell, Row } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import type { Layout } from './layout.ts'

/** What to do with the cells of rows that have the same columns. Numbers are indexes of cells. */
export interface Plan {
  code: number
  status: number
  attributes: readonly { at: number; column: string; name: string }[]
  names: readonly string[]
  /** Whether several columns may give one attribute. */
  isAmbiguous: boolean
  /** Columns that can be no attribute, by their names. */
  reserved: readonly { at: number; column: string | undefined; reason: string }[]
  assets: readonly { at: number; column: string; isList: boolean; channel: string; assetFormat: string }[]
  /** Objects in the place of assets: the columns of their members. */
  objects: readonly { column: string; members: readonly { at: number; column: string }[] }[]
}

/** Plans what to do with rows, by their columns, of which it notes what options should name. */
export function rowPlanner(request: ImportRequest, layout: Layout, notes: Notes): (row: Row) => Plan {
  const plans = new LRUCache<string, Plan>({ maxSize: 20_000, sizeCalculation: ({ names }) => names.length + 1 })
  let last: { columns: readonly string[]; plan: Plan } | undefined
  return (row) => {
    const { columns } = row
    if (last?.columns === columns) return last.plan
    const key = JSON.stringify(columns)
    const known = plans.get(key)
    if (!known) addHints(row, request, layout, notes)
    const plan = known ?? planFor(columns, request, layout)
    plans.set(key, plan)
    last = { columns, plan }
    return plan
  }
}

function planFor(columns: readonly string[], request: ImportRequest, layout: Layout): Plan {
  const indexes = new Map(columns.map((column, at) => [column, at]))
  const objects = objectsOf(columns, request.assets)
  const members = new Set(objects.flatMap((object) => object.members.map(({ at }) => at)))
  const attributes = columns.flatMap((column, at) => {
    const name = members.has(at) || column === '' ? undefined : layout.attributeOf(column)
    return name === undefined ? [] : [{ at, column, name }]
  })
  const nameless = layout.attributeOf('') === undefined ? [] : namelessOf(columns, request)
  const names = attributes.map(({ name }) => name)
  const placed = columns.flatMap((column, at) => {
    const place = layout.urlPlaceOf(column)
    return place ? [{ at, column, isList: false, ...place, channel: place.channel ?? request.channel }] : []
  })
  const named = [...new Set(request.assets)].flatMap((column) => {
    const at = indexes.get(column)
    return at === undefined
      ? []
      : [{ at, column, isList: true, channel: request.channel, assetFormat: defaultAssetFormat }]
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
  }
}

function reservedOf(attributes: Plan['attributes'], request: ImportRequest): Plan['reserved'] {
  return attributes.flatMap(({ at, column, name }) => {
    const fault = name === 'status' ? "status cannot be an attribute's name" : nameFault(name)
    if (fault === undefined) return []
    return [{ at, column, reason: `${fault}: ${optionName(request, 'map')} renames the column` }]
  })
}

function namelessOf(columns: readonly string[], request: ImportRequest): Plan['reserved'] {
  const reasonOf = (at: number) =>
    `column ${at + 1} must have a name, as it has a value: delete it, or use ${optionName(request, 'onlyMapped')}`
  return columns.flatMap((column, at) => (column === '' ? [{ at, column: undefined, reason: reasonOf(at) }] : []))
}

function objectsOf(columns: readonly string[], assets: readonly string[]): Plan['objects'] {
  const outer = assets.filter((asset) => !columns.includes(asset))
  return outer.flatMap((asset) => {
    const inner = columns.map((column, at) => ({ at, column }))
    const members = inner.filter(({ column }) => column.startsWith(`${asset}.`) && !assets.includes(column))
    return members.length === 0 ? [] : [{ column: asset, members }]
  })
}

const images =
  /image|img|photo|picture|enclosure|(^|[^a-z])(assets?|bild(er)?|fotos?|cover|gallery|galerie|media|thumbnails?)([^a-z]|$)/i

/** Notes columns of a row that become attributes, though their names say that options should name them. */
function addHints({ columns, cells }: Row, request: ImportRequest, layout: Layout, notes: Notes): void {
  // A preset that has found its images knows what the others are.
  if (request.preset !== undefined && request.assets.length > 0) return
  const preset = presetFor(columns)
  if (preset !== undefined && request.preset === undefined) {
    notes.add('likely_preset', { rows: 0, example: preset })
    return
  }
  const mapped = new Map(request.attributes)
  for (const [at, column] of columns.entries()) {
    if (mapped.has(column) || layout.attributeOf(column) === undefined) continue
    const cell = cells[at] ?? ''
    const mayBeUrl = cell === '' || typeof cell !== 'string' || /[/.]/.test(cell)
    if ((images.test(column) && mayBeUrl) || isPicture(cell)) notes.add('likely_images', { column, rows: 0 })
    const isStatus = request.status === undefined && !columns.includes('status') && status.test(column)
    if (isStatus) notes.add('likely_status', { column, rows: 0 })
  }
}

function isPicture(cell: Cell): boolean {
  const text = typeof cell === 'string' ? cell : cell[0]
  return typeof text === 'string' && /^\s*https?:\/\/\S+\.(jpe?g|png|gif|webp|avif)(\?\S*)?([\s,|;]|$)/i.test(text)
}

const status = /^(product[ _-]?)?status$/i
