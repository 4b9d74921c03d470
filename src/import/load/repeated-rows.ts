import type { LoadedProduct } from '../../catalogue/products/load-products.ts'
import { shown } from '../../text.ts'
import { type ImportRequest, optionName } from '../options.ts'
import type { Reading, Row, RowFault } from '../read/row.ts'
import type { Layout } from './layout.ts'

type Product = Pick<LoadedProduct, 'status' | 'names' | 'values'>

/** The row before a row with the same code, and the attributes whose values the row replaces. */
export interface Repeated {
  row: number
  names: string[]
}

/**
 * Says of each row whether it replaces values of an earlier row of the file, with a note. If the request forbids that a
 * code comes twice, a later row gets a fault. A row that a preset knows as a part of its product is compared only with
 * rows of the same part.
 */
export function repeatedRows(request: ImportRequest, layout: Layout, { notes }: Reading) {
  const find = createRepeatedRows()
  return ({ number, part }: Row, code: string, product: Product, faults: RowFault[]): boolean => {
    const repeated = find(number, code, product, part)
    if (!repeated) return false
    const { row, names } = repeated
    if (request.duplicates === 'fail') {
      const expected = `must come once in the file, as ${optionName(request, 'duplicates')} says`
      faults.push({ field: layout.code, expected, got: `${shown(code)} in row ${row} too` })
      return false
    }
    if (names.length === 0) return false
    const example = `row ${number} replaces ${names.map(layout.columnOf).join(', ')} of ${code} of row ${row}`
    notes.add('replaced', { example })
    return true
  }
}

/**
 * Finds, row by row, those whose code (and part) an earlier row of the file has. It keeps hashes of codes and values,
 * about 40 bytes and 4 for each value, and 24 more for values of codes that come again: a file has millions of rows.
 */
export function createRepeatedRows() {
  const entries = createLists()
  /** By code and part: the place of its entry, or, if it came again, its last row as `-row`. */
  const codes = createHashTable()
  /** The hashes of the last values of codes that came again, by code, part and attribute. */
  const values = createHashTable()
  const ids = new Map<string, number>()
  const namesById: string[] = []
  const idOf = (name: string) => {
    const id = ids.get(name) ?? namesById.length
    if (id === namesById.length) {
      ids.set(name, id)
      namesById.push(name)
    }
    return id
  }
  const statusId = idOf('status')
  /** Most rows have the same names. */
  let last: { names: readonly string[]; ids: readonly number[] } = { names: [], ids: [] }
  const entry: number[] = []
  return (row: number, code: string, product: Product, part?: string): Repeated | undefined => {
    const { status, names, values: texts } = product
    if (names !== last.names) last = { names, ids: names.map(idOf) }
    entry.length = 0
    entry.push(row)
    for (let i = 0; i < names.length; i++) addValue(entry, last.ids[i] ?? 0, texts[i] ?? '')
    if (status !== null) addValue(entry, statusId, status)
    // A code has no NUL.
    const text = part === undefined ? code : `${part}\0${code}`
    const key = [hashOf(text, 0), hashOf(text, 1)] as const
    const known = codes.get(...key)
    if (known === 0) {
      codes.set(...key, entries.add(entry))
      return undefined
    }
    const earlier = known > 0 ? entries.get(known) : [-known]
    codes.set(...key, -row)
    for (const [id, hash] of valuesOf(earlier)) values.set(...keyOf(key, id), hash)
    const replaced: string[] = []
    for (const [id, hash] of valuesOf(entry)) {
      const valueKey = keyOf(key, id)
      const before = values.get(...valueKey)
      if (before !== 0 && before !== hash) replaced.push(namesById[id] ?? '')
      values.set(...valueKey, hash)
    }
    return { row: earlier[0] ?? 0, names: replaced }
  }
}

const shortIds = 128
const shortHash = 0xffffff
const longHash = 0x7fffffff

/**
 * An entry has its row, and for each value the id of its attribute and its hash: in one number, or for later ids in
 * two. Of 16 million values that are replaced one has the hash of the value before it, and is not found. No hash is 0.
 */
function addValue(entry: number[], id: number, text: string): void {
  const hash = hashOf(text, 0)
  if (id < shortIds) entry.push((id << 24) | (hash & shortHash || 1))
  else entry.push(~id, hash & longHash || 1)
}

function valuesOf(entry: ArrayLike<number>): (readonly [id: number, hash: number])[] {
  const values: (readonly [number, number])[] = []
  for (let i = 1; i < entry.length; i++) {
    const value = entry[i] ?? 0
    values.push(value >= 0 ? [value >>> 24, value & shortHash] : [~value, entry[++i] ?? 0])
  }
  return values
}

function keyOf([first, second]: readonly [number, number], id: number): [first: number, second: number] {
  return [first ^ Math.imul(id + 1, 0x9e3779b1), second ^ Math.imul(id + 1, 0x85ebca6b)]
}

/** Two hashes that collide for different texts, as signed numbers of 32 bits, which V8 need not box. */
function hashOf(text: string, kind: 0 | 1): number {
  let hash = kind === 0 ? 0x811c9dc5 : 0x5bd1e995
  for (let i = 0; i < text.length; i++) {
    const mixed = hash ^ text.charCodeAt(i)
    hash = kind === 0 ? Math.imul(mixed, 0x01000193) : Math.imul(mixed ^ (mixed >>> 15), 0x5f356495)
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}

/** A table from pairs of hashes to numbers other than 0, with open addressing. */
function createHashTable() {
  let size = 1024
  let count = 0
  /** Two hashes and their number, for each slot: a free one has the number 0. */
  let slots = new Int32Array(3 * size)
  const find = (first: number, second: number) => {
    let slot = first & (size - 1)
    while (slots[3 * slot + 2] !== 0 && (slots[3 * slot] !== first || slots[3 * slot + 1] !== second))
      slot = (slot + 1) & (size - 1)
    return 3 * slot
  }
  const set = (first: number, second: number, number: number) => {
    if (2 * count >= size) grow()
    const at = find(first, second)
    if (slots[at + 2] === 0) count++
    slots[at] = first
    slots[at + 1] = second
    slots[at + 2] = number
  }
  const grow = () => {
    const old = slots
    size *= 2
    count = 0
    slots = new Int32Array(3 * size)
    for (let at = 0; at < old.length; at += 3)
      if (old[at + 2] !== 0) set(old[at] ?? 0, old[at + 1] ?? 0, old[at + 2] ?? 0)
  }
  return { get: (first: number, second: number) => slots[find(first, second) + 2] ?? 0, set }
}

/** Longer than any list: a row has at most 5,000 columns. */
const pageLength = 1 << 18

/** Lists of 32-bit numbers, in pages: an array that grows would be in memory twice. None has the place 0. */
function createLists() {
  let page = new Int32Array(pageLength)
  let used = 1
  const pages = [page]
  return {
    add: (list: readonly number[]): number => {
      if (used + list.length + 1 > pageLength) {
        page = new Int32Array(pageLength)
        used = 0
        pages.push(page)
      }
      const place = (pages.length - 1) * pageLength + used
      page[used++] = list.length
      for (const number of list) page[used++] = number
      return place
    },
    get: (place: number): ArrayLike<number> => {
      const at = pages[Math.floor(place / pageLength)] ?? page
      const begin = (place % pageLength) + 1
      return at.subarray(begin, begin + (at[begin - 1] ?? 0))
    },
  }
}
