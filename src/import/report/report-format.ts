import { stringify } from 'csv-stringify/sync'
import { errorColumns, errorKeys } from '../../request/csv/attribute-column.ts'
import type { Format } from '../options.ts'
import { recordReader, separators } from '../read/csv-syntax.ts'
import { hasTooManyValues, isJsonObject, parseExactly } from '../read/json-row.ts'
import type { Recognized, RowFault, Source } from '../read/row.ts'
import { type FailedRow, rowsOf } from './failed-row.ts'

/** A format of failed rows as their file has them, to be corrected and imported again. */
export interface ReportFormat {
  head(columns: readonly string[]): string
  between: string
  foot: string
  /** Whether a report without rows needs its head and foot. */
  isWhole?: boolean
  row(row: RowOfFile, columns: readonly string[]): string | Buffer
}

interface RowOfFile {
  number: number
  faults: readonly RowFault[]
  source: Source
}

/** An import removes blanks at the ends of unquoted codes, and finds the delimiter in the header outside quotes. */
const quoted_match = /^\s|\s$|[,;\t|]/

const csvOf = (delimiter: string, bom: boolean): ReportFormat => ({
  head: (columns) => {
    const own = isReport(columns) ? columns.slice(errorColumns.length) : columns
    // Excel's line, without which an import does not recognize another separator.
    const named = separators.includes(delimiter) ? '' : `sep=${delimiter}\n`
    return `${bom ? '\uFEFF' : ''}${named}${stringify([[...errorColumns, ...own]], { delimiter, quoted_match })}`
  },
  between: '\n',
  foot: '\n',
  row: ({ number, faults, source }, columns) => {
    const joined = (key: 'field' | 'expected' | 'got') => faults.map((fault) => fault[key] ?? '').join(' | ')
    const errors = stringify([[number, joined('field'), joined('expected'), joined('got')]], { eof: false, delimiter })
    const record = recordOf(source, delimiter)
    const own = isReport(columns) ? withoutErrors(record, delimiter) : record
    return Buffer.concat([Buffer.from(`${errors}${delimiter}`), Buffer.from(own, 'latin1')])
  },
})

/** The bytes of a row as a record, one a character. */
function recordOf(source: Source, delimiter: string): string {
  if (typeof source === 'string') return source
  return Buffer.from(stringify([source.value as readonly string[]], { eof: false, delimiter, quoted_match })).toString(
    'latin1',
  )
}

/** The record after its first cells, which an earlier report added. */
function withoutErrors(record: string, delimiter: string): string {
  const read = recordReader(delimiter)(record, 0, true, errorColumns.length)
  return record.slice(read?.next)
}

const jsonl: ReportFormat = { head: () => '', between: '\n', foot: '\n', row: jsonRow }
const json: ReportFormat = { head: () => '[\n', between: ',\n', foot: '\n]\n', isWhole: true, row: jsonRow }

const formatsOf: Record<Format, (recognized: Recognized) => ReportFormat> = {
  csv: ({ delimiter = ',', encoding, bom = false }) => csvOf(delimiter, bom || encoding === 'Windows-1252'),
  // In a file with semicolons a number such as 1.234 is doubtful: that of a text stays so.
  xlsx: () => csvOf(';', true),
  // A row of a feed has columns of its own.
  xml: () => jsonl,
  jsonl: () => jsonl,
  json: () => json,
}

/** The format of failed rows: that of their file, in UTF-8, which spreadsheets recognize by a byte-order mark. */
export function reportFormat(recognized: Recognized): ReportFormat {
  return formatsOf[recognized.format](recognized)
}

/** The text of a report for rows that failed. `isFirst`: the report has no rows yet. */
export function reportText(
  format: ReportFormat,
  columns: readonly string[],
  failedRows: readonly FailedRow[],
  isFirst: boolean,
): Buffer {
  const { row, between } = format
  const separator = Buffer.from(between)
  const texts = rowsOfFile(failedRows).flatMap((failed) => [separator, Buffer.from(row(failed, columns))])
  return Buffer.concat(isFirst ? texts.slice(1) : texts)
}

/** The rows of the file that failed, those joined with a bad one included; rows whose end is not known are left out. */
function rowsOfFile(failedRows: readonly FailedRow[]): RowOfFile[] {
  return failedRows.flatMap(({ row: mapped, faults }) =>
    rowsOf(mapped).flatMap(({ number, source }) => {
      if (source === undefined) return []
      const own = faults.filter(({ row = mapped.number }) => row === number)
      const expected = `is imported together with row ${faults[0]?.row ?? mapped.number}, which failed`
      return [{ number, source, faults: own.length > 0 ? own : [{ expected }] }]
    }),
  )
}

function jsonRow({ number, faults, source }: RowOfFile): string {
  const errors = faults.map(({ field = null, expected, got = null }) => ({ row: number, field, expected, got }))
  const withErrors = (entries: [string, unknown][]) =>
    JSON.stringify(Object.fromEntries([[errorKeys.errors, errors], ...entries]))
  const value = parsed(source)
  if (!isJsonObject(value)) return withErrors([[errorKeys.source, value]])
  return withErrors(Object.entries(value).filter(([key]) => key !== errorKeys.errors))
}

/** The value of a row; of one that is no JSON, or beyond a limit of it, its text. */
function parsed(source: Source): unknown {
  if (typeof source !== 'string') return source.value
  try {
    return hasTooManyValues(source) ? source : parseExactly(source)
  } catch {
    return source
  }
}

function isReport(columns: readonly string[]): boolean {
  return errorColumns.every((column, i) => columns[i] === column)
}
