import { constants, type FileHandle, open } from 'node:fs/promises'
import type { ImportReport } from '../../import/import.ts'
import type { FailedRow } from '../../import/load/map-row.ts'
import type { Format } from '../../import/read/row.ts'
import { type Problem, problemsOf, reportFormats, reportText } from '../../import/report/report-format.ts'
import { UsageError } from '../../import/usage-error.ts'
import { shown } from '../../text.ts'

export interface Report extends ImportReport {
  add(rows: readonly FailedRow[], length: number): Promise<number>
  /** Ends the report of so many failed rows and returns the sentences that sum it up: none if no row has failed. */
  close(failed: number): Promise<string[]>
}

const mostShown = 20

/**
 * Starts the report of an import's failed rows: the first 20 faults and a count as sentences, or a file of all the rows
 * as they came. `from` is the length of a resumed run's report. Throws a UsageError if the file cannot be written.
 */
export async function startReport(path: string | undefined, format: Format, from: number): Promise<Report> {
  if (path === undefined) return reportInSentences(from)
  // Wrong usage changes nothing: an earlier report is kept until `begin`.
  const file = await open(path, constants.O_RDWR | constants.O_CREAT).catch((error: unknown) => {
    throw new UsageError(`--errors ${path} cannot be written: ${error instanceof Error ? error.message : error}`)
  })
  return reportInFile(path, file, format, from)
}

/** The length of this report is its number of faults. */
function reportInSentences(from: number): Report {
  const problems: Problem[] = []
  let count = from
  return {
    begin: async () => {},
    add: async (rows, length) => {
      const found = problemsOf(rows)
      problems.length = Math.min(problems.length, length - from)
      problems.push(...found.slice(0, mostShown - problems.length))
      count = length + found.length
      return count
    },
    close: async () => {
      const rest = count - from - problems.length
      const more = rest > 0 ? [`and ${rest} more problems; --errors FILE reports all of them`] : []
      return [...problems.map(sentence), ...more]
    },
  }
}

function reportInFile(path: string, file: FileHandle, format: Format, from: number): Report {
  const { head, foot } = reportFormats[format]
  let columns: readonly string[] = []
  let headSize = 0
  let size: number | undefined
  return {
    begin: async (named) => {
      columns = named
      const text = Buffer.from(head(named))
      headSize = text.length
      size = from || headSize
      if (from === 0) await writeAll(file, text, 0)
      await file.truncate(size)
    },
    add: async (rows, length) => {
      const begin = length || headSize
      await file.truncate(begin)
      const text = reportText(format, columns, rows, begin === headSize)
      await writeAll(file, text, begin)
      size = begin + text.length
      return size
    },
    close: async (failed) => {
      const hasRows = size !== undefined && size > headSize
      const text = hasRows || (size !== undefined && format === 'json') ? foot : ''
      await writeAll(file, Buffer.from(text), size ?? 0).finally(() => file.close())
      if (failed === 0) return []
      return [
        `${failed} rows failed: those that could be read to their ends are in ${path}, each with its faults, to be corrected and imported again`,
      ]
    },
  }
}

/** On a disk that becomes full the first write is short, and only the next one fails. */
async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

function sentence({ row, line, productCode, field, reason }: Problem): string {
  const place = `row ${row}${line === null ? '' : ` (line ${line})`}${productCode === null ? '' : `, ${shown(productCode)}`}`
  return `${place}: ${field === null ? '' : `${shown(field)} `}${reason}`
}
