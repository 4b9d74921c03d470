import { isExactNumber, parseExactly } from './exact-json.ts'
import type { Format } from './format.ts'
import type { FailedRow } from './map-row.ts'
import type { Fault, Source } from './row.ts'

/** What a report says before each row of a CSV file: an import passes over these columns. */
export const errorColumns = ['import_error_row', 'import_error_field', 'import_error_expected', 'import_error_got']
/** The same in JSON: what is wrong with the object, and the text of a row that was none. */
export const errorKeys = { errors: 'import_errors', source: 'import_source' }

/** A row of the file with what is wrong with it. */
export interface ReportedRow {
  number: number
  faults: readonly Fault[]
  source: Source
}

/** A way to write failed rows as their file has them, to be mended and sent again. */
export interface ReportFormat {
  head(columns: readonly string[]): string
  /** What stands between two rows, and behind the last. */
  between: string
  foot: string
  row(row: ReportedRow, columns: readonly string[]): string | Buffer
}

const csv: ReportFormat = {
  head: (columns) => `${[...errorColumns, ...withoutErrors(columns)].map(csvCell).join(',')}\n`,
  between: '\n',
  foot: '\n',
  row: ({ number, faults, source }, columns) => {
    const parts = faults.map(partsOf)
    const joined = (key: 'field' | 'expected' | 'got') => parts.map((part) => part[key]).join(' | ')
    const cells = [String(number), joined('field'), joined('expected'), joined('got')]
    const errors = `${cells.map(csvCell).join(',')},`
    if (Buffer.isBuffer(source)) return Buffer.concat([Buffer.from(errors), source])
    const text = String(source)
    return errors + (isReport(columns) ? behindCells(text, errorColumns.length) : text)
  },
}

const jsonl: ReportFormat = { head: () => '', between: '\n', foot: '\n', row: jsonRow }

const json: ReportFormat = {
  head: () => '[\n',
  between: ',\n',
  foot: '\n]\n',
  row: jsonRow,
}

export const reportFormats: Record<Format, ReportFormat> = { csv, jsonl, json }

/** The rows of the file that failed rows stand for; those that are joined with a bad one failed with it. One that could not be read whole is not among them. */
export function reportedRows(failed: readonly FailedRow[]): ReportedRow[] {
  return failed.flatMap(({ row: { number: first, rows }, faults }) =>
    rows.flatMap(({ number, source }) => {
      if (source === undefined) return []
      const own = faults.filter(({ row = first }) => row === number)
      const together = {
        field: undefined,
        reason: `goes in together with row ${faults[0]?.row ?? first}, which failed`,
      }
      return [{ number, source, faults: own.length > 0 ? own : [together] }]
    }),
  )
}

/** What is nested so deeply that it cannot be written as JSON stands as the text that it came as, if it did. */
function jsonRow({ number, faults, source }: ReportedRow): string {
  const errors = faults.map((fault) => {
    const { field, expected, got } = partsOf(fault)
    return { row: number, field: field === '' ? null : field, expected, got: got === '' ? null : got }
  })
  try {
    return JSON.stringify(objectOf(errors, source))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const text = typeof source === 'string' ? source : null
    return JSON.stringify({ [errorKeys.errors]: errors, [errorKeys.source]: text })
  }
}

function objectOf(errors: readonly object[], source: Source): object {
  const value = jsonValue(source)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) {
    return { [errorKeys.errors]: errors, [errorKeys.source]: value }
  }
  const entries = Object.entries(value).filter(([key]) => key !== errorKeys.errors)
  return Object.fromEntries([[errorKeys.errors, errors], ...entries])
}

function jsonValue(source: Source): unknown {
  // Each byte a character: nothing of it is lost, and of most old files it is the right one.
  if (Buffer.isBuffer(source)) return source.toString('latin1')
  if (typeof source !== 'string') return source.value
  try {
    return parseExactly(source)
  } catch {
    return source
  }
}

/** What was expected and what came, out of a sentence such as `must be a number; got "x"`. */
function partsOf({ field = '', reason }: Fault): { field: string; expected: string; got: string } {
  const at = reason.lastIndexOf('; got ')
  return at < 0
    ? { field, expected: reason, got: '' }
    : { field, expected: reason.slice(0, at), got: reason.slice(at + '; got '.length) }
}

function isReport(columns: readonly string[]): boolean {
  return errorColumns.every((column, i) => columns[i] === column)
}

function withoutErrors(columns: readonly string[]): readonly string[] {
  return isReport(columns) ? columns.slice(errorColumns.length) : columns
}

/** A record without its first cells. */
function behindCells(record: string, count: number): string {
  let at = 0
  for (let cell = 0; cell < count; cell++) {
    if (record[at] === '"') {
      do at = record.indexOf('"', at + 1) + 1
      while (at > 0 && record[at] === '"')
    }
    const comma = record.indexOf(',', at)
    if (comma < 0) return record
    at = comma + 1
  }
  return record.slice(at)
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
