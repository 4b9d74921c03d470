import { extname } from 'node:path'
import { nameFault } from '../catalogue/attributes/attribute-rules.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { isAbsoluteUrl, shown, storeUuidOf } from '../text.ts'
import type { PresetName } from './presets/preset.ts'
import { type Format, formats } from './read/row.ts'
import { UsageError } from './usage-error.ts'

export interface ColumnMapping {
  column: string
  attribute: string
}

/** The options of `catalog import`, and of the GraphQL mutation `startImport`. */
export interface ImportOptions {
  /** The UUID of the store. */
  store: string
  /** By default `SMP`. */
  channel?: string
  /** By default that of the file's extension. */
  format?: Format
  code?: string
  status?: string
  assets?: readonly string[]
  /** By default a comma. */
  assetSeparator?: string
  assetBase?: string
  /** `COLUMN=ATTRIBUTE`, or its two parts. */
  map?: readonly (string | ColumnMapping)[]
  onlyMapped?: boolean
  /** The file for the rows that fail. */
  errors?: string
  dryRun?: boolean
  preset?: PresetName
  resume?: boolean
  chunkRows?: number
}

/** What to import, and how: the options with their defaults, checked. */
export interface ImportRequest {
  file: string
  format: Format
  storeUuid: string
  channel: string
  /** The column of the product code; undefined: found by its usual names. */
  code: string | undefined
  /** The column of the status; undefined: `status`, if there is one. */
  status: string | undefined
  /** Columns of image URLs, in the order in which a row's assets are linked. */
  assetColumns: readonly string[]
  assetSeparator: string
  assetBase: string | undefined
  /** Attribute names by column. */
  attributes: ReadonlyMap<string, string>
  onlyMapped: boolean
  errorsFile: string | undefined
  dryRun: boolean
  preset: PresetName | undefined
  resume: boolean
  /** How many rows one transaction may write; undefined: the usual number. */
  chunkRows: number | undefined
}

/** Checks the options. Throws a UsageError that names the first bad one. */
export function importRequest(file: string, options: ImportOptions): ImportRequest {
  const storeUuid = storeUuidOf(options.store)
  if (!storeUuid) throw new UsageError(`--store must be the UUID of a store; got ${shown(options.store)}`)
  if (options.resume && options.dryRun) throw new UsageError('--resume and --dry-run exclude each other')
  if (options.assetSeparator === '') throw new UsageError('--asset-separator must not be empty')
  return {
    file,
    format: options.format ?? formatOf(file),
    storeUuid,
    channel: options.channel ?? 'SMP',
    code: options.code,
    status: options.status,
    assetColumns: options.assets ?? [],
    assetSeparator: options.assetSeparator ?? ',',
    assetBase: options.assetBase === undefined ? undefined : assetBaseOf(options.assetBase),
    attributes: attributesOf(options.map ?? []),
    onlyMapped: options.onlyMapped ?? false,
    errorsFile: options.errors,
    dryRun: options.dryRun ?? false,
    preset: options.preset,
    resume: options.resume ?? false,
    chunkRows: options.chunkRows,
  }
}

/** Throws a UsageError if the request names a channel, or needs an asset format, that is not configured. */
export function requireConfigured(request: ImportRequest, { channels, assetFormats }: Enumerations): void {
  if (!channels.includes(request.channel)) {
    throw new UsageError(`--channel must be one of ${channels.join(', ')}; got ${JSON.stringify(request.channel)}`)
  }
  if (request.assetColumns.length > 0 && !assetFormats.includes('image')) {
    throw new UsageError(`--assets needs the asset format image; configured are ${assetFormats.join(', ')}`)
  }
}

function formatOf(file: string): Format {
  const ending = extname(file).toLowerCase().slice(1)
  const format = ending === 'ndjson' ? 'jsonl' : formats.find((name) => name === ending)
  if (format) return format
  throw new UsageError(`--format must be given (${formats.join(', ')}): the extension of ${file} is none of them`)
}

function assetBaseOf(base: string): string {
  if (isAbsoluteUrl(base) && !/[?#]/.test(base)) return base
  throw new UsageError(`--asset-base must be an absolute URL with a host, without ? and #; got ${shown(base)}`)
}

function mappingOf(pair: string): ColumnMapping {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--map must be COLUMN=ATTRIBUTE; got ${shown(pair)}`)
  return { column: pair.slice(0, at), attribute: pair.slice(at + 1) }
}

function attributesOf(pairs: readonly (string | ColumnMapping)[]): Map<string, string> {
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
