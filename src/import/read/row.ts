import { shown } from '../../text.ts'
import type { Encoding, Format, ImportRequest } from '../options.ts'
import type { Notes } from '../report/notes.ts'

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
  /** The places in the file of these columns, if a preset has left out others. */
  places?: readonly number[]
  /** The columns whose cells are numbers of their format, not texts. */
  numbers?: ReadonlySet<string>
  size: number
  source: Source
  /** Which of several rows of its product it is, if a preset knows. */
  part?: string
  /** The rows of the file that a preset has joined to this one. */
  rows?: readonly Entry[]
  /** What a preset found to be wrong with it. */
  faults?: readonly RowFault[]
}

export interface UnreadableRow extends RowPosition {
  fault: RowFault
  /** Whether the file cannot be read after it. */
  ends?: boolean
  /** Its cells as far as they are known. */
  found?: readonly Cell[]
  /** Undefined if the end of the row is not known. */
  source?: Source | undefined
}

export type Entry = Row | UnreadableRow

/** Something that is wrong with a row, in a column of the file or in the whole row: what is expected, and what came. */
export interface RowFault {
  field?: string | undefined
  expected: string
  got?: string | undefined
  /** The number of the row that has the fault, if it is not the first of several that were joined. */
  row?: number | undefined
}

/** The fault as a sentence, without its column. */
export function sentenceOf({ expected, got }: RowFault): string {
  return got === undefined ? expected : `${expected}; got ${got}`
}

/** The fault of a value, of which a rule of the catalogue says in a sentence what is expected and what came. */
export function ruleFault(sentence: string, value: unknown): RowFault {
  // The value may have the words between the two in it.
  const end = `; got ${shown(value)}`
  const at = sentence.endsWith(end) ? sentence.length - end.length : sentence.lastIndexOf('; got ')
  return at < 0
    ? { expected: sentence }
    : { expected: sentence.slice(0, at), got: sentence.slice(at + '; got '.length) }
}

export interface RowSource {
  /** The columns of every row; undefined if each row names its own. */
  columns: readonly string[] | undefined
  /** The rows in order, in blocks. */
  rows: AsyncGenerator<Entry[]>
}

/** Opens a file again. One that is a stream, such as a pipe, can be read once. */
export type Reopen = () => AsyncIterable<Buffer>

export type ReadOptions = Pick<
  ImportRequest,
  'file' | 'format' | 'encoding' | 'delimiter' | 'at' | 'sheet' | 'style' | 'code'
> &
  Partial<Pick<ImportRequest, 'unescapeFormulas'>>

/** How a file is written, as far as it is known. */
export interface Recognized {
  format: Format
  encoding?: Encoding
  /** Whether it begins with a byte-order mark. */
  bom?: true
  delimiter?: string
  sheet?: string
}

/** What reads a file: its options, and what it finds out. */
export interface Reading {
  options: ReadOptions
  recognized: Recognized
  notes: Notes
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
