/** What stands in one column of a row: a text, which is empty where there is nothing, or a list out of JSON. */
export type Cell = string | readonly unknown[]

/** A row as it stands in its file: the text, the bytes where they are no UTF-8, or the value of a JSON list. */
export type Source = string | Buffer | { value: unknown }

/** Where a row stands: its number in the file, from 1, and the line that it begins on, where the format has lines. */
export interface Place {
  number: number
  line: number | undefined
}

/** A row that could be read, whatever format it came in: what stands in each of its columns. `size` is about its length in characters. */
export interface Row extends Place {
  columns: readonly string[]
  cells: readonly Cell[]
  size: number
  source: Source
  /** The rows of the file that this one was joined of, if it was. */
  rows?: readonly (Row | UnreadableRow)[]
  /** What was found to be wrong with it already. */
  faults?: readonly Fault[]
}

/** A row that could not be read. The rest of the file goes on behind it, unless `ends`. */
export interface UnreadableRow extends Place {
  field: string | undefined
  reason: string
  ends: boolean
  /** What its cells seem to be, where that can be told. */
  found?: readonly Cell[]
  /** Undefined where it cannot be told where the row ends. */
  source: Source | undefined
}

export type Entry = Row | UnreadableRow

/** Something that is wrong with a row, at a column of the file if it lies in one. */
export interface Fault {
  field: string | undefined
  reason: string
  /** The number of the row that it lies in, where that is not the first of several that were joined. */
  row?: number | undefined
}

export interface RowSource {
  /** The columns that every row has; undefined where each row names its own. */
  columns: readonly string[] | undefined
  /** The rows in order, some at a time. */
  rows: AsyncIterable<Entry[]>
}

/** The longest row that is read, in characters: longer ones are taken for a quote or bracket that was never closed. */
export const longestRow = 10 * 1024 * 1024
