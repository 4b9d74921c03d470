import { productStatuses } from '../../catalogue/enumerations.ts'
import { shown } from '../../text.ts'
import type { ImportRequest } from '../options.ts'
import { presetStatus } from '../presets/presets.ts'
import { visible } from '../read/columns.ts'
import { isQuoted } from '../read/record.ts'
import type { Cell, Fault, Reading, Row } from '../read/row.ts'
import type { Layout } from './layout.ts'

const plain = /^[!-~]*$/
const blankEnds = /^\s|\s$/
const invisible = /[\p{Cc}\p{Cf}\u00a0\u202f]/u

/**
 * A reader of cells with codes and statuses: an unquoted cell of CSV loses blanks at its ends, as spreadsheets show
 * them. Other characters that nobody sees are kept. Both are noted.
 */
export function identifierReader({ recognized, notes }: Reading): (row: Row, at: number) => Cell {
  return (row, at) => {
    const cell = row.cells[at] ?? ''
    if (typeof cell !== 'string' || plain.test(cell)) return cell
    const column = row.columns[at] ?? null
    const hasBlankEnds = cell.trim() !== cell
    const isBare = hasBlankEnds && recognized.format === 'csv' && !isQuoted(row.source, at, recognized.delimiter ?? ',')
    if (isBare) notes.add('blanks_removed', { column, example: visible(cell) })
    const text = isBare ? cell.trim() : cell
    if (blankEnds.test(text)) notes.add('blanks_kept', { column, example: visible(text) })
    if (invisible.test(text.trim())) notes.add('invisible_characters', { column, example: visible(text) })
    return text
  }
}

/** A reader of statuses: in any case, and those of `mapStatus` and the preset. Another value fails its row later. */
export function statusReader(request: ImportRequest, layout: Layout, { notes }: Reading) {
  const named = new Map(request.statuses)
  return (cell: Cell, faults: Fault[]): string | null => {
    if (cell === '') return null
    if (typeof cell !== 'string') {
      faults.push({ field: layout.status, reason: `must be a status; got ${shown(cell)}` })
      return null
    }
    const lower = cell.toLowerCase()
    const mapped = named.get(cell) ?? presetStatus(request, lower)
    if (mapped !== undefined) return mapped
    if (lower === cell || !productStatuses.some((status) => status === lower)) return cell
    notes.add('status_case', { column: layout.status ?? null, example: shown(cell) })
    return lower
  }
}
