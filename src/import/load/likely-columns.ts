import { isObject } from '../../text.ts'
import type { ImportRequest } from '../options.ts'
import { presetFor, readsPresetImages } from '../presets/presets.ts'
import type { Cell } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import type { Layout } from './layout.ts'

const statusName = /^(product[ _-]?)?status$/i
/** Values of a status; the others are values of other columns, too. */
const statusValue = /^(active|inactive|draft|under review)$/i

/**
 * Notes columns that become attributes, though their names or values say that options should name them. Returns what
 * notes those that may have images or a status, by their values.
 */
export function noteLikelyColumns(
  columns: readonly string[],
  request: ImportRequest,
  attributeOf: Layout['attributeOf'],
  notes: Notes,
): (cells: readonly Cell[]) => void {
  // A preset that reads its images knows what the others are.
  if (readsPresetImages(request, columns)) return () => {}
  const preset = presetFor(columns)
  if (preset !== undefined && request.preset === undefined) {
    notes.add('likely_preset', { rows: 0, example: preset })
    return () => {}
  }
  const mayBeStatus = request.status === undefined && !columns.includes('status')
  const mapped = new Map(request.columnMappings)
  let unseen = columns.flatMap((column, at) => {
    if (mapped.has(column) || attributeOf(column) === undefined) return []
    if (mayBeStatus && statusName.test(column)) notes.add('likely_status', { column, rows: 0 })
    return [{ at, column, isFirst: true }]
  })
  return (cells) => {
    // Most rows have values in no more columns than those before them.
    if (unseen.every(({ at }) => firstValue(cells[at] ?? '') === undefined)) return
    unseen = unseen.filter((one) => {
      const { at, column, isFirst } = one
      const value = firstValue(cells[at] ?? '')
      if (value === undefined) return true
      one.isFirst = false
      const isImages = mayBeImages(value, column, isFirst)
      if (isImages) notes.add('likely_images', { column, rows: 0 })
      const isStatus = typeof value === 'string' && statusValue.test(value)
      if (mayBeStatus && isFirst && isStatus) notes.add('likely_status', { column, rows: 0 })
      // The first value may be one for no image.
      return !isImages && images.test(column)
    })
  }
}

const images =
  /image|img|photo|picture|enclosure|(^|[^a-z])(assets?|bild(er)?|fotos?|cover|gallery|galerie|media|thumbnails?)([^a-z]|$)/i
/** Names, in other languages too, of which others are parts: only a URL in such a column may be one of an image. */
const partOfImages =
  /bild|foto|thumb|swatch|galer[ií]a|visuel|billede|kuva|(^|[^a-z])k[eé]p(ek)?([^a-z]|$)|imagin[ei]|slik[ae]|pil[td]|nuotrauk|att[eē]l|afbeelding|immagin|im[aá]gen|zdj[eę]ci|obr[aá]z|resim|g[oö]rsel|pic(s|[^a-z]|url|$)|изображ|картин|фото|εικ[oόο]ν|φωτογρ|画像|写真|图片|圖片|이미지|사진|صور|תמונ|รูป|ảnh|снимк|зображен/i
const mediaType = /^(image\/[a-z+-]+|video\/mp4)$/i
const pictures = /^\s*\S+\.(jpe?g|png|gif|webp|avif)(\?\S*)?([\s,|;]|$)/i

/** The text of a cell, or the first value of its list; undefined if it has none. */
function firstValue(cell: Cell): unknown {
  if (typeof cell === 'string') return cell === '' ? undefined : cell
  return cell.find((item) => item !== null && item !== '')
}

function mayBeImages(first: unknown, column: string, isFirst: boolean): boolean {
  const text = isObject(first) ? (first.src ?? first.url ?? first.href) : first
  if (typeof text === 'string' && mediaType.test(text)) return false
  const isNamed = images.test(column)
  if (isNamed && isFirst) return typeof text !== 'string' || /[/.]/.test(text)
  if (typeof text !== 'string') return false
  return pictures.test(text) || ((isNamed || partOfImages.test(column)) && /^\s*https?:\/\//i.test(text))
}
