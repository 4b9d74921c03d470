import { stringify } from 'csv-stringify/sync'
import { urlField } from '../catalogue/assets/url-fields.ts'
import { invalidRequest } from '../errors.ts'
import { attributeColumn } from '../import/load/attribute-column.ts'
import type { ExportedProduct, Outline } from './export-store.ts'

/** A way to write products as text that `catalog import` reads back. */
export interface ExportFormat {
  /** Whether it must know the outline of all products before the first. */
  outlined: boolean
  /** Throws `invalid_request` if the format cannot have so many columns. */
  head(outline: Outline): string
  batch(products: readonly ExportedProduct[], outline: Outline): string
}

/** One JSON object a line: code, status, attributes, URL fields. */
const jsonl: ExportFormat = {
  outlined: false,
  head: () => '',
  batch: (products) =>
    products.map((product) => `${JSON.stringify(Object.fromEntries(entriesOf(product)))}\n`).join(''),
}

/** How many columns a CSV export may have: each product has a cell of each. */
const mostColumns = 2_000

/** A table: a column for each attribute and each URL field that occurs. An attribute without a value is an empty cell. */
const csv: ExportFormat = {
  outlined: true,
  head: (outline) => {
    const columns = columnsOf(outline)
    if (columns.length > mostColumns) {
      const details = `CSV must have at most ${mostColumns} columns; this export has ${columns.length}: use JSONL`
      throw invalidRequest([{ field: 'format', details }])
    }
    return stringify([columns])
  },
  batch: (products, outline) => {
    const columns = columnsOf(outline)
    return stringify(
      products.map((product) => {
        const cells = new Map(entriesOf(product))
        return columns.map((column) => cells.get(column) ?? '')
      }),
    )
  },
}

export const exportFormats = { csv, jsonl } as const

function columnsOf({ attributes, formats }: Outline): string[] {
  const urls = formats.flatMap(({ assetFormat, largest }) =>
    Array.from({ length: largest }, (_, i) => urlField(assetFormat, i + 1)),
  )
  return ['product_code', 'status', ...attributes.map(attributeColumn), ...urls]
}

/** What a file can say of a product: an empty value is as none in it, and assets of one URL are one, as it has no ids. */
function entriesOf({ productCode, status, attributes, groups }: ExportedProduct): [string, string][] {
  const urls = groups.flatMap(({ assetFormat, urls }) =>
    [...new Set(urls)].map((url, i): [string, string] => [urlField(assetFormat, i + 1), url]),
  )
  const given = Object.entries(attributes).flatMap(([name, value]): [string, string][] =>
    value === '' ? [] : [[attributeColumn(name), value]],
  )
  return [['product_code', productCode], ['status', status], ...given, ...urls]
}
