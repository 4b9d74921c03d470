import type { Cell, Row, RowFault } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'

/** The names of columns, in exports until 2025 and since. */
export const imageColumns = ['Image Src', 'Product image URL']
export const positionColumns = ['Image Position', 'Image position']
export const altColumns = ['Image Alt Text', 'Image alt text']

/** The index of the first of some names that a row has. */
export function indexOf(columns: readonly string[], names: readonly string[]): number {
  return columns.findIndex((column) => names.includes(column))
}

interface Image {
  url: Cell
  alt: Cell
  position: number
}

/**
 * The URLs of a product's images in the order of their positions; then those without one, in the order of their rows.
 * Each is there once, as in the group that they become: with its first text. `alt` are their texts.
 */
export function imagesOf(rows: readonly Row[], faults: RowFault[], notes: Notes): { urls: Cell[]; alt: Cell } {
  const images: Image[] = []
  const others: { alt: Cell; row: number }[] = []
  for (const row of rows) {
    // A file of two exports may have both columns, one of them empty.
    const cellOf = (names: readonly string[]) =>
      row.cells.find((cell, i) => cell !== '' && names.includes(row.columns[i] ?? '')) ?? ''
    const [url, alt] = [cellOf(imageColumns), cellOf(altColumns)]
    if (url !== '') images.push({ url, alt, position: positionOf(row, faults) })
    else if (alt !== '') others.push({ alt, row: row.number })
  }
  const distinct = new Map<string, Image>()
  for (const image of images.sort((a, b) => a.position - b.position)) {
    const url = String(image.url).trim()
    const known = distinct.get(url)
    if (!known) distinct.set(url, image)
    else if (known.alt === '') known.alt = image.alt
    else if (image.alt !== '' && image.alt !== known.alt) notes.add('repeated_images', { example: url })
  }
  const found = [...distinct.values()]
  // Without any other text, that of a row without an image is the product's.
  const alt = altOf(found) || (others[0]?.alt ?? '')
  for (const other of others) {
    if (![alt].flat().includes(other.alt)) notes.add('repeated_images', { example: `row ${other.row}` })
  }
  return { urls: found.map(({ url }) => url), alt }
}

/** The text of the only image, or a list of one for each; empty if none has one. */
function altOf(images: readonly Image[]): Cell {
  if (images.every(({ alt }) => alt === '')) return ''
  return images.length > 1 ? images.map(({ alt }) => alt) : (images[0]?.alt ?? '')
}

function positionOf(row: Row, faults: RowFault[]): number {
  const at = indexOf(row.columns, positionColumns)
  const text = row.cells[at] || ''
  if (text === '') return Number.MAX_SAFE_INTEGER
  if (typeof text === 'string' && /^\s*\d{1,9}(\.0+)?\s*$/.test(text)) return Number(text)
  const fault = { field: row.columns[at], expected: 'must be a whole number', got: JSON.stringify(text) }
  faults.push({ ...fault, row: row.number })
  return 0
}
