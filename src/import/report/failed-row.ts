import { shown } from '../../text.ts'
import type { MappedRow } from '../load/map-row.ts'
import { type Entry, type RowFault, sentenceOf } from '../read/row.ts'

/** A row with faults: nothing of it is imported, unless they are those of assets alone. */
export interface FailedRow {
  row: MappedRow
  faults: readonly RowFault[]
}

/** The rows of the file that a mapped row represents. */
export function rowsOf(row: MappedRow): readonly Pick<Entry, 'number' | 'line' | 'source'>[] {
  return row.rows ?? [row]
}

/** The row with its faults, each at the row of the file that has it. */
export function failedRow(row: MappedRow, faults: readonly RowFault[]): FailedRow {
  const { rows } = row
  return { row, faults: rows ? faults.map((fault) => ({ ...fault, row: fault.row ?? rowOf(fault, rows) })) : faults }
}

/** The number of the joined row with the value at fault; if unknown, of the first with a value in that column. */
function rowOf({ field, got }: RowFault, rows: readonly Entry[]): number | undefined {
  let columns: readonly string[] | undefined
  let at = -1
  const filled = rows.flatMap((row) => {
    if (field === undefined || 'fault' in row) return []
    if (row.columns !== columns) at = row.columns.indexOf(field)
    columns = row.columns
    return row.cells[at] ? [{ number: row.number, cell: row.cells[at] }] : []
  })
  return (filled.find(({ cell }) => got?.startsWith(shown(cell))) ?? filled[0])?.number
}

/** A fault of a row of the file. `line` is the line that the row begins on, if its format has lines. */
export interface Problem {
  row: number
  line: number | null
  productCode: string | null
  field: string | null
  reason: string
}

export function problemOf(mapped: MappedRow, fault: RowFault): Problem {
  const { field = null, row = mapped.number } = fault
  const line = rowsOf(mapped).find(({ number }) => number === row)?.line ?? null
  return { row, line, productCode: mapped.code ?? null, field, reason: sentenceOf(fault) }
}
