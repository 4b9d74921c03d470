import { errorColumns } from '../../request/csv/attribute-column.ts'
import { shown, unicodeEscape } from '../../text.ts'
import { UsageError } from '../usage-error.ts'
import { maxColumnLength, maxColumns } from './limits.ts'

/**
 * Whether a row repeats the header, as in files that were joined: with blanks or separators at its end, too. In a
 * report of failed rows such a row has errors in the columns that the report has added.
 */
export function isHeader(cells: readonly string[], columns: readonly string[]): boolean {
  const isName = (column = '', i: number) => errorColumns.includes(column) || (cells[i] ?? '').trim() === column.trim()
  // Most rows differ at their end.
  return isName(columns.at(-1), columns.length - 1) && columns.every(isName)
}

export const headerAgain = { expected: 'must be a row of values', got: 'the header again' }

/** The columns of a header. Throws a UsageError if there are too many, or one twice, or with too long a name. */
export function checkColumns(columns: string[]): string[] {
  if (columns.length > maxColumns) {
    throw new UsageError(`the file must have at most ${maxColumns} columns; got ${columns.length}`)
  }
  const longest = Math.max(...columns.map(({ length }) => length))
  if (longest > maxColumnLength) {
    throw new UsageError(`a column's name must have at most ${maxColumnLength} characters; one has ${longest}`)
  }
  // A report may have got its own columns twice: an import ignores them all.
  const names = columns.filter((column) => column !== '' && !errorColumns.includes(column))
  const known = new Set<string>()
  const repeated = new Set(names.filter((column) => known.size === known.add(column).size))
  if (repeated.size === 0) return columns
  throw new UsageError(`the header names columns twice: ${[...repeated].map(shown).join(', ')}`)
}

/** `product_code`, else `sku`; in upper case only if neither is there in lower case. */
export function defaultCode(columns: readonly string[]): string | undefined {
  const names = ['product_code', 'sku']
  return (
    names.find((name) => columns.includes(name)) ??
    names.flatMap((name) => columns.filter((column) => column.toLowerCase() === name))[0]
  )
}

/** The names of columns, for a message. */
export function listed(columns: readonly string[]): string {
  if (columns.length === 0) return 'no columns'
  const most = 100
  const rest = columns.length > most ? ` and ${columns.length - most} more` : ''
  return `the columns ${columns.slice(0, most).map(visible).join(', ')}${rest}`
}

const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/gu

/** Whether the text has characters that nobody sees. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0
}

/** The text with characters that nobody sees written as escapes. */
export function visible(text: string): string {
  return shown(text).replaceAll(invisible, unicodeEscape)
}
