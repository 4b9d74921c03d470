import { isProductStatus, productStatuses } from '../../catalogue/enumerations.ts'
import type { LoadedProduct } from '../../catalogue/products/load-products.ts'
import { isName, isSpreadsheetError, shown } from '../../text.ts'
import { type ImportRequest, optionName } from '../options.ts'
import { presetStatus } from '../presets/presets.ts'
import { hasInvisible, visible } from '../read/columns.ts'
import { isQuoted } from '../read/csv-syntax.ts'
import { maxUrls } from '../read/limits.ts'
import type { Cell, Entry, Reading, Row, RowFault, RowPosition, Source } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import { urlOf, urlsOf } from './asset-urls.ts'
import type { Layout } from './layout.ts'
import { repeatedRows } from './repeated-rows.ts'
import { type RowPlan, rowPlanner } from './row-plan.ts'

/** The product and the assets of a row, and its faults. Many rows are in memory, so each is small. */
export interface MappedRow extends RowPosition {
  size: number
  source: Source | undefined
  /** The rows of the file that it represents, if a preset has joined those of a product. */
  rows: readonly Entry[] | undefined
  code: string | undefined
  /** Undefined if the row's product cannot be imported. */
  product: MappedProduct | undefined
  /** The assets of the row that are good, in their order. */
  assets: readonly MappedAsset[]
  /** Why nothing of the row can be imported, if there is a fault. */
  faults: RowFault[]
  /** What is wrong with its other assets, as far as it is reported, and how many they are. */
  assetFaults: RowFault[]
  assetsFailed: number
  /** Whether it replaces values of an earlier row. */
  replaces: boolean
}

export interface MappedProduct extends Pick<LoadedProduct, 'status' | 'names' | 'values'> {
  /** The columns whose values are numbers of the format, not texts. */
  numbers: ReadonlySet<string> | undefined
}

interface MappedAsset {
  channel: string
  assetFormat: string
  url: string
}

/** A mapper of rows for a request and the layout of its file, which adds its notes to those of the reading. */
export function rowMapper(request: ImportRequest, layout: Layout, reading: Reading): (row: Entry) => MappedRow {
  const planOf = rowPlanner(request, layout, reading.notes)
  const textAt = identifierReader(reading)
  const statusOf = statusReader(request, layout, reading)
  const repeats = repeatedRows(request, layout, reading)
  return (row) => {
    const { number, line, source } = row
    if ('fault' in row) return { ...nothing, number, line, source, faults: [row.fault] }
    const { cells, size, rows } = row
    const plan = planOf(row)
    const code = textAt(row, plan.code)
    const faults: RowFault[] = row.faults ? [...row.faults] : []
    if (typeof code !== 'string' || !isName(code) || isSpreadsheetError(code)) {
      const fault = { field: layout.code, expected: `must be a product code of ${codeRules}`, got: shown(code) }
      return { ...nothing, number, line, source, size, rows, faults: [fault, ...faults] }
    }
    const status = statusOf(textAt(row, plan.status), faults)
    const mapped = productOf(row, plan, status, faults)
    // A row that fails is not one that others replace, as far as is known here.
    const isGood = faults.length === 0 && (status === null || isProductStatus(status))
    const replaces = isGood && repeats(row, code, mapped, faults)
    const product = faults.length === 0 ? mapped : undefined
    const hasAssets = plan.assets.length > 0 || plan.objects.length > 0
    const { assets, assetFaults, assetsFailed } = hasAssets ? assetsOf(cells, plan, request, reading.notes) : nothing
    return { number, line, size, source, rows, code, product, assets, faults, assetFaults, assetsFailed, replaces }
  }
}

/** Of a row of which nothing can be imported. */
const nothing = {
  ...{ code: undefined, product: undefined, size: 0, rows: undefined },
  ...{ assets: [], assetFaults: [], assetsFailed: 0, replaces: false },
}

const codeRules = '1 to 255 characters, without NUL and lone surrogates, and no error of a spreadsheet'

const plain = /^[!-~]*$/
const blankEnds = /^\s|\s$/
/** What a number of a spreadsheet is read as, if it has the format of a date. */
const dateOrTime = /^(\d{4}-\d\d-\d\d|\d\d:\d\d)/

/**
 * A reader of cells with codes and statuses: an unquoted cell of CSV loses blanks at its ends, as spreadsheets show
 * them. Other characters that nobody sees are kept. Both are noted, as are dates, which spreadsheets make of codes.
 */
function identifierReader({ recognized, notes }: Reading): (row: Row, at: number) => Cell {
  return (row, at) => {
    const cell = row.cells[at] ?? ''
    const column = row.columns[at] ?? ''
    if (typeof cell === 'string' && row.numbers?.has(column) && dateOrTime.test(cell))
      notes.add('damaged_values', { column, example: cell })
    if (typeof cell !== 'string' || plain.test(cell)) return cell
    const hasBlankEnds = cell.trim() !== cell
    const isBare = hasBlankEnds && recognized.format === 'csv' && !isQuoted(row.source, at, recognized.delimiter ?? ',')
    if (isBare) notes.add('blanks_removed', { column, example: visible(cell) })
    const text = isBare ? cell.trim() : cell
    if (blankEnds.test(text)) notes.add('blanks_kept', { column, example: visible(text) })
    if (hasInvisible(text.trim())) notes.add('invisible_characters', { column, example: visible(text) })
    return text
  }
}

/** A reader of statuses: in any case, and those of `mapStatus` and the preset. Another value fails its row later. */
function statusReader(request: ImportRequest, layout: Layout, { notes }: Reading) {
  const named = new Map(request.statusMappings)
  return (cell: Cell, faults: RowFault[]): string | null => {
    if (cell === '') return null
    if (typeof cell !== 'string') {
      faults.push({ field: layout.status, expected: 'must be a status', got: shown(cell) })
      return null
    }
    const lower = cell.toLowerCase()
    const mapped = named.get(cell) ?? presetStatus(request, lower)
    if (mapped !== undefined) return mapped
    if (lower === cell || !productStatuses.some((status) => status === lower)) return cell
    notes.add('status_case', { column: layout.status ?? null, example: shown(cell) })
    return lower
  }
}

function productOf({ cells, numbers }: Row, plan: RowPlan, status: string | null, faults: RowFault[]): MappedProduct {
  const filled = plan.attributes.filter(({ at }) => cells[at] !== '')
  const seen = new Set<string>()
  for (const { column, name } of plan.isAmbiguous ? filled : []) {
    if (seen.has(name)) addFault(faults, { field: column, expected: `${name} comes from two columns` })
    seen.add(name)
  }
  for (const { at, column, expected } of plan.reserved)
    if (cells[at] !== '') addFault(faults, { field: column, expected, got: shown(cells[at]) })
  return {
    status,
    names: filled.length === plan.names.length ? plan.names : filled.map(({ name }) => name),
    values: filled.map(({ at }) => textOf(cells[at] ?? '')),
    numbers,
  }
}

function assetsOf(cells: readonly Cell[], { assets: columns, objects }: RowPlan, request: ImportRequest, notes: Notes) {
  const assets: MappedAsset[] = []
  const assetFaults: RowFault[] = []
  let assetsFailed = 0
  for (const { column, members } of objects) {
    const member = members.find(({ at }) => cells[at] !== '')
    if (!member) continue
    const advice = `${optionName(request, 'assets')} ${member.column} reads a member of it`
    addFault(assetFaults, { field: column, expected: 'must be a URL or a list', got: `an object: ${advice}` })
    assetsFailed++
  }
  for (const { at, column, isList, channel, assetFormat } of columns) {
    const cell = cells[at] ?? ''
    if (cell === '') continue
    const { urls, faults } = isList ? urlsOf(cell, request) : urlOf(cell, request)
    for (const url of urls) {
      if (!plain.test(url) && hasInvisible(url)) notes.add('invisible_characters', { column, example: visible(url) })
      assets.push({ channel, assetFormat, url })
    }
    for (const fault of faults) addFault(assetFaults, { ...fault, field: column })
    assetsFailed += faults.length
    if (assets.length <= maxUrls) continue
    addFault(assetFaults, { field: column, expected: `must have at most ${maxUrls} URLs in a row` })
    return { assets: [], assetFaults, assetsFailed: assetsFailed + assets.length }
  }
  return { assets, assetFaults, assetsFailed }
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}

/** The faults of a row that are reported: a short row of many columns may have thousands. */
export const maxFaults = 20

function addFault(faults: RowFault[], fault: RowFault): void {
  if (faults.length < maxFaults) faults.push(fault)
}
