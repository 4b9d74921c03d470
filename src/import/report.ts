import { constants, type FileHandle, open } from 'node:fs/promises'
import { shown } from '../catalog/text.ts'
import type { Format } from './format.ts'
import type { FailedRow, MappedRow } from './map-row.ts'
import { reportedRows, reportFormats } from './report-format.ts'
import type { Fault } from './row.ts'
import { UsageError } from './usage-error.ts'

export interface Report {
  /** Begins the report of a file with these columns. */
  begin(columns: readonly string[]): Promise<void>
  /**
   * Adds rows behind what it held when it was so long, and returns how long it is with them: what was added by an attempt that
   * failed is written over.
   */
  add(rows: readonly FailedRow[], behind: number): Promise<number>
  /** Ends the report and returns the sentences that sum it up: nothing for a file without problems. */
  close(): Promise<string[]>
}

const mostShown = 20

/**
 * Starts the report of an import's failed rows: the first 20 faults and a count as sentences, or all of the rows in a file, in the format that they
 * came in. `from` is how much of a report that is gone on with there is. Throws a UsageError when the file cannot be written.
 */
export async function startReport(path: string | undefined, format: Format, from: number): Promise<Report> {
  if (path === undefined) return reportInSentences(from)
  // An earlier report stays until this one begins: what is wrong usage changes nothing.
  const file = await open(path, constants.O_RDWR | constants.O_CREAT).catch((error: unknown) => {
    throw new UsageError(`--errors ${path} cannot be written: ${error instanceof Error ? error.message : error}`)
  })
  return reportInFile(path, file, format, from)
}

function reportInSentences(from: number): Report {
  const sentences: string[] = []
  let count = from
  return {
    begin: async () => {},
    add: async (rows, behind) => {
      sentences.length = Math.min(sentences.length, behind - from)
      count = behind
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

async function reportInFile(path: string, file: FileHandle, format: Format, from: number): Promise<Report> {
  const { head, between, foot, row: rowText } = reportFormats[format]
  let columns: readonly string[] = []
  let isBegun = false
  let size = 0
  let begin = 0
  /** By how much the lengths that the caller knows differ from the file's: it may have been replaced meanwhile. */
  let shift = 0
  let count = 0
  let lost = 0
  let before = { behind: -1, count, lost }
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
    add: async (rows, behind) => {
      if (behind === before.behind) ({ count, lost } = before)
      else before = { behind, count, lost }
      size = behind === 0 ? begin : behind - shift
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
      const unreported = lost > 0 ? `; ${lost} of them could not be read so far as to be there` : ''
      return [
        `${count} rows failed: they are in ${path}, each with what is wrong with it, to be mended and imported again${unreported}`,
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
  const where = `row ${number}${line === undefined ? '' : ` (line ${line})`}${code === undefined ? '' : `, ${shown(code)}`}`
  return `${where}: ${field === undefined ? '' : `${shown(field)} `}${reason}`
}
