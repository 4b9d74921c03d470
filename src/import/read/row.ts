import type { Notes } from '../report/notes.ts'

/** The formats of files that can be imported, by the extensions of their names. */
export const formats = ['csv', 'jsonl', 'json', 'xlsx', 'xml'] as const
export type Format = (typeof formats)[number]

export const encodings = ['UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** How a file is written, as far as it is known. */
export interface Recognized {
  format: Format
  encoding?: Encoding
  /** Whether it begins with a byte-order mark. */
  bom?: true
  delimiter?: string
  sheet?: string
}

/** The content of a column in a row: a text, which is empty where there is none, or a JSON list. */
export type Cell = string | readonly unknown[]

/** A row as the file has it: its bytes, one a character (CSV), its text (JSON Lines), a value, or its cells. */
export type Source = string | { value: unknown }

/** The position of a row: its number in the file, from 1, and the line that it begins on, if the format has lines. */
export interface RowPosition {
  number: number
  line?: number | undefined
}

/** A row that could be read, in any format. `size` is about its length in characters. */
export interface Row extends RowPosition {
  columns: readonly string[]
  cells: readonly Cell[]
  /** The columns whose cells are numbers of their format, not texts. */
  numbers?: ReadonlySet<string>
  size: number
  source: Source
  /** Which of several rows of its product it is, if a preset knows. */
  part?: string
  /** The rows of the file that a preset has joined to this one. */
  rows?: readonly Entry[]
  /** What a preset found to be wrong with it. */
  faults?: readonly Fault[]
}

export interface UnreadableRow extends RowPosition {
  field?: string | undefined
  reason: string
  /** Whether the file cannot be read after it. */
  ends?: boolean
  /** Its cells as far as they are known. */
  found?: readonly Cell[]
  /** Undefined if the end of the row is not known. */
  source?: Source | undefined
}

export type Entry = Row | UnreadableRow

/** Something that is wrong with a row, in a column of the file or in the whole row. */
export interface Fault {
  field?: string | undefined
  reason: string
  /** The number of the row that has the fault, if it is not the first of several that were joined. */
  row?: number | undefined
}

export interface RowSource {
  /** The columns of every row; undefined if each row names its own. */
  columns: readonly string[] | undefined
  /** The rows in order, in blocks. */
  rows: AsyncGenerator<Entry[]>
}

/** What reads a file: its options, and what it finds out. */
export interface Reading {
  recognized: Recognized
  notes: Notes
  /** The separator of cells; undefined: the file shows it. */
  delimiter?: string | undefined
  /** The encoding that an option gives; undefined: the bytes show it. */
  encoding?: Encoding | undefined
  /** Whether cells of CSV lose the apostrophe that an export put before a formula. */
  unescapeFormulas: boolean
  /** The keys to the list in a JSON file, and the option that gives them. */
  at?: string | undefined
  atOption: string
  formatOption: string
  /** The sheet of a spreadsheet, by default the first, and the option that names it. */
  sheet?: string | undefined
  sheetOption: string
}

/** The file cannot be read after this point; the rows before it are valid. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.line = line
  }
}

/** The longest row that is read, in bytes: in a longer one a quote or bracket was probably never closed. */
export const maxRowLength = 10 * 1024 * 1024

/** Work on a row must not take long: these bound it. Items of lists are values too. */
export const maxColumns = 5_000
export const maxValues = 100_000
export const maxUrls = 10_000
/** The name of an attribute, with the prefix that an export may add. */
export const maxColumnLength = 300
