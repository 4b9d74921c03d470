import { invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'
import { attributeColumn } from './attribute-column.ts'

/** The attributes of a store and its largest groups by channel and format, each by code point. */
export interface ProductColumns {
  attributes: readonly string[]
  /** Those that are defined as numbers. */
  numbers: readonly string[]
  groups: readonly { channel: string; urlFields: readonly string[] }[]
}

/** The maximum number of columns: each row has a cell for each of them. */
const maxColumns = 2_000

/** The names of the columns of all products of a store. Throws `invalid_request` if they are too many. */
export function productColumns({ attributes, groups }: Omit<ProductColumns, 'numbers'>): string[] {
  const urls = groups.flatMap(({ channel, urlFields }) => urlFields.map((field) => `${channel}: ${field}`))
  const names = ['product_code', 'status', ...attributes.map(attributeColumn), ...urls]
  const details = `columns is required, as the products of the store have more than ${maxColumns} columns`
  return requireFew(names, details)
}

/** A cell: in quotes, or a text that needs none; a semicolon outside of quotes is rather a wrong separator. */
const cell = /("(?:[^"]|"")*"|[^",;\r\n]+|)(?:,|$)/gy

/** The names in a list of columns, which is a line of CSV. Throws `invalid_request` if it is none, or has too many. */
export function chosenColumns(line: string): string[] {
  const cells = [...line.matchAll(cell)]
  const names = cells.map(([, text = '']) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text))
  const chosen = [...new Set(names.filter((name) => name !== ''))]
  const isWhole = cells.reduce((length, [text]) => length + text.length, 0) === line.length
  if (!isWhole || chosen.length === 0) {
    const expected = 'must be one or more names, separated by commas, and in quotes if they have a comma, ; or a quote'
    throw invalidRequest([{ field: 'columns', details: `columns ${expected}; got ${shown(line)}` }])
  }
  return requireFew(chosen, `columns must name at most ${maxColumns} columns; got ${chosen.length}`)
}

function requireFew(names: string[], details: string): string[] {
  if (names.length <= maxColumns) return names
  throw invalidRequest([{ field: 'columns', details }])
}

/** The separator of cells that a text names: itself, or a tab; undefined for another text. */
export function delimiterOf(text: string): string | undefined {
  const delimiter = text === 'tab' ? '\t' : text
  return [',', ';', '|', '\t'].includes(delimiter) ? delimiter : undefined
}

/** Throws `invalid_request`. */
export function requireDelimiter(text: string | undefined): string {
  const delimiter = delimiterOf(text ?? ',')
  if (delimiter !== undefined) return delimiter
  throw invalidRequest([{ field: 'delimiter', details: `delimiter must be one of , ; | and tab; got ${shown(text)}` }])
}
