import type { ImportRequest } from '../options.ts'
import { presetFor } from '../presets/presets.ts'
import type { Row } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import type { Layout } from './layout.ts'

const images =
  /image|img|photo|picture|enclosure|(^|[^a-z])(bild(er)?|fotos?|cover|gallery|galerie|media|thumbnails?)([^a-z]|$)/i

/** Notes columns of a row that become attributes, though their names say that options should name them. */
export function addHints({ columns, cells }: Row, request: ImportRequest, layout: Layout, notes: Notes): void {
  if (request.preset !== undefined) return
  const preset = presetFor(columns)
  if (preset !== undefined) {
    notes.add('likely_preset', { rows: 0, example: preset })
    return
  }
  const mapped = new Map(request.attributes)
  for (const [at, column] of columns.entries()) {
    if (mapped.has(column) || layout.attributeOf(column) === undefined) continue
    const cell = cells[at] ?? ''
    const mayBeUrl = cell === '' || typeof cell !== 'string' || /[/.]/.test(cell)
    if (images.test(column) && mayBeUrl) notes.add('likely_images', { column, rows: 0 })
    const isStatus = request.status === undefined && !columns.includes('status') && status.test(column)
    if (isStatus) notes.add('likely_status', { column, rows: 0 })
  }
}

const status = /^(product[ _-]?)?status$/i
