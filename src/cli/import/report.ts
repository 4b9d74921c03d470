import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { messageOf } from '../../errors.ts'
import type { ImportReport } from '../../import/import.ts'
import type { FailedRow } from '../../import/load/map-row.ts'
import type { Counts } from '../../import/position.ts'
import { type Problem, problemsOf } from '../../import/report/problems.ts'
import { type ReportFormat, reportFormat, reportText } from '../../import/report/report-format.ts'
import { UsageError } from '../../import/usage-error.ts'
import { shown } from '../../text.ts'
import { counted } from '../output.ts'

export interface Report extends ImportReport {
  add(rows: readonly FailedRow[], length: number): Promise<number>
  /** Ends the report of so many failed rows and returns the sentences that sum it up: none if no row has failed. */
  close(failed: Pick<Counts, 'failed' | 'assetsFailed'>): Promise<string[]>
}

const maxShown = 20

/**
 * Starts the report of an import's failed rows: the first 20 faults and a count as sentences, or a file of all the rows
 * as they came. `from` is the length of a resumed run's report. Throws a UsageError if the file cannot be written.
 */
export async function startReport(path: string | undefined, from: number): Promise<Report> {
  if (path === undefined) return withNote(reportInSentences(from))
  const { file, isNew } = await opened(path)
  const report = reportInFile(path, file, from)
  let hasBegun = false
  const begin: ImportReport['begin'] = async (columns, recognized) => {
    hasBegun = true
    await report.begin(columns, recognized)
  }
  const close: Report['close'] = async (failed) => {
    if (hasBegun) return report.close(failed)
    await file.close()
    if (isNew) await rm(path)
    return []
  }
  return withNote({ ...report, begin, close })
}

/** Opens the file of a report. Wrong usage changes nothing: an earlier report is kept until `begin`. */
async function opened(path: string): Promise<{ file: FileHandle; isNew: boolean }> {
  const { O_RDWR, O_CREAT, O_EXCL } = constants
  try {
    const created = await open(path, O_RDWR | O_CREAT | O_EXCL).catch(() => undefined)
    return { file: created ?? (await open(path, O_RDWR | O_CREAT)), isNew: created !== undefined }
  } catch (error) {
    throw new UsageError(`--errors ${path} cannot be written: ${messageOf(error)}`)
  }
}

/** Says at its end, if it applies, that failed rows are in the catalogue in part. */
function withNote(report: Report): Report {
  let isPartial = false
  return {
    ...report,
    add: (rows, length) => {
      isPartial ||= rows.some(({ row: { product, assetFaults } }) => product !== undefined && assetFaults.length > 0)
      return report.add(rows, length)
    },
    close: async (failed) => {
      const sentences = await report.close(failed)
      return isPartial
        ? [...sentences, 'if only asset URLs of a row are invalid, its product and other assets are imported']
        : sentences
    },
  }
}

/** The first of the faults of each of 20 kinds, with their number. */
function createKinds() {
  let kinds = new Map<string, { first: Problem; count: number }>()
  /** Those before the last chunk, which is added again when its transaction is retried. */
  let before = kinds
  let inAll = 0
  let inAllBefore = 0
  return {
    add: (problems: readonly Problem[], isNext: boolean) => {
      if (isNext) {
        before = kinds
        inAllBefore = inAll
      }
      kinds = new Map(before)
      for (const problem of problems) {
        const kind = kindOf(problem)
        const known = kinds.get(kind)
        if (known) kinds.set(kind, { ...known, count: known.count + 1 })
        else if (kinds.size < maxShown) kinds.set(kind, { first: problem, count: 1 })
      }
      inAll = inAllBefore + problems.length
    },
    sentences: (whereAllAre: string) => {
      const shownOnes = [...kinds.values()]
      const rest = shownOnes.reduce((left, { count }) => left - count, inAll)
      return [
        ...shownOnes.map(({ first, count }) =>
          count === 1 ? sentence(first) : `${sentence(first)} (and ${count - 1} more of this kind)`,
        ),
        ...(rest > 0 ? [`and ${rest} more problems${whereAllAre}`] : []),
      ]
    },
  }
}

/** The length of this report is its number of faults. */
function reportInSentences(from: number): Report {
  const kinds = createKinds()
  let count = from
  return {
    begin: async () => {},
    add: async (rows, length) => {
      const found = problemsOf(rows)
      kinds.add(found, length === count)
      count = length + found.length
      return count
    },
    close: async () => kinds.sentences('; --errors FILE reports all of them'),
  }
}

/** What is wrong, without the value that came. */
function kindOf({ field, reason }: Problem): string {
  return `${field} ${reason.replace(/; got .*$/s, '')}`
}

function reportInFile(path: string, file: FileHandle, from: number): Report {
  let format: ReportFormat | undefined
  let columns: readonly string[] = []
  let headSize = 0
  let size = 0
  const kinds = createKinds()
  return {
    begin: async (named, recognized) => {
      columns = named
      format = reportFormat(recognized)
      const text = Buffer.from(format.head(named))
      headSize = text.length
      size = from || headSize
      if (from === 0) await writeAll(file, text, 0)
      await file.truncate(size)
    },
    add: async (rows, length) => {
      const begin = length || headSize
      kinds.add(problemsOf(rows), begin === size)
      await file.truncate(begin)
      const text = format ? reportText(format, columns, rows, begin === headSize) : Buffer.alloc(0)
      await writeAll(file, text, begin)
      size = begin + text.length
      return size
    },
    close: async ({ failed, assetsFailed }) => {
      const text = size > headSize || format?.isWhole ? (format?.foot ?? '') : ''
      await writeAll(file, Buffer.from(text), size).finally(() => file.close())
      if (failed + assetsFailed === 0) return []
      const assets = assetsFailed === 0 ? '' : `, and ${counted(assetsFailed, 'asset')} of other rows`
      return [
        ...kinds.sentences(''),
        `${counted(failed, 'row')} failed${assets}: correct these rows in ${path}, and import that file`,
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
