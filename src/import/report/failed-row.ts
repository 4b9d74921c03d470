import { type FailedRow, rowsOf } from '../load/map-row.ts'

/** A fault of a row of the file. `line` is the line that the row begins on, if its format has lines. */
export interface Problem {
  row: number
  line: number | null
  productCode: string | null
  field: string | null
  reason: string
}

export function problemsOf(failed: readonly FailedRow[]): Problem[] {
  return failed.flatMap(({ row: mapped, faults }) =>
    faults.map(({ field = null, reason, row = mapped.number }) => {
      const line = rowsOf(mapped).find(({ number }) => number === row)?.line ?? null
      return { row, line, productCode: mapped.code ?? null, field, reason }
    }),
  )
}
