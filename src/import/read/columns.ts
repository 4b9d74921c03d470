import { errorColumns } from '../../request/csv/attribute-column.ts'
import { shown } from '../../text.ts'
import { UsageError } from '../usage-error.ts'
import { maxColumnLength, maxColumns } from './row.ts'

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
