import { listDefinitions } from '../../catalogue/attributes/attribute-definitions.ts'
import { type AttributeDefinition, numbersOf } from '../../catalogue/attributes/attribute-rules.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { shown } from '../../text.ts'
import { type ImportRequest, optionName, type StoreImport } from '../options.ts'
import { reshaped } from '../presets/presets.ts'
import { maxColumns } from '../read/limits.ts'
import { readRows } from '../read/read-rows.ts'
import type { Reopen, RowFault } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import type { Layout } from './layout.ts'
import type { MappedProduct, MappedRow } from './map-row.ts'
import type { RowStream } from './stream-rows.ts'

/** Reads the numbers of a product as the request says; adds the faults of those that it cannot read for certain. */
type ReadNumbers = (product: MappedProduct, faults: RowFault[]) => MappedProduct

const withComma = /^-?\d+,\d+$/
const withPoint = /^-?\d+\.\d+$/
const plainNumber = /^-?\d+(\.\d+)?$/
/** A number with a decimal point, or with a separator of thousands. */
const withEither = /^-?[1-9]\d{0,2}\.\d{3}$/
/** What people write as a number, with separators of thousands. */
const numberLike = /^[+-]?\d*([.,'\s]\d+)+$/

export interface NumberReaders {
  /** The reader for a chunk. */
  of(rows: readonly MappedRow[], definitions: readonly AttributeDefinition[]): ReadNumbers
  /**
   * Notes an option without effect, columns half of whose values are numbers with the other mark only, and columns of
   * numbers that have no definition, in a file of so many rows. Of a resumed import not all values were seen.
   */
  addNotes(notes: Notes, file: { rows: number; isResumed: boolean }): void
}

interface Again {
  reopen?: Reopen | undefined
  signal: AbortSignal
}

/**
 * Makes the readers of numbers. In text, `12,50` and `1.234` mean one number here and another there: without the option
 * `decimal` the first fails, and the second where numbers may have commas: in files separated by semicolons, in texts
 * of XLSX, and in columns with a comma: anywhere in a file that can be read again, else in a chunk so far. Numbers of
 * JSON and XLSX are no texts.
 */
export async function numberReaders(
  catalogue: Catalogue,
  request: StoreImport,
  stream: RowStream,
  again: Again,
): Promise<NumberReaders> {
  const { columnOf } = stream.layout
  const { format, delimiter } = stream.recognized
  const seen = await attributesWithCommas(catalogue, request, stream, again)
  const mayHaveCommas = delimiter === ';' || format === 'xlsx'
  const { count, addNotes } = countMarks(request, columnOf)
  const read = (text: string, name: string) => readNumber(text, request, mayHaveCommas || seen.has(name))
  const undefinedNumbers = findUndefinedNumbers(read, columnOf)
  return {
    of: (rows, definitions) => {
      undefinedNumbers.add(rows, definitions)
      const numbers = numbersOf(definitions)
      if (numbers.size === 0) return (product) => product
      for (const { product } of rows) {
        for (const [i, name] of product?.names.entries() ?? []) {
          if (numbers.has(name) && withComma.test(product?.values[i] ?? '')) seen.add(name)
        }
      }
      return (product, faults) => {
        const values = product.values.map((text, i) => {
          const name = product.names[i] ?? ''
          if (!numbers.has(name) || product.numbers?.has(columnOf(name))) return text
          count(text, name)
          const { value = text, fault } = read(text, name)
          if (fault) faults.push({ ...fault, field: columnOf(name) })
          return value
        })
        return { ...product, values }
      }
    },
    addNotes: (notes, { rows, isResumed }) => {
      addNotes(notes, isResumed)
      if (isResumed || rows <= maxRows) return
      for (const name of undefinedNumbers.list()) notes.add('only_numbers', { column: columnOf(name), rows: 0 })
    },
  }
}

/** With no more products a store answers fast from the products themselves. */
const maxRows = 5_000
/** Longer ones, and those with zeros before them, are codes. */
const shortNumber = /^-?(0|[1-9]\d{0,8})(\.\d+)?$/

/** Finds the attributes without a definition all of whose values are read as numbers; none if they are too many. */
function findUndefinedNumbers(
  read: (text: string, name: string) => ReturnType<typeof readNumber>,
  columnOf: Layout['columnOf'],
) {
  const [numbers, others] = [new Set<string>(), new Set<string>()]
  const isNumber = (text: string, name: string, product: MappedProduct) => {
    const { value = text, fault } = product.numbers?.has(columnOf(name)) ? {} : read(text, name)
    return !fault && shortNumber.test(value)
  }
  return {
    add: (rows: readonly MappedRow[], definitions: readonly AttributeDefinition[]) => {
      for (const { name } of definitions) others.add(name)
      for (const { product } of rows) {
        if (!product || others.size + numbers.size > maxColumns) continue
        const { names, values } = product
        // An iterator of entries takes three times as long.
        for (let i = 0; i < names.length; i++) {
          const name = names[i] ?? ''
          if (!others.has(name)) (isNumber(values[i] ?? '', name, product) ? numbers : others).add(name)
        }
      }
    },
    list: () => (others.size + numbers.size > maxColumns ? [] : [...numbers].filter((name) => !others.has(name))),
  }
}

/** Counts texts that are read as numbers, by attribute, and those with the mark that is not the decimal one. */
function countMarks({ decimal }: ImportRequest, columnOf: Layout['columnOf']) {
  const counts = new Map<string, { all: number; other: number; example: string }>()
  const other = decimal === 'comma' ? withPoint : withComma
  return {
    count: (text: string, name: string) => {
      const found = counts.get(name) ?? { all: 0, other: 0, example: '' }
      counts.set(name, found)
      found.all++
      if (!other.test(text)) return
      found.other++
      found.example ||= text
    },
    addNotes: (notes: Notes, isResumed: boolean) => {
      if (decimal !== undefined && counts.size === 0 && !isResumed) notes.add('decimal_unused', { rows: 0 })
      for (const [name, { all, other, example }] of counts) {
        if (2 * other >= all) notes.add('other_decimal', { column: columnOf(name), rows: other, example })
      }
    },
  }
}

/** A number of a text with a decimal point, or why it has none for certain. */
function readNumber(text: string, request: ImportRequest, mayHaveComma: boolean): { value?: string; fault?: RowFault } {
  if (request.decimal === 'comma') {
    if (withComma.test(text)) return { value: text.replace(',', '.') }
    return /[.,]/.test(text) ? { fault: doubtful(text, request) } : { value: text }
  }
  const isDoubtful = withEither.test(text) && mayHaveComma
  if (request.decimal === 'point' || !(isDoubtful || (numberLike.test(text) && !plainNumber.test(text))))
    return { value: text }
  return { fault: doubtful(text, request) }
}

function doubtful(text: string, request: ImportRequest): RowFault {
  const option = optionName(request, 'decimal')
  const expected =
    request.decimal === 'comma'
      ? `must be a number with a decimal comma, as ${option} says, and without separators of thousands`
      : `must be a decimal number such as 12.5; ${option} says whether its comma or its point is decimal`
  return { expected, got: shown(text) }
}

/**
 * The attributes of numbers that have a value such as `12,50` anywhere in a file: they decide how the numbers before it
 * are read. The file is read once more; none is known of one that can be read once, and those of XLSX need not be.
 */
async function attributesWithCommas(
  catalogue: Catalogue,
  request: StoreImport,
  { recognized: { format, delimiter, encoding }, layout }: RowStream,
  { reopen, signal }: Again,
): Promise<Set<string>> {
  const found = new Set<string>()
  if (!reopen || format === 'xlsx' || delimiter === ';' || request.decimal !== undefined) return found
  const definitions = await listDefinitions(catalogue, request.storeUuid)
  const numbers = numbersOf(definitions)
  if (numbers.size === 0) return found
  const file = await readRows(reopen(), { ...request, ...(encoding && { encoding }), ...(delimiter && { delimiter }) })
  let plan: { columns: readonly string[]; places: (readonly [at: number, name: string])[] } | undefined
  for await (const rows of reshaped(file, request).rows) {
    signal.throwIfAborted()
    for (const row of rows) {
      if ('fault' in row) continue
      if (row.columns !== plan?.columns) {
        const places = row.columns.flatMap((column, at) => {
          const name = layout.attributeOf(column)
          return name !== undefined && numbers.has(name) ? [[at, name] as const] : []
        })
        plan = { columns: row.columns, places }
      }
      for (const [at, name] of plan.places) if (withComma.test(String(row.cells[at] ?? ''))) found.add(name)
    }
  }
  return found
}
