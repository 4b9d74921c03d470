import type { Transaction } from 'kysely'
import type { Database } from '../../database/tables.ts'
import type { ImportReport } from '../import-file.ts'
import type { FailedRow } from './failed-row.ts'
import { type ReportFormat, reportFormat, reportText } from './report-format.ts'

/** Where a report is written: a file, or the output of a job. */
export interface ReportSink {
  /** Writes a text at an end of the report, in place of what follows there; returns the new end. */
  append(at: number, text: Buffer, transaction?: Transaction<Database>): Promise<number>
  /** Whether a report without rows has its head. */
  hasHead?: boolean
}

export interface WrittenReport extends ImportReport {
  add(rows: readonly FailedRow[], end: number, transaction?: Transaction<Database>): Promise<number>
  /** Ends the report. Returns false if it has not begun. */
  end(): Promise<boolean>
}

/** A report in the format of the imported file, whose end so far is `from`. It has its head once it has a row. */
export function reportTo({ append, hasHead = false }: ReportSink, from = 0): WrittenReport {
  let format: ReportFormat | undefined
  let columns: readonly string[] = []
  let end = from
  return {
    begin: async (named, recognized) => {
      columns = named
      format = reportFormat(recognized)
    },
    add: async (rows, at, transaction) => {
      const text = format ? reportText(format, columns, rows, at === 0) : Buffer.alloc(0)
      const head = at === 0 && text.length > 0 ? Buffer.from(format?.head(columns) ?? '') : Buffer.alloc(0)
      end = await append(at, Buffer.concat([head, text]), transaction)
      return end
    },
    end: async () => {
      if (!format) return false
      const { head, foot, isWhole = false } = format
      if (end > 0) await append(end, Buffer.from(foot))
      else if (hasHead) await append(0, Buffer.from(`${head(columns)}${isWhole ? foot : ''}`))
      return true
    },
  }
}
