import { type ImportRequest, optionName, type PresetName, presetNames } from '../options.ts'
import { listed } from '../read/columns.ts'
import type { Reading, RowSource } from '../read/row.ts'
import { UsageError } from '../usage-error.ts'
import * as magento from './magento.ts'
import * as shopify from './shopify.ts'
import { imageColumns } from './shopify-images.ts'
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
  /** Whether the shop writes the names of columns in its own language. */
  isTranslated?: boolean
  /** Whether a row may have columns that the file does not have. */
  unpacks?: boolean
  /** Turns the export's rows into rows of one product each. `assets` are the columns of images that options name. */
  reshape(source: NotedSource, assets: readonly string[]): RowSource
}

type NotedSource = RowSource & Pick<Reading, 'notes'>

const presets: Record<PresetName, Preset> = {
  shopify: {
    ...{ code: shopify.handleColumns, status: 'Status', statuses: shopify.statuses, assets: imageColumns },
    ...{ marks: ['Title'], reshape: shopify.joined },
  },
  magento: {
    ...{ code: ['sku'], status: 'product_online', statuses: magento.statuses },
    ...{ assets: ['base_image', 'additional_images'], marks: ['store_view_code', 'product_online'] },
    unpacks: true,
    reshape: ({ columns, rows }) => ({ columns, rows: magento.unpacked(rows) }),
  },
  woocommerce: {
    ...{ code: ['SKU'], status: 'Published', statuses: woocommerce.statuses },
    ...{ assets: ['Images'], marks: ['ID', 'Type', 'Published'], isTranslated: true },
    // Each row names its own columns, as its attributes are among them.
    reshape: ({ rows, notes }) => ({ columns: undefined, rows: woocommerce.namedAttributes(rows, notes) }),
  },
  'google-merchant': {
    code: ['id', 'g:id'],
    status: undefined,
    assets: ['', 'additional_', 'lifestyle_'].flatMap((kind) => {
      const column = `${kind}image_link`
      return [column, column.replaceAll('_', ' ')].flatMap((name) => [name, `g:${name}`])
    }),
    marks: ['availability', 'link'],
    isTranslated: true,
    reshape: (source) => source,
  },
}

/** The preset whose columns a file has. */
export function presetFor(columns: readonly string[]): PresetName | undefined {
  return presetNames.find((name) => {
    const { code, marks } = presets[name]
    return marks.every((column) => columns.includes(column)) && code.some((column) => columns.includes(column))
  })
}

/** The status that a value stands for in a preset; undefined: none. */
export function presetStatus({ preset }: ImportRequest, value: string): string | undefined {
  const statuses = preset && presets[preset].statuses
  return statuses && Object.hasOwn(statuses, value) ? statuses[value] : undefined
}

/** Whether options may name attributes that only rows have. */
export function unpacksAttributes({ preset }: Pick<ImportRequest, 'preset'>): boolean {
  return preset !== undefined && presets[preset].unpacks === true
}

/** Whether the assets are those of the preset, as far as there are columns of them: options may name others instead. */
export function readsPresetImages({ preset, assets }: ImportRequest, columns: readonly string[]): boolean {
  const own = preset === undefined ? [] : presets[preset].assets.filter((column) => columns.includes(column))
  return own.length > 0 && own.every((column) => assets.includes(column))
}

/** The rows of a shop's export as rows of one product each; without a preset the rows themselves. */
export function reshaped(source: NotedSource, { preset, assets }: ImportRequest): RowSource {
  return preset === undefined ? source : presets[preset].reshape(source, assets)
}

/**
 * The request with the preset's columns where it names none; a status that it maps is an attribute. Unless the file
 * names its columns (`ofFile`), later rows may have images in columns that the first ones lack. Notes a file whose
 * columns seem to be in another language. Throws a UsageError if the product code has no column.
 */
export function withPreset(
  request: ImportRequest,
  columns: readonly string[],
  { columns: ofFile, notes }: Pick<RowSource, 'columns'> & Pick<Reading, 'notes'>,
): ImportRequest {
  if (request.preset === undefined) return request
  const preset = presets[request.preset]
  const has = (column: string) => columns.includes(column)
  const code = preset.code.find(has)
  if (request.code === undefined && code === undefined) {
    const option = `${optionName(request, 'preset')} ${request.preset}`
    const advice = `use ${optionName(request, 'code')} to name another`
    const had = listed(ofFile ?? columns)
    throw new UsageError(`${option} needs the column "${preset.code[0]}"; ${advice}; the file has ${had}`)
  }
  const isMapped = request.columnMappings.some(([column]) => column === preset.status)
  const ofPreset = preset.status !== undefined && has(preset.status) ? preset.status : undefined
  const status = ofPreset !== undefined && !isMapped ? { status: ofPreset } : {}
  const found = ofFile ? preset.assets.filter(has) : preset.assets
  const isNamed = request.assets.length > 0 && (preset.status === undefined || request.status !== undefined)
  if (preset.isTranslated && found.length === 0 && ofPreset === undefined && !isNamed)
    notes.add('other_language', { rows: 0 })
  const assets = request.assets.length > 0 ? request.assets : found
  return { ...(code === undefined ? {} : { code }), ...status, ...request, assets }
}
