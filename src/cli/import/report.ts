import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { messageOf } from '../../errors.ts'
import type { ImportReport } from '../../import/import-file.ts'
import type { Counts } from '../../import/position.ts'
import { type FailedRow, type Problem, problemOf } from '../../import/report/failed-row.ts'
import { type ReportSink, reportTo } from '../../import/report/report-to.ts'
import { UsageError } from '../../import/usage-error.ts'
import { shown } from '../../text.ts'
import { counted } from '../output.ts'

/** The report of an import's failed rows: sentences and, if the command names a file, all the rows in it. */
export interface Report extends ImportReport {
  add(rows: readonly FailedRow[], end: number): Promise<number>
  /** Adds to the sentences the problems of a chunk's failed rows, after its transaction. */
  addProblems(failedRows: readonly FailedRow[]): void
  /** Ends the report of so many failures and returns the sentences that sum it up: none if nothing has failed. */
  close(failed: Pick<Counts, 'failed' | 'assetsFailed'>): Promise<string[]>
}

/**
 * Starts the report of an import's failed rows. `path` is that of the file, and `from` its end in a resumed run.
 * Throws a UsageError if the file cannot be written.
 */
export async function startReport(path: string | undefined, from: number): Promise<Report> {
  const { end, ...file } = path === undefined ? noFile : await openFile(path, from)
  const problems = collectProblems()
  let isPartial = false
  return {
    ...file,
    addProblems: (failedRows) => {
      isPartial ||= failedRows.some(
        ({ row: { product, assetFaults } }) => product !== undefined && assetFaults.length > 0,
      )
      problems.add(failedRows)
    },
    close: async ({ failed, assetsFailed }) => {
      await end()
      const assets = assetsFailed === 0 ? '' : `, and ${counted(assetsFailed, 'asset')} of other rows`
      const total = `${counted(failed, 'row')} failed${assets}: correct these rows in ${path}, and import that file`
      return [
        ...problems.sentences(path === undefined ? '; --errors FILE reports all of them' : ''),
        ...(path !== undefined && failed + assetsFailed > 0 ? [total] : []),
        ...(isPartial ? ['if only asset URLs of a row are invalid, its product and other assets are imported'] : []),
      ]
    },
  }
}

const noFile: ReportFile = { begin: async () => {}, add: async () => 0, end: async () => {} }

interface ReportFile extends Pick<Report, 'begin' | 'add'> {
  end(): Promise<void>
}

/** Opens the file of a report. Wrong usage changes nothing: an earlier report is kept until `begin`. */
async function openFile(path: string, from: number): Promise<ReportFile> {
  const { file, isNew } = await opened(path)
  const sink: ReportSink = {
    append: async (at, text) => {
      await file.truncate(at)
      await writeAll(file, text, at)
      return at + text.length
    },
    hasHead: true,
  }
  const report = reportTo(sink, from)
  return {
    begin: async (columns, recognized) => {
      await file.truncate(from)
      await report.begin(columns, recognized)
    },
    add: (rows, end) => report.add(rows, end),
    end: async () => {
      const hasBegun = await report.end().finally(() => file.close())
      if (!hasBegun && isNew) await rm(path)
    },
  }
}

async function opened(path: string): Promise<{ file: FileHandle; isNew: boolean }> {
  const { O_RDWR, O_CREAT, O_EXCL } = constants
  try {
    const created = await open(path, O_RDWR | O_CREAT | O_EXCL).catch(() => undefined)
    return { file: created ?? (await open(path, O_RDWR | O_CREAT)), isNew: created !== undefined }
  } catch (error) {
    throw new UsageError(`--errors ${path} cannot be written: ${messageOf(error)}`)
  }
}

/** On a disk that becomes full the first write is short, and only the next one fails. */
async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

const maxKinds = 20

/** The first of the problems of each of 20 kinds, with their number. */
function collectProblems() {
  const kinds = new Map<string, { first: Problem; count: number }>()
  let others = 0
  return {
    add: (failedRows: readonly FailedRow[]) => {
      for (const { row, faults } of failedRows) {
        for (const fault of faults) {
          // Whatever value came.
          const kind = `${fault.field} ${fault.expected}`
          const known = kinds.get(kind)
          if (known) known.count++
          else if (kinds.size < maxKinds) kinds.set(kind, { first: problemOf(row, fault), count: 1 })
          else others++
        }
      }
    },
    sentences: (whereAllAre: string) => [
      ...Array.from(kinds.values(), ({ first, count }) =>
        count === 1 ? sentence(first) : `${sentence(first)} (and ${count - 1} more of this kind)`,
      ),
      ...(others > 0 ? [`and ${others} more problems${whereAllAre}`] : []),
    ],
  }
}

function sentence({ row, line, productCode, field, reason }: Problem): string {
  const place = `row ${row}${line === null ? '' : ` (line ${line})`}${productCode === null ? '' : `, ${shown(productCode)}`}`
  return `${place}: ${field === null ? '' : `${shown(field)} `}${reason}`
}
