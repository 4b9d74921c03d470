import { isAscii } from 'node:buffer'
import { shown } from '../../text.ts'
import { UsageError } from '../usage-error.ts'
import { jsonRow } from './json-row.ts'
import { maxColumns, maxRowLength } from './limits.ts'
import { BrokenFile, type Entry, type Reading, type RowFault } from './row.ts'
import { localName, parseXml } from './xml.ts'

const itemNames = new Set(['item', 'entry'])

/** An open element of an item: its column, also with the prefixes of the names, and what it has so far. */
interface Element {
  column: string
  fullName: string
  text: string
  hasElements: boolean
  hasAttributes: boolean
}

/**
 * Reads the items of a feed (RSS or Atom). An element becomes a column of its name without prefix, one in another
 * `outer.inner`, an attribute `outer.@name`, and an element that comes several times a list. Throws a UsageError if
 * there is no item.
 */
export async function* readXml(chunks: AsyncIterable<Buffer>, reading: Reading): AsyncGenerator<Entry[]> {
  let rows: Entry[] = []
  let number = 0
  let root: string | undefined
  let declared = ''
  let isBeyondAscii = false
  let item: Item | undefined
  const open = (name: string, attributes: Readonly<Record<string, string>>, fullName: string) => {
    root ??= fullName
    if (!item && itemNames.has(name)) item = new Item(attributes)
    else item?.open(name, attributes, fullName)
  }
  const close = () => {
    if (!item?.close()) return
    requireDeclared(declared, reading, number)
    rows.push(item.row(++number))
    item = undefined
  }
  async function* watched() {
    for await (const chunk of chunks) {
      isBeyondAscii ||= !isAscii(chunk)
      yield chunk
    }
  }
  try {
    const declare = (encoding: string) => {
      declared = encoding
    }
    for await (const _part of parseXml(watched(), { declare, open, text: (text) => item?.addText(text), close })) {
      if (rows.length > 0) yield rows
      rows = []
    }
  } catch (error) {
    yield rows
    throw error
  } finally {
    if (isBeyondAscii) noteDeclared(declared, reading)
  }
  if (number > 0) return
  throw new UsageError(`the file must be a feed with elements item or entry; it is XML with the root ${shown(root)}`)
}

/**
 * Throws a UsageError if the file says that it is in an encoding other than the one that its bytes were taken for; a
 * BrokenFile after rows, as of a file that is read once the bytes show it only there.
 */
function requireDeclared(declared: string, { options, recognized }: Reading, rowsBefore: number): void {
  if (
    options.encoding ||
    recognized.encoding !== 'Windows-1252' ||
    /^(windows-?1252|cp1252|iso-?8859-1|latin-?1|)$/i.test(declared)
  )
    return
  const reason = `the file says that it is ${declared}, and is no UTF-8: save it as UTF-8`
  throw rowsBefore > 0 ? new BrokenFile(reason) : new UsageError(reason)
}

/** Notes a file that says that it is in another encoding than UTF-8, though its bytes are UTF-8. */
function noteDeclared(declared: string, { options, recognized, notes }: Reading): void {
  if (options.encoding || recognized.bom || recognized.encoding !== 'UTF-8') return
  if (/^(utf-?8|)$/i.test(declared)) return
  notes.add('declared_encoding', { rows: 0, example: declared })
}

class Item {
  readonly #elements: Element[] = []
  /** The values of each column, by the name with prefixes that they came with. */
  readonly #values = new Map<string, Map<string, string[]>>()
  /** How often each element has come, by its name with prefixes. */
  readonly #counts = new Map<string, number>()
  #size = 0
  #fault: RowFault | undefined

  constructor(attributes: Readonly<Record<string, string>>) {
    this.#push('', '', attributes)
  }

  open(name: string, attributes: Readonly<Record<string, string>>, fullName: string) {
    const outer = this.#elements.at(-1)
    if (outer) outer.hasElements = true
    this.#push(inner(outer?.column, name), inner(outer?.fullName, fullName), attributes)
    this.#grow(1 + (this.#elements.at(-1)?.column.length ?? 0))
  }

  #push(column: string, fullName: string, attributes: Readonly<Record<string, string>>) {
    this.#counts.set(fullName, (this.#counts.get(fullName) ?? 0) + 1)
    const values = Object.entries(attributes).filter(([name]) => !/^xmlns(:|$)/.test(name))
    for (const [name, value] of values) {
      this.#add(inner(column, `@${localName(name)}`), inner(fullName, `@${name}`), value.trim())
    }
    this.#elements.push({ column, fullName, text: '', hasElements: false, hasAttributes: values.length > 0 })
  }

  addText(text: string) {
    const element = this.#elements.at(-1)
    if (element) element.text += text
    this.#grow(text.length)
  }

  /** Closes the innermost element; returns whether it is the item. */
  close(): boolean {
    const { column, fullName, text, hasElements, hasAttributes } = this.#elements.pop() as Element
    const value = text.trim()
    const isItem = this.#elements.length === 0
    if (value !== '' && (hasElements || isItem)) {
      this.#fault ??= { field: column || undefined, expected: 'must have no text beside elements', got: shown(value) }
    }
    if (value !== '' || !(hasElements || hasAttributes || isItem)) this.#add(column, fullName, value)
    return isItem
  }

  row(number: number): Entry {
    const value = Object.fromEntries([...this.#values].flatMap(([column, named]) => this.#cellsOf(column, named)))
    const source = { value }
    const tooMany = { expected: `must have at most ${maxColumns} columns` }
    const fault = this.#values.size > maxColumns ? tooMany : this.#fault
    return fault ? { number, fault, source } : jsonRow(value, { number }, source, this.#size)
  }

  /** One cell, unless names that differ in their prefixes have different values. */
  #cellsOf(column: string, named: Map<string, string[]>): [string, string | string[]][] {
    for (const [name, values] of named) this.#fill(values, this.#outerCount(name))
    const filled = [...named].filter(([, values]) => values.some((value) => value !== ''))
    const different = new Map(filled.map(([name, values]) => [JSON.stringify(values), [name, values] as const]))
    if (different.size < 2) return [[column, cellOf(filled[0]?.[1] ?? [''])]]
    const cells = [...different.values()].map(([name, values]) => [name, cellOf(values)] as [string, string | string[]])
    const names = cells.map(([name]) => name).join(' and ')
    this.#fault ??= { field: column, expected: 'must have one value', got: `different ones in ${names}` }
    return cells
  }

  #add(column: string, fullName: string, value: string) {
    const named = this.#values.get(column) ?? new Map<string, string[]>()
    this.#values.set(column, named)
    const values = named.get(fullName) ?? []
    named.set(fullName, values)
    this.#fill(values, this.#outerCount(fullName) - 1)
    values.push(value)
    this.#grow(column.length + value.length)
  }

  /** How often the element has come that a name is in. */
  #outerCount(fullName: string): number {
    return this.#counts.get(fullName.slice(0, Math.max(0, fullName.lastIndexOf('.')))) ?? 1
  }

  /** Adds empty values for the elements that lack one: items of lists of several columns belong together. */
  #fill(values: string[], count: number) {
    for (; values.length < count; this.#grow(1)) values.push('')
  }

  #grow(length: number) {
    this.#size += length
    if (this.#size > maxRowLength) throw new BrokenFile(`the row has more than ${maxRowLength} characters`)
  }
}

function inner(outer: string | undefined, name: string): string {
  return outer ? `${outer}.${name}` : name
}

function cellOf(values: string[]): string | string[] {
  return values.length > 1 ? values : (values[0] ?? '')
}
