import { maxColumns } from '../limits.ts'
import { columnIndex } from './cell-text.ts'

const picture = /\bIMAGE\(/i
const sharedIndex = / si="(\d+)"/
const range = / ref="[A-Z]+\d+:([A-Z]+)(\d+)"/
/** Beyond it any cell of a shared formula may show a picture. */
const maxShared = 100_000

/**
 * A finder of cells that show a picture by a formula: it has no text as its result. A cell may have the formula of an
 * earlier one (`si`), or be filled by that of another one (`ref`). Formulas have their attributes before their text.
 */
export function pictureFinder() {
  const shared = new Set<number>()
  /** By column: the last line that an array of pictures fills. */
  const filled = new Int32Array(maxColumns)
  return (formula: string | undefined, at: number, line: number): boolean => {
    if (formula === undefined) return line <= (filled[at] ?? 0)
    const index = Number(sharedIndex.exec(formula)?.[1] ?? -1)
    if (!picture.test(formula)) return index >= 0 && (shared.has(index) || shared.size === maxShared)
    if (index >= 0 && shared.size < maxShared) shared.add(index)
    const [, column, last] = / t="array"/.test(formula) ? (range.exec(formula) ?? []) : []
    if (column !== undefined) filled.fill(Number(last), at, columnIndex(column) + 1)
    return true
  }
}
