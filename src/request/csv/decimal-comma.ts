import { type CatalogueError, invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'
import { attributeColumn } from './attribute-column.ts'

/** The columns of attributes that are numbers, and the names of these. */
export function numberColumns(numbers: readonly string[], columns: readonly string[]): Map<string, string> {
  const chosen = new Set(columns)
  const named = numbers.map((name): [string, string] => [attributeColumn(name), name])
  return new Map(named.filter(([column]) => chosen.has(column)))
}

/** An expression, in JavaScript and in SQL, for a number that is written with a decimal comma. */
export const numberWithComma = '^-?[0-9]+,[0-9]+$'
const hasComma = new RegExp(numberWithComma)

/**
 * The text of a number with a decimal comma. Throws `invalid_request` for a text that has one, from before its
 * attribute was defined: an import would take it for the number.
 */
export function withDecimalComma(text: string, column: string, productCode: string): string {
  if (hasComma.test(text)) throw ambiguousNumber(text, column, productCode)
  return text.replace(/^(-?\d+)\.(?=\d+$)/, '$1,')
}

export function ambiguousNumber(text: string, column: string, productCode: string): CatalogueError {
  const details = `decimal must be point: ${shown(column)} of the product ${shown(productCode)} is no number, but ${shown(text)}`
  return invalidRequest([{ field: 'decimal', details }])
}
