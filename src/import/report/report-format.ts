import { stringify } from 'csv-stringify/sync'
import { errorColumns, errorKeys } from '../load/attribute-column.ts'
import type { FailedRow } from '../load/map-row.ts'
import { isJsonObject, parseExactly } from '../read/json-row.ts'
import type { Fault, Format, Source } from '../read/row.ts'

/** A row of the file with its faults. */
export interface ReportedRow {
  number: number
  faults: readonly Fault[]
  source: Source
}

/** A format of failed rows as their file has them, to be mended and imported again. */
export interface ReportFormat {
  head(columns: readonly string[]): string
  /** The text between two rows. */
  between: string
  /** The text after the last row. */
  foot: string
  row(row: ReportedRow, columns: readonly string[]): string | Buffer
}

const csv: ReportFormat = {
  head: (columns) => stringify([[...errorColumns, ...withoutErrors(columns)]]),
  between: '\n',
  foot: '\n',
  row: ({ number, faults, source }, columns) => {
    const parts = faults.map(partsOf)
    const joined = (key: 'field' | 'expected' | 'got') => parts.map((part) => part[key]).join(' | ')
    const cells = [String(number), joined('field'), joined('expected'), joined('got')]
    const bytes = Buffer.isBuffer(source) ? source : Buffer.from(String(source))
    const errors = Buffer.from(`${stringify([cells], { eof: false })},`)
    return Buffer.concat([errors, isReport(columns) ? withoutErrorCells(bytes) : bytes])
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

/** The rows of the file that failed rows stand for: rows that are joined with a bad one failed with it. Rows whose end is not known are left out. */
export function reportedRows(failed: readonly FailedRow[]): ReportedRow[] {
  return failed.flatMap(({ row: { number: first, rows }, faults }) =>
    rows.flatMap(({ number, source }) => {
      if (source === undefined) return []
      const own = faults.filter(({ row = first }) => row === number)
      const together = {
        field: undefined,
        reason: `is imported together with row ${faults[0]?.row ?? first}, which failed`,
      }
      return [{ number, source, faults: own.length > 0 ? own : [together] }]
    }),
  )
}

/** A value that is nested too deeply to be written as JSON is reported as the text that it was read from, if there is one. */
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
  if (!isJsonObject(value)) {
    return { [errorKeys.errors]: errors, [errorKeys.source]: value }
  }
  const entries = Object.entries(value).filter(([key]) => key !== errorKeys.errors)
  return Object.fromEntries([[errorKeys.errors, errors], ...entries])
}

function jsonValue(source: Source): unknown {
  // Each byte is a character: nothing is lost, and most files that are not UTF-8 are Latin-1.
  if (Buffer.isBuffer(source)) return source.toString('latin1')
  if (typeof source !== 'string') return source.value
  try {
    return parseExactly(source)
  } catch {
    return source
  }
}

/** The two parts of a reason such as `must be a number; got "x"`. */
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

/** A record of a report without the cells of `errorColumns`. */
function withoutErrorCells(record: Buffer): Buffer {
  const cells = /^(?:(?:"[^"]*(?:""[^"]*)*"[^,]*|[^,]*),){4}/.exec(record.toString('latin1'))
  return record.subarray(cells?.[0].length ?? 0)
}
