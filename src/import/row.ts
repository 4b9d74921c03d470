/** What stands in one column of a row: a text, which is empty where there is nothing, or a list out of JSON. */
export type Cell = string | readonly unknown[]

/** Where an entry stands: the number of its row, from 1, and the line that it begins on, where the format has lines. */
interface Place {
  number: number
  line: number | undefined
}

/** A row that could be read: its cells by column, whatever format it came in. `size` is about its length in characters. */
export interface Row extends Place {
  cells: ReadonlyMap<string, Cell>
  size: number
}

/** A row that could not be read. The rest of the file goes on behind it, unless `ends`. */
export interface UnreadableRow extends Place {
  field: string | undefined
  reason: string
  ends: boolean
}

/** Something that is wrong with a row, at a column of the file if it lies in one. */
export interface Fault {
  field: string | undefined
  reason: string
}

export interface RowSource {
  /** The columns that every row has; undefined where each row names its own. */
  columns: readonly string[] | undefined
  rows: AsyncIterable<Row | UnreadableRow>
}

/** The longest row that is read, in characters: longer ones are taken for a quote or bracket that was never closed. */
export const longestRow = 10 * 1024 * 1024
