import { type FileHandle, open } from 'node:fs/promises'
import { extname } from 'node:path'
import { shown } from '../catalog/text.ts'
import { UsageError } from './usage-error.ts'

/** One thing that is wrong with one row. */
export interface Problem {
  /** The row's number in the file, from 1; header and blank lines do not count. */
  row: number
  line: number | undefined
  code: string | undefined
  /** The column that it lies in; undefined: the row as a whole. */
  field: string | undefined
  reason: string
}

export interface Report {
  add(problems: readonly Problem[]): Promise<void>
  /** Ends the report and returns the sentences that sum it up: nothing for a file without problems. */
  close(): Promise<string[]>
}

const mostShown = 20

/**
 * Starts the report of an import's problems: all of them in a file (CSV if its name ends so, else JSON Lines), or the first 20 and a count
 * as sentences. Throws a UsageError when the file cannot be written.
 */
export async function startReport(path: string | undefined): Promise<Report> {
  if (path === undefined) return reportInSentences()
  const file = await open(path, 'w').catch((error: unknown) => {
    throw new UsageError(`--errors ${path} cannot be written: ${error instanceof Error ? error.message : error}`)
  })
  return reportInFile(path, file)
}

function reportInSentences(): Report {
  const sentences: string[] = []
  let count = 0
  return {
    add: async (problems) => {
      sentences.push(...problems.slice(0, mostShown - sentences.length).map(sentence))
      count += problems.length
    },
    close: async () => {
      const rest = count - sentences.length
      return rest > 0 ? [...sentences, `and ${rest} more problems; --errors FILE reports all of them`] : sentences
    },
  }
}

async function reportInFile(path: string, file: FileHandle): Promise<Report> {
  const asLine = extname(path).toLowerCase() === '.csv' ? csvLine : jsonLine
  let count = 0
  if (asLine === csvLine) await file.appendFile('row,line,code,field,reason\n')
  return {
    add: async (problems) => {
      if (problems.length > 0) await file.appendFile(problems.map(asLine).join(''))
      count += problems.length
    },
    close: async () => {
      await file.close()
      return count > 0 ? [`${count} problems are reported in ${path}`] : []
    },
  }
}

function sentence({ row, line, code, field, reason }: Problem): string {
  const where = `row ${row}${line === undefined ? '' : ` (line ${line})`}${code === undefined ? '' : `, ${shown(code)}`}`
  return `${where}: ${field === undefined ? '' : `${shown(field)} `}${reason}`
}

function jsonLine({ row, line = null, code = null, field = null, reason }: Partial<Nullable<Problem>>): string {
  return `${JSON.stringify({ row, line, code, field, reason })}\n`
}

type Nullable<T> = { [K in keyof T]: T[K] | null }

function csvLine({ row, line, code, field, reason }: Problem): string {
  return `${[row, line, code, field, reason].map((value) => csvCell(String(value ?? ''))).join(',')}\n`
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
