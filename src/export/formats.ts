import { urlField } from '../catalogue/assets/url-fields.ts'
import type { ProductStatus } from '../catalogue/enumerations.ts'
import { attributeColumn } from '../request/csv/attribute-column.ts'
import { type CsvForm, csvText } from '../request/csv/csv-text.ts'
import { withDecimalComma } from '../request/csv/decimal-comma.ts'

export const exportFormats = ['csv', 'jsonl'] as const

/** The form of an export. The delimiter and the columns are those of CSV. */
export interface ExportForm extends CsvForm {
  format: (typeof exportFormats)[number]
  /** The columns to write, as a line of CSV. Default: those of all products of the store. */
  columns?: string | undefined
  /** CSV: the mark before the decimals of attributes that are numbers. Default: a point. */
  decimal?: 'point' | 'comma' | undefined
}

/** A product with its assets on the channel: URLs in order, by format. */
export interface ExportedProduct {
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  groups: { assetFormat: string; urls: string[] }[]
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

/** A table. What a product does not have is an empty cell. Numbers in the columns `withComma` have a comma. */
export function csvOf(
  columns: readonly string[],
  channel: string,
  form: CsvForm,
  withComma: ReadonlyMap<string, unknown>,
): ExportText {
  const { head, lines } = csvText(form)
  const rowOf = (product: ExportedProduct) => {
    const cells = new Map(entriesOf(product, `${channel}: `))
    return columns.map((column) => {
      const cell = cells.get(column) ?? ''
      return withComma.has(column) ? withDecimalComma(cell, column, product.productCode) : cell
    })
  }
  return { head: head(columns), textOf: (products) => lines(products.map(rowOf)) }
}

/** The product as a file has it: without empty values, and each URL once, because a file has no ids. */
function entriesOf({ productCode, status, attributes, groups }: ExportedProduct, prefix = ''): [string, string][] {
  const urls = groups.flatMap(({ assetFormat, urls }) =>
    [...new Set(urls)].map((url, i): [string, string] => [prefix + urlField(assetFormat, i + 1), url]),
  )
  const given = Object.entries(attributes).flatMap(([name, value]): [string, string][] =>
    value === '' ? [] : [[attributeColumn(name), value]],
  )
  return [['product_code', productCode], ['status', status], ...given, ...urls]
}
