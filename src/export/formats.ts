import { stringify } from 'csv-stringify/sync'
import { urlField } from '../catalogue/assets/url-fields.ts'
import type { ProductStatus } from '../catalogue/enumerations.ts'
import { invalidRequest } from '../errors.ts'
import { attributeColumn } from '../import/attribute-column.ts'
import { escapeFormula } from '../text.ts'

export const exportFormats = ['csv', 'jsonl'] as const

/** The form of an export. `escapeFormulas`: cells of CSV that a spreadsheet would run begin with an apostrophe. */
export interface ExportForm {
  format: (typeof exportFormats)[number]
  escapeFormulas?: boolean | undefined
}

/** A product with its assets on the channel: URLs in order, by format. */
export interface ExportedProduct {
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  groups: { assetFormat: string; urls: string[] }[]
}

/** The columns of the table of exported products. */
export interface Outline {
  /** Attributes that have a value somewhere, by code point: no more than a table may have. */
  attributes: string[]
  attributesInAll: number
  /** Formats with the size of their largest group, by code point. */
  formats: { assetFormat: string; largest: number }[]
}

/** Products as text that `catalog import` reads back. */
interface ExportText {
  head: string
  textOf(products: readonly ExportedProduct[]): string
}

/** One JSON object a line: code, status, attributes, URL fields. */
export const jsonLines: ExportText = {
  head: '',
  textOf: (products) =>
    products.map((product) => `${JSON.stringify(Object.fromEntries(entriesOf(product)))}\n`).join(''),
}

/** The maximum number of columns in a CSV export. */
export const maxColumns = 2_000

/** A table: a column for each attribute and URL field that occurs. An attribute without a value is an empty cell. */
export function csvOf({ attributes, attributesInAll, formats }: Outline, escapeFormulas: boolean): ExportText {
  const count = formats.reduce((sum, { largest }) => sum + largest, 2 + attributesInAll)
  if (count > maxColumns) {
    const details = `CSV must have at most ${maxColumns} columns; this export has ${count}: use JSONL`
    throw invalidRequest([{ field: 'format', details }])
  }
  const urls = formats.flatMap(({ assetFormat, largest }) =>
    Array.from({ length: largest }, (_, i) => urlField(assetFormat, i + 1)),
  )
  const columns = ['product_code', 'status', ...attributes.map(attributeColumn), ...urls]
  const rowOf = (product: ExportedProduct) => {
    const cells = new Map(entriesOf(product))
    return columns.map((column) => cells.get(column) ?? '')
  }
  // An import removes blanks at the ends of unquoted codes.
  const options = { quoted_match: /^'*\s|\s$/, ...(escapeFormulas && { cast: { string: escapeFormula } }) }
  return { head: stringify([columns], options), textOf: (products) => stringify(products.map(rowOf), options) }
}

/** The product as a file has it: without empty values, and each URL once, because a file has no ids. */
function entriesOf({ productCode, status, attributes, groups }: ExportedProduct): [string, string][] {
  const urls = groups.flatMap(({ assetFormat, urls }) =>
    [...new Set(urls)].map((url, i): [string, string] => [urlField(assetFormat, i + 1), url]),
  )
  const given = Object.entries(attributes).flatMap(([name, value]): [string, string][] =>
    value === '' ? [] : [[attributeColumn(name), value]],
  )
  return [['product_code', productCode], ['status', status], ...given, ...urls]
}
