import { jsonRow } from './json-row.ts'
import { BrokenFile, type Entry, maxColumns, maxRowLength } from './row.ts'
import { parseXml } from './xml.ts'

const itemNames = new Set(['item', 'entry'])

/**
 * Reads the items of a feed (RSS or Atom). An element becomes a column of its name without prefix, one in another
 * `outer.inner`, and one that comes several times a list.
 */
export async function* readXml(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry[]> {
  let rows: Entry[] = []
  let number = 0
  let item: Map<string, string[]> | undefined
  let path: string[] = []
  let text = ''
  let size = 0
  let hasInner = false
  const open = (name: string) => {
    if (item) path.push(name)
    else if (itemNames.has(name)) {
      item = new Map()
      path = []
      size = 0
    }
    text = ''
    hasInner = false
  }
  const addText = (more: string) => {
    if (!item) return
    text += more
    size += more.length
    if (size > maxRowLength) throw new BrokenFile(`the row has more than ${maxRowLength} characters`)
  }
  const close = () => {
    if (!item) return
    if (path.length > 0) {
      const column = path.join('.')
      if (!hasInner) item.set(column, [...(item.get(column) ?? []), text.trim()])
      path.pop()
      hasInner = true
    } else {
      const value = Object.fromEntries(
        [...item].map(([column, texts]) => [column, texts.length > 1 ? texts : texts[0]]),
      )
      const place = { number: ++number }
      const isWide = item.size > maxColumns
      rows.push(
        isWide
          ? { ...place, reason: `must have at most ${maxColumns} columns`, source: { value } }
          : jsonRow(value, place, { value }, size),
      )
      item = undefined
    }
    text = ''
  }
  for await (const _part of parseXml(chunks, { open, text: addText, close })) {
    if (rows.length > 0) yield rows
    rows = []
  }
}
