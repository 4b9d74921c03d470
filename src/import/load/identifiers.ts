import { productStatuses } from '../../catalogue/enumerations.ts'
import { shown } from '../../text.ts'
import type { ImportRequest } from '../options.ts'
import { presetStatus } from '../presets/presets.ts'
import { isQuoted } from '../read/record.ts'
import type { Cell, Fault, Reading, Row } from '../read/row.ts'
import type { Layout } from './layout.ts'

/** Whether a text has a blank at one of its ends. The first test takes no time. */
const hasBlankEnds = (text: string) =>
  (text.charCodeAt(0) <= 32 ||
    text.charCodeAt(0) >= 128 ||
    text.charCodeAt(text.length - 1) <= 32 ||
    text.charCodeAt(text.length - 1) >= 128) &&
  text.trim() !== text

/**
 * A reader of cells with codes and statuses: an unquoted cell of CSV loses blanks at its ends, as spreadsheets show
 * them. Elsewhere they are kept. Both are noted.
 */
export function identifierReader({ recognized, notes }: Reading): (row: Row, at: number) => Cell {
  return (row, at) => {
    const cell = row.cells[at] ?? ''
    if (typeof cell !== 'string' || !hasBlankEnds(cell)) return cell
    const column = row.columns[at] ?? null
    const isBare = recognized.format === 'csv' && !isQuoted(row.source, at, recognized.delimiter ?? ',')
    notes.add(isBare ? 'blanks_removed' : 'blanks_kept', { column, example: shown(cell) })
    return isBare ? cell.trim() : cell
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
