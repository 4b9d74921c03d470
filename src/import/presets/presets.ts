import { isObject } from '../../text.ts'
import { type ImportRequest, optionName, type PresetName, presetNames } from '../options.ts'
import { listed } from '../read/columns.ts'
import type { Cell, Reading, RowSource } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import { UsageError } from '../usage-error.ts'
import * as magento from './magento.ts'
import * as shopify from './shopify.ts'
import * as woocommerce from './woocommerce.ts'

/** How a shop's export is read: names of the columns that options would name, of which one of `code` must be there. */
interface Preset {
  code: readonly string[]
  status: string | undefined
  /** Values of the status that the product's statuses stand for. */
  statuses?: Readonly<Record<string, string>>
  assets: readonly string[]
  /** Columns by which the export is known. */
  marks: readonly string[]
  /** Turns the export's rows into rows of one product each. `assets` are the columns of images that options name. */
  reshape(source: NotedSource, assets: readonly string[]): RowSource
}

type NotedSource = RowSource & Pick<Reading, 'notes'>

const presets: Record<PresetName, Preset> = {
  shopify: {
    ...{ code: shopify.handleColumns, status: 'Status', statuses: shopify.statuses, assets: shopify.imageColumns },
    ...{ marks: ['Title'], reshape: shopify.joined },
  },
  magento: {
    ...{ code: ['sku'], status: 'product_online', statuses: magento.statuses },
    ...{ assets: ['base_image', 'additional_images'], marks: ['store_view_code', 'product_online'] },
    reshape: ({ columns, rows }) => ({ columns, rows: magento.unpacked(rows) }),
  },
  woocommerce: {
    ...{ code: ['SKU'], status: 'Published', statuses: woocommerce.statuses },
    ...{ assets: ['Images'], marks: ['ID', 'Type', 'Published'] },
    // Each row names its own columns, as its attributes are among them.
    reshape: ({ rows, notes }) => ({ columns: undefined, rows: woocommerce.namedAttributes(rows, notes) }),
  },
  'google-merchant': {
    code: ['id', 'g:id'],
    status: undefined,
    assets: ['image_link', 'image link', 'additional_image_link', 'additional image link'].flatMap((c) => [
      c,
      `g:${c}`,
    ]),
    marks: ['availability', 'link'],
    reshape: (source) => source,
  },
}

/** The preset whose columns a file has. */
export function presetFor(columns: readonly string[]): PresetName | undefined {
  return presetNames.find((name) => {
    const { code, marks } = presets[name]
    return [marks.every((column) => columns.includes(column)), code.some((column) => columns.includes(column))].every(
      Boolean,
    )
  })
}

/** The status that a value stands for in a preset; undefined: none. */
export function presetStatus({ preset }: ImportRequest, value: string): string | undefined {
  const statuses = preset && presets[preset].statuses
  return statuses && Object.hasOwn(statuses, value) ? statuses[value] : undefined
}

/** The rows of a shop's export as rows of one product each; without a preset the rows themselves. */
export function groupByProduct(source: NotedSource, { preset, assets }: ImportRequest): RowSource {
  return preset === undefined ? source : presets[preset].reshape(source, assets)
}

/** The request with the preset's columns where it names none. Throws a UsageError if the product code has no column. */
export function withPreset(request: ImportRequest, columns: readonly string[]): ImportRequest {
  if (request.preset === undefined) return request
  const preset = presets[request.preset]
  const has = (column: string) => columns.includes(column)
  const code = preset.code.find(has)
  if (request.code === undefined && code === undefined) {
    const option = `${optionName(request, 'preset')} ${request.preset}`
    const advice = `${optionName(request, 'code')} names another`
    throw new UsageError(`${option} needs the column "${preset.code[0]}"; ${advice}; the file has ${listed(columns)}`)
  }
  const status = preset.status !== undefined && has(preset.status) ? { status: preset.status } : {}
  const assets = request.assets.length > 0 ? request.assets : preset.assets.filter(has)
  return { ...(code === undefined ? {} : { code }), ...status, ...request, assets }
}

const status = /^(product[ _-]?)?status$/i

/**
 * Notes columns that become attributes, though their names or values say that options should name them. Returns what
 * notes those that may have images, by the first value of each.
 */
export function hintsOf(
  columns: readonly string[],
  request: ImportRequest,
  attributeOf: (column: string) => string | undefined,
  notes: Notes,
): (cells: readonly Cell[]) => void {
  // A preset that has found its images knows what the others are.
  if (request.preset !== undefined && request.assets.length > 0) return () => {}
  const preset = presetFor(columns)
  if (preset !== undefined && request.preset === undefined) {
    notes.add('likely_preset', { rows: 0, example: preset })
    return () => {}
  }
  const mayBeStatus = request.status === undefined && !columns.includes('status')
  const mapped = new Map(request.attributes)
  let unseen = columns.flatMap((column, at) => {
    if (mapped.has(column) || attributeOf(column) === undefined) return []
    if (mayBeStatus && status.test(column)) notes.add('likely_status', { column, rows: 0 })
    return [{ at, column }]
  })
  return (cells) => {
    const isEmpty = ({ at }: { at: number }) => (cells[at] ?? '').length === 0
    // Most rows have values in no more columns than those before them.
    if (unseen.every(isEmpty)) return
    for (const { at, column } of unseen)
      if (mayBeImages(cells[at] ?? '', column)) notes.add('likely_images', { column, rows: 0 })
    unseen = unseen.filter(isEmpty)
  }
}

const images =
  /image|img|photo|picture|enclosure|(^|[^a-z])(assets?|bild(er)?|fotos?|cover|gallery|galerie|media|thumbnails?)([^a-z]|$)/i
/** Names, in other languages too, of which others are parts: only a URL in such a column may be one of an image. */
const partOfImages =
  /bild|foto|thumb|visuel|afbeelding|immagin|im[aá]gen|zdj[eę]ci|obr[aá]z|resim|g[oö]rsel|pic(s|[^a-z]|url|$)|изображ|картин|фото|εικ[oόο]ν|φωτογρ|画像|写真|图片|이미지/i
const pictures = /^\s*\S+\.(jpe?g|png|gif|webp|avif)(\?\S*)?([\s,|;]|$)/i

function mayBeImages(cell: Cell, column: string): boolean {
  const first = typeof cell === 'string' ? cell : cell.find((item) => item !== null && item !== '')
  const text = isObject(first) ? (first.src ?? first.url ?? first.href) : first
  if (images.test(column) && cell !== '') return typeof cell !== 'string' || /[/.]/.test(cell)
  if (typeof text !== 'string') return false
  return pictures.test(text) || (partOfImages.test(column) && /^\s*https?:\/\//i.test(text))
}
