import { constants, type FileHandle, open } from 'node:fs/promises'
import type { ImportReport } from '../../import/import.ts'
import type { FailedRow, MappedRow } from '../../import/load/map-row.ts'
import type { Fault, Format } from '../../import/read/row.ts'
import { reportedRows, reportFormats } from '../../import/report/report-format.ts'
import { UsageError } from '../../import/usage-error.ts'
import { shown } from '../../text.ts'

export interface Report extends ImportReport {
  add(rows: readonly FailedRow[], length: number): Promise<number>
  /** Ends the report and returns the sentences that sum it up: none if no row has failed. */
  close(): Promise<string[]>
}

const mostShown = 20

/**
 * Starts the report of an import's failed rows: the first 20 faults and a count as sentences, or all of the rows in a file, in the format that they
 * came in. `from` is the length of the report that a resumed run has already. Throws a UsageError if the file cannot be written.
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
  const sentences: string[] = []
  let count = from
  return {
    begin: async () => {},
    add: async (rows, length) => {
      sentences.length = Math.min(sentences.length, length - from)
      count = length
      for (const { row, faults } of rows) {
        for (const fault of faults) if (sentences.length < mostShown) sentences.push(sentence(row, fault))
        count += faults.length
      }
      return count
    },
    close: async () => {
      const rest = count - from - sentences.length
      return rest > 0 ? [...sentences, `and ${rest} more problems; --errors FILE reports all of them`] : sentences
    },
  }
}

function reportInFile(path: string, file: FileHandle, format: Format, from: number): Report {
  const { head, between, foot, row: rowText } = reportFormats[format]
  let columns: readonly string[] = []
  let isBegun = false
  let size = 0
  let begin = 0
  /** The difference between the lengths that the caller knows and the file's, which may have been replaced meanwhile. */
  let shift = 0
  let count = 0
  let lost = 0
  let before = { length: -1, count, lost }
  return {
    begin: async (named) => {
      columns = named
      isBegun = true
      const text = Buffer.from(head(named))
      begin = text.length
      const { size: found } = await file.stat()
      size = from > 0 && found >= from ? from : begin
      shift = from > 0 && found < from ? from - begin : 0
      if (size === begin) await writeAll(file, text, 0)
      await file.truncate(size)
    },
    add: async (rows, length) => {
      if (length === before.length) ({ count, lost } = before)
      else before = { length, count, lost }
      size = length === 0 ? begin : length - shift
      await file.truncate(size)
      const parts: Buffer[] = []
      for (const reported of reportedRows(rows)) {
        if (size > begin || parts.length > 0) parts.push(Buffer.from(between))
        parts.push(Buffer.from(rowText(reported, columns)))
      }
      const whole = rows.flatMap(({ row }) => row.rows)
      lost += whole.filter(({ source }) => source === undefined).length
      const bytes = Buffer.concat(parts)
      await writeAll(file, bytes, size)
      size += bytes.length
      count += whole.length
      return size + shift
    },
    close: async () => {
      const end = isBegun && (size > begin || format === 'json') ? Buffer.from(foot) : Buffer.alloc(0)
      await writeAll(file, end, size).finally(() => file.close())
      if (count === 0) return []
      const missing = lost > 0 ? `; ${lost} of them are not there, as they could not be read to their ends` : ''
      return [
        `${count} rows failed: they are in ${path}, each with its faults, to be mended and imported again${missing}`,
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

function sentence({ number: first, rows, code }: MappedRow, { field, reason, row: number = first }: Fault): string {
  const line = rows.find((row) => row.number === number)?.line
  const place = `row ${number}${line === undefined ? '' : ` (line ${line})`}${code === undefined ? '' : `, ${shown(code)}`}`
  return `${place}: ${field === undefined ? '' : `${shown(field)} `}${reason}`
}
