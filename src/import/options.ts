import { extname } from 'node:path'
import { urlFault } from '../catalogue/assets/url-fields.ts'
import { nameFault } from '../catalogue/attributes/attribute-rules.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { shown } from '../text.ts'
import { type Format, formats, maxColumns } from './read/row.ts'
import { UsageError } from './usage-error.ts'

export const presetNames = ['shopify', 'magento'] as const
export type PresetName = (typeof presetNames)[number]

/** The options of `catalog import`, and of the GraphQL mutation `startImport`. */
export interface ImportOptions {
  /** The UUID of the store; on the command line it may be the name. */
  store: string
  channel?: string
  /** By default that of the file's extension. */
  format?: Format
  /** The column of the product code; by default found by its usual names. */
  code?: string
  /** The column of the status; by default `status`, if there is one. */
  status?: string
  /** Columns of image URLs, in the order in which a row's assets are linked. */
  assets?: readonly string[]
  assetSeparator?: string
  assetBase?: string
  /** `COLUMN=ATTRIBUTE`, or its two parts. */
  map?: readonly (string | { column: string; attribute: string })[]
  onlyMapped?: boolean
  /** The file for the rows that fail. */
  errors?: string
  dryRun?: boolean
  preset?: PresetName
  resume?: boolean
  chunkRows?: number
}

const defaults = {
  channel: 'SMP',
  assets: [] as readonly string[],
  assetSeparator: ',',
  onlyMapped: false,
  dryRun: false,
  resume: false,
  chunkRows: 5_000,
}

/** What to import, and how: the options with their defaults, checked. */
export interface ImportRequest extends Omit<ImportOptions, keyof typeof defaults>, Required<typeof defaults> {
  file: string
  format: Format
  storeUuid: string
  /** Attribute names by column. */
  attributes: ReadonlyMap<string, string>
}

/** Checks the options. Throws a UsageError that names the first bad one. */
export function importRequest(file: string, options: ImportOptions): ImportRequest {
  const { store: storeUuid, assetBase } = options
  if (options.resume && options.dryRun) throw new UsageError('--resume and --dry-run exclude each other')
  if (options.assetSeparator === '') throw new UsageError('--asset-separator must not be empty')
  if (assetBase !== undefined && (urlFault(assetBase) || /[?#]/.test(assetBase))) {
    throw new UsageError(`--asset-base must be an absolute URL with a host, without ? and #; got ${shown(assetBase)}`)
  }
  const { map = [], assets = [] } = options
  if (map.length + assets.length > maxColumns)
    throw new UsageError(`--map and --assets may name at most ${maxColumns} columns`)
  const attributes = attributesOf(map)
  return { ...defaults, ...options, file, format: options.format ?? formatOf(file), storeUuid, attributes }
}

/** Throws a UsageError if the request names a channel, or needs an asset format, that is not configured. */
export function requireConfigured(request: ImportRequest, { channels, assetFormats }: Enumerations): void {
  if (!channels.includes(request.channel)) {
    throw new UsageError(`--channel must be one of ${channels.join(', ')}; got ${JSON.stringify(request.channel)}`)
  }
  if (request.assets.length > 0 && !assetFormats.includes('image')) {
    throw new UsageError(`--assets needs the asset format image; configured are ${assetFormats.join(', ')}`)
  }
}

function formatOf(file: string): Format {
  const ending = extname(file).toLowerCase().slice(1)
  const format = ending === 'ndjson' ? 'jsonl' : formats.find((name) => name === ending)
  if (format) return format
  throw new UsageError(`--format must be given (${formats.join(', ')}): the extension of ${file} is none of them`)
}

function attributesOf(pairs: NonNullable<ImportOptions['map']>): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const pair of pairs) {
    const { column, attribute } = typeof pair === 'string' ? mappingOf(pair) : pair
    const fault = attribute === 'status' ? 'for the status use --status' : nameFault(attribute)
    if (fault) throw new UsageError(`--map ${column}=${attribute} names no usable attribute: ${fault}`)
    if (attributes.has(column)) throw new UsageError(`--map names the column ${shown(column)} twice`)
    attributes.set(column, attribute)
  }
  return attributes
}

function mappingOf(pair: string): { column: string; attribute: string } {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--map must be COLUMN=ATTRIBUTE; got ${shown(pair)}`)
  return { column: pair.slice(0, at), attribute: pair.slice(at + 1) }
}
