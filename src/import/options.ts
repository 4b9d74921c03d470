import { parseChannelField, urlFault } from '../catalogue/assets/url-fields.ts'
import { nameFault } from '../catalogue/attributes/attribute-rules.ts'
import { defaultChannel, type Enumerations, productStatuses } from '../catalogue/enumerations.ts'
import { invalidRequest } from '../errors.ts'
import { shown } from '../text.ts'
import { maxColumns } from './read/limits.ts'
import { UsageError } from './usage-error.ts'

/** The formats of files that can be imported, by the extensions of their names. */
export const formats = ['csv', 'jsonl', 'json', 'xlsx', 'xml'] as const
export type Format = (typeof formats)[number]

export const encodings = ['UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** What happens to a row whose product code an earlier one has. */
export const duplicateRules = ['merge', 'fail'] as const

export const decimalMarks = ['point', 'comma'] as const

export const presetNames = ['shopify', 'magento', 'woocommerce', 'google-merchant'] as const
export type PresetName = (typeof presetNames)[number]

/** How an interface spells the names of options: the command line, GraphQL and REST. */
export type OptionStyle = 'flags' | 'camelCase' | 'snake_case'

/** The options of an import, by all interfaces. */
export interface ImportOptions {
  /** The UUID of the store; on the command line it may be the name. */
  store: string
  channel?: string
  /** By default that of the file's bytes and extension. */
  format?: Format
  /** By default that which the bytes of the file show. */
  encoding?: Encoding
  /** The separator of the cells of a CSV file, or `tab`; by default that which the header shows. */
  delimiter?: string
  /** The keys to the list in a JSON file, joined by points. */
  at?: string
  /** The sheet of a spreadsheet; by default the first. */
  sheet?: string
  /** What separates decimals of attributes that are numbers; by default a point, where a comma cannot be meant. */
  decimal?: (typeof decimalMarks)[number]
  /** Whether the apostrophes are removed that `--escape-formulas` puts before cells of CSV. */
  unescapeFormulas?: boolean
  /** The column of the product code; by default found by its usual names. */
  code?: string
  /** The column of the status; by default `status`, if there is one. */
  status?: string
  /** Columns of image URLs, in the order in which a row's assets are linked. */
  assets?: readonly string[]
  /** The text between the URLs of a cell; by default it is seen. */
  assetSeparator?: string
  assetBase?: string
  /** `COLUMN=ATTRIBUTE`, or its two parts. */
  map?: readonly (string | { column: string; attribute: string })[]
  onlyMapped?: boolean
  /** `VALUE=STATUS`, several separated by commas. */
  mapStatus?: string
  /** Whether a later row with the same product code replaces values, or fails; by default it replaces. */
  duplicates?: (typeof duplicateRules)[number]
  /** The file for the rows that fail. */
  errors?: string
  dryRun?: boolean
  preset?: PresetName
  resume?: boolean
  chunkRows?: number
}

const defaults = {
  channel: defaultChannel,
  assets: [] as readonly string[],
  onlyMapped: false,
  unescapeFormulas: false,
  dryRun: false,
  resume: false,
  chunkRows: 5_000,
}

/** What to import, and how: the options with their defaults, checked. */
export interface ImportRequest
  extends Omit<ImportOptions, keyof typeof defaults | 'map' | 'mapStatus' | 'store'>,
    Required<typeof defaults> {
  file: string
  columnMappings: readonly (readonly [column: string, attribute: string])[]
  statusMappings: readonly (readonly [value: string, status: string])[]
  style: OptionStyle
}

/** An import into a store that was found. It is plain data, which a job keeps. */
export interface StoreImport extends ImportRequest {
  storeUuid: string
}

/** The name of an option in the interface that the request came by. */
export function optionName({ style }: Pick<ImportRequest, 'style'>, option: keyof ImportOptions): string {
  const words = option.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  if (style === 'flags') return `--${words.join('-')}`
  return style === 'snake_case' ? words.join('_') : option
}

/** Checks the options. Throws a UsageError that names the first bad one. */
export function importRequest(file: string, options: ImportOptions, style: OptionStyle = 'flags'): ImportRequest {
  const name = (option: keyof ImportOptions) => optionName({ style }, option)
  const { store: _store, map = [], mapStatus, ...rest } = options
  const { assetBase, assets = [] } = rest
  if (options.resume && options.dryRun) throw optionError(name('resume'), `and ${name('dryRun')} exclude each other`)
  if (options.assetSeparator === '') throw optionError(name('assetSeparator'), 'must not be empty')
  if (assetBase !== undefined && (urlFault(assetBase) || /[?#]/.test(assetBase))) {
    const expected = 'must be an absolute URL with a host, without ? and #'
    throw optionError(name('assetBase'), `${expected}; got ${shown(assetBase)}`)
  }
  if (map.length + assets.length > maxColumns)
    throw optionError(name('map'), `and ${name('assets')} may name at most ${maxColumns} columns`)
  const delimiter = delimiterOf(options.delimiter, name('delimiter'))
  return {
    ...{ ...defaults, ...rest, file, columnMappings: columnMappingsOf(map, name), style },
    statusMappings: statusMappingsOf(mapStatus, name('mapStatus')),
    ...(delimiter === undefined ? {} : { delimiter }),
  }
}

/** The options of a request over HTTP, whose file has no name. Throws `invalid_request`, which names the option. */
export function checkedRequest(options: ImportOptions, enumerations: Enumerations, style: OptionStyle): ImportRequest {
  try {
    const request = importRequest('', options, style)
    requireConfigured(request, enumerations)
    return request
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const field = style === 'camelCase' ? 'input' : (error.option ?? '')
    throw invalidRequest([{ field, details: error.message }])
  }
}

/**
 * Throws a UsageError if the request names a channel, or needs an asset format, that is not configured, or makes an
 * attribute of a URL field.
 */
export function requireConfigured(request: ImportRequest, { channels, assetFormats }: Enumerations): void {
  if (!channels.includes(request.channel)) {
    const fault = `must be one of ${channels.join(', ')}; got ${JSON.stringify(request.channel)}`
    throw optionError(optionName(request, 'channel'), fault)
  }
  if (request.assets.length > 0 && !assetFormats.includes('image')) {
    const fault = `needs the asset format image; configured are ${assetFormats.join(', ')}`
    throw optionError(optionName(request, 'assets'), fault)
  }
  const ofUrl = request.columnMappings.find(([, attribute]) => parseChannelField({ channels, assetFormats }, attribute))
  if (ofUrl) {
    const fault = `${ofUrl.join('=')} names no usable attribute: ${ofUrl[1]} is the URL of an asset; ${optionName(request, 'assets')} reads a column of URLs`
    throw optionError(optionName(request, 'map'), fault)
  }
}

/** The error of an option, whose sentence begins with its name. */
function optionError(option: string, fault: string): UsageError {
  return new UsageError(`${option} ${fault}`, option)
}

function statusMappingsOf(text: string | undefined, option: string): [value: string, status: string][] {
  const statuses = new Map<string, string>()
  for (const pair of text?.split(',') ?? []) {
    const at = pair.lastIndexOf('=')
    const [value, status] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
    if (value === '' || !productStatuses.some((one) => one === status))
      throw optionError(option, `must be VALUE=STATUS,… with ${productStatuses.join(', ')}; got ${shown(pair)}`)
    if (statuses.has(value)) throw optionError(option, `names the value ${shown(value)} twice`)
    statuses.set(value, status)
  }
  return [...statuses]
}

function delimiterOf(text: string | undefined, option: string): string | undefined {
  if (text === undefined || /^[^"\r\n\P{ASCII}]$/u.test(text)) return text
  if (text === 'tab' || text === '\\t') return '\t'
  throw optionError(option, `must be one ASCII character other than a quote, or tab; got ${shown(text)}`)
}

function columnMappingsOf(
  pairs: NonNullable<ImportOptions['map']>,
  name: (option: keyof ImportOptions) => string,
): [column: string, attribute: string][] {
  const attributes = new Map<string, string>()
  for (const pair of pairs) {
    const [column = '', attribute = ''] = typeof pair === 'string' ? halvesOf(pair) : [pair.column, pair.attribute]
    if (column === '') throw optionError(name('map'), `must be COLUMN=ATTRIBUTE; got ${shown(pair)}`)
    const fault = attribute === 'status' ? `for the status use ${name('status')}` : nameFault(attribute)
    if (fault) throw optionError(name('map'), `${column}=${attribute} names no usable attribute: ${fault}`)
    if (attributes.has(column)) throw optionError(name('map'), `names the column ${shown(column)} twice`)
    attributes.set(column, attribute)
  }
  return [...attributes]
}

function halvesOf(pair: string): string[] {
  const at = pair.indexOf('=')
  return at < 1 ? [] : [pair.slice(0, at), pair.slice(at + 1)]
}
