import type { LoadedProduct } from '../../catalogue/products/load-products.ts'
import { shown } from '../../text.ts'
import { type ImportRequest, optionName } from '../options.ts'
import type { Fault, Reading, Row } from '../read/row.ts'
import type { Layout } from './layout.ts'

type Product = Pick<LoadedProduct, 'status' | 'names' | 'values'>

/** The row before a row with the same code, and the attributes whose values the row replaces. */
export interface Repeated {
  row: number
  names: string[]
}

/**
 * Says of each row whether it replaces values of an earlier row of the file, with a note. If the request forbids that a
 * code comes twice, a later row gets a fault. Rows that a preset knows as parts of a product are passed over.
 */
export function repeatedRows(request: ImportRequest, layout: Layout, { notes }: Reading) {
  const find = createRepeatedRows()
  return ({ number, isPart }: Row, code: string, product: Product, faults: Fault[]): boolean => {
    const repeated = isPart ? undefined : find(number, code, product)
    if (!repeated) return false
    const { row, names } = repeated
    if (request.duplicates === 'fail') {
      const reason = `must come once in the file, as ${optionName(request, 'duplicates')} says; got ${shown(code)} in row ${row} too`
      faults.push({ field: layout.code, reason })
      return false
    }
    if (names.length === 0) return false
    const example = `row ${number} replaces ${names.map(layout.columnOf).join(', ')} of ${code} of row ${row}`
    notes.add('replaced', { example })
    return true
  }
}

/**
 * Finds, row by row, those whose code an earlier row of the file has. It keeps hashes of codes and values, about 12
 * bytes and 8 for each value: a file has millions of rows.
 */
export function createRepeatedRows(): (row: number, code: string, product: Product) => Repeated | undefined {
  const codes = createHashTable()
  const values = createPages()
  const ids = new Map<string, number>()
  const idOf = (name: string) => {
    const id = ids.get(name) ?? ids.size
    if (id === ids.size) ids.set(name, id)
    return id
  }
  const statusId = idOf('status')
  /** Most rows have the same names. */
  let last: { names: readonly string[]; ids: readonly number[] } = { names: [], ids: [] }
  const entry: number[] = []
  return (row, code, { status, names, values: texts }) => {
    if (names !== last.names) last = { names, ids: names.map(idOf) }
    entry.length = 0
    entry.push(row)
    for (let i = 0; i < names.length; i++) entry.push(last.ids[i] ?? 0, hashOf(texts[i] ?? '', 0))
    if (status !== null) entry.push(statusId, hashOf(status, 0))
    const [first, second] = [hashOf(code, 0), hashOf(code, 1)]
    const place = codes.get(first, second)
    if (place === undefined) {
      codes.set(first, second, values.add(entry))
      return undefined
    }
    const { before, replaced } = mergedInto(entry, values.get(place))
    codes.set(first, second, values.add(entry))
    const named = [...ids.keys()]
    return { row: before, names: replaced.map((id) => named[id] ?? '') }
  }
}

/** Adds to an entry what only the earlier one has. Returns the ids of the values that both have and that differ. */
function mergedInto(entry: number[], earlier: ArrayLike<number>): { before: number; replaced: number[] } {
  const own = new Map<number, number>()
  for (let i = 1; i < entry.length; i += 2) own.set(entry[i] ?? 0, entry[i + 1] ?? 0)
  const replaced: number[] = []
  for (let i = 1; i < earlier.length; i += 2) {
    const [id = 0, hash = 0] = [earlier[i], earlier[i + 1]]
    const now = own.get(id)
    if (now === undefined) entry.push(id, hash)
    else if (now !== hash) replaced.push(id)
  }
  return { before: earlier[0] ?? 0, replaced }
}

/** FNV-1a, as a signed number of 32 bits, which V8 need not box. The two seeds give independent hashes. */
function hashOf(text: string, seed: 0 | 1): number {
  let hash = seed === 0 ? 0x811c9dc5 : 0x5bd1e995
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // The low bits of FNV-1a depend on few of the text's bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}

/** A table from pairs of hashes to numbers, with open addressing. */
function createHashTable() {
  let size = 1024
  let count = 0
  let keys = new Int32Array(2 * size)
  let places = new Int32Array(size).fill(-1)
  const slotOf = (first: number, second: number) => {
    let slot = first & (size - 1)
    while (places[slot] !== -1 && (keys[2 * slot] !== first || keys[2 * slot + 1] !== second))
      slot = (slot + 1) & (size - 1)
    return slot
  }
  const put = (first: number, second: number, place: number) => {
    const slot = slotOf(first, second)
    if (places[slot] === -1) count++
    keys[2 * slot] = first
    keys[2 * slot + 1] = second
    places[slot] = place
  }
  const grow = () => {
    const [oldKeys, oldPlaces] = [keys, places]
    size *= 2
    count = 0
    keys = new Int32Array(2 * size)
    places = new Int32Array(size).fill(-1)
    for (const [slot, place] of oldPlaces.entries())
      if (place !== -1) put(oldKeys[2 * slot] ?? 0, oldKeys[2 * slot + 1] ?? 0, place)
  }
  return {
    get: (first: number, second: number) => {
      const place = places[slotOf(first, second)] ?? -1
      return place === -1 ? undefined : place
    },
    set: (first: number, second: number, place: number) => {
      if (2 * count >= size) grow()
      put(first, second, place)
    },
  }
}

const pageSize = 1 << 18

/** Lists of 32-bit numbers in pages, which grow without being copied. */
function createPages() {
  const pages = [new Int32Array(pageSize)]
  let used = 0
  return {
    add: (entry: readonly number[]): number => {
      const numbers = entry.length + 1
      if (used + numbers > pageSize) {
        pages.push(new Int32Array(Math.max(pageSize, numbers)))
        used = 0
      }
      const place = (pages.length - 1) * pageSize + used
      const page = pages.at(-1)
      if (page) page[used] = entry.length
      page?.set(entry, used + 1)
      used += numbers
      return place
    },
    get: (place: number): ArrayLike<number> => {
      const page = pages[Math.floor(place / pageSize)] ?? new Int32Array(1)
      const at = place % pageSize
      return page.subarray(at + 1, at + 1 + (page[at] ?? 0))
    },
  }
}
