import { parseChannelField, type UrlField } from '../../catalogue/assets/url-fields.ts'
import type { Enumerations } from '../../catalogue/enumerations.ts'
import { attributeColumn, attributeOfColumn, isOfReport } from '../../request/csv/attribute-column.ts'
import { isObject, shown } from '../../text.ts'
import { type ImportOptions, type ImportRequest, optionName } from '../options.ts'
import { presetFor, unpacksAttributes } from '../presets/presets.ts'
import { defaultCode, listed } from '../read/columns.ts'
import type { Entry, Reading, RowSource } from '../read/row.ts'
import { UsageError } from '../usage-error.ts'

/** What each column of a file is read as. */
export interface Layout {
  code: string
  /** The column of the status, if the rows have it. */
  status: string | undefined
  /** The attribute that a column is imported as; undefined: none. */
  attributeOf(column: string): string | undefined
  columnOf(attribute: string): string
  /** The place of the asset whose URL the column holds, by default on the import's channel; undefined: no asset. */
  urlPlaceOf(column: string): UrlField | undefined
}

/**
 * Decides what the columns are read as. `columns` are all of the file's or, if each row names its own, those of its
 * first rows. Throws a UsageError if there is no column for the product code and, if all columns are known, if an
 * option names one that is not there or two columns become the same attribute.
 */
export function planLayout(
  request: ImportRequest,
  enumerations: Enumerations,
  columns: readonly string[],
  isComplete: boolean,
  hint = '',
): Layout {
  const code = request.code ?? defaultCode(columns)
  if (code === undefined) {
    const preset = presetFor(columns)
    const advice = preset ? `; for an export of ${preset} use ${optionName(request, 'preset')} ${preset}` : hint
    throw new UsageError(
      `${optionName(request, 'code')} must name the column of the product code; the file has ${listed(columns)}${advice}`,
    )
  }
  const mappings = new Map(request.columnMappings)
  const status = request.status ?? (mappings.has('status') ? undefined : 'status')
  const others = new Set([code, status, ...request.assets])
  const urlPlaceOf = (column: string) => parseChannelField(enumerations, column)
  const attributeOf = (column: string) => {
    const mapped = mappings.get(column)
    if (mapped !== undefined) return mapped
    const isOther = others.has(column) || isOfReport(column) || urlPlaceOf(column) !== undefined
    return isOther || request.onlyMapped ? undefined : attributeOfColumn(column)
  }
  const columnByAttribute = new Map(request.columnMappings.map(([column, attribute]) => [attribute, column]))
  const columnOf = (attribute: string) =>
    attribute === 'status' && status !== undefined
      ? status
      : (columnByAttribute.get(attribute) ?? attributeColumn(attribute))
  if (isComplete && request.statusMappings.length > 0 && status !== undefined && !columns.includes(status)) {
    throw new UsageError(
      `${optionName(request, 'mapStatus')} needs the column of the status; name it by ${optionName(request, 'status')}; the file has ${listed(columns)}`,
    )
  }
  const named: NamedColumns = isComplete ? namedColumns(request) : new Map([['code', [code]]])
  if (unpacksAttributes(request)) named.delete('map')
  requireColumns(request, named, columns, hint)
  if (isComplete) requireDistinct(columns, attributeOf)
  return { code, status, attributeOf, columnOf, urlPlaceOf }
}

/** Advice if no column has product codes: they may be on another sheet, in a list of a line, or in the only column. */
export function hintOf(
  request: ImportRequest,
  rows: readonly Entry[],
  { notes, recognized, columns }: Reading & Pick<RowSource, 'columns'>,
): string {
  const sheet = notes.list().find(({ code }) => code === 'other_sheets')?.example
  if (sheet) return `; ${optionName(request, 'sheet')} names another sheet, such as ${sheet}`
  const [only = ''] = columns?.length === 1 ? columns : []
  if (recognized.format === 'csv' && request.delimiter === undefined && /[;,|\t^:~]/.test(only))
    return `; ${optionName(request, 'delimiter')} names another separator of cells`
  const [row] = rows
  if (recognized.format !== 'jsonl' || rows.length !== 1 || !row || 'fault' in row) return ''
  const list = row.columns.find((_column, at) => {
    const [item] = row.cells[at] ?? ''
    return isObject(item) && defaultCode(Object.keys(item)) !== undefined
  })
  if (list === undefined) return ''
  return `; for its list ${shown(list)} use ${optionName(request, 'format')} json, ${optionName(request, 'at')} ${list}`
}

type NamedColumns = Map<keyof ImportOptions, readonly string[]>

/** The columns that options name, by option. */
export function namedColumns({ code, status, assets, columnMappings }: ImportRequest): NamedColumns {
  return new Map([
    ['code', code === undefined ? [] : [code]],
    ['status', status === undefined ? [] : [status]],
    ['assets', assets],
    ['map', columnMappings.map(([column]) => column)],
  ])
}

/** `hint` is on the product code alone. */
function requireColumns(request: ImportRequest, named: NamedColumns, columns: readonly string[], hint: string): void {
  const known = new Set(columns)
  for (const [option, names] of named) {
    const unknown = names.find((name) => !known.has(name))
    if (unknown === undefined) continue
    throw new UsageError(
      `${optionName(request, option)} names the column ${shown(unknown)}; the file has ${listed(columns)}${option === 'code' ? hint : ''}`,
    )
  }
}

function requireDistinct(columns: readonly string[], attributeOf: Layout['attributeOf']): void {
  const byAttribute = new Map<string, string>()
  for (const column of columns) {
    const attribute = attributeOf(column)
    if (attribute === undefined || attribute === '') continue
    const other = byAttribute.get(attribute)
    if (other !== undefined) {
      throw new UsageError(`the columns ${shown(other)} and ${shown(column)} both become the attribute ${attribute}`)
    }
    byAttribute.set(attribute, column)
  }
}
