import type { AttributeDefinition } from '../../catalogue/attributes/attribute-rules.ts'
import { shown } from '../../text.ts'
import { type ImportRequest, optionName } from '../options.ts'
import type { Fault, Recognized } from '../read/row.ts'
import type { Layout } from './layout.ts'
import type { MappedProduct, MappedRow } from './map-row.ts'

/** Reads the numbers of a product as the request says; adds the faults of those that it cannot read for certain. */
type ReadNumbers = (product: MappedProduct, faults: Fault[]) => MappedProduct

const withComma = /^-?\d+,\d+$/
/** A number with a decimal point, or with a separator of thousands. */
const withEither = /^-?\d{1,3}\.\d{3}$/

/**
 * Makes the readers of numbers of each chunk. In text, `12,50` and `1.234` mean one number here and another there:
 * without the option `decimal` the first fails, and the second where numbers have commas: in a column that has shown
 * one, and in files separated by semicolons.
 */
export function numberReaders(request: ImportRequest, { format, delimiter }: Recognized, columnOf: Layout['columnOf']) {
  const option = optionName(request, 'decimal')
  const seen = new Set<string>()
  const isDoubtful = (name: string) => delimiter === ';' || seen.has(name)
  const readText = (text: string, name: string): { value: string } | { reason: string } => {
    if (request.decimal === 'comma') {
      if (withComma.test(text)) return { value: text.replace(',', '.') }
      // Numbers of XLSX are no texts.
      if (format === 'xlsx') return { value: text }
      const expected = `must be a number with a decimal comma, as ${option} says, and without separators of thousands`
      return /[.,]/.test(text) ? { reason: `${expected}; got ${shown(text)}` } : { value: text }
    }
    if (request.decimal === 'point') return { value: text }
    if (format === 'xlsx') return { value: text }
    const isUnclear = /^-?[\d.]*,[\d.,]*$/.test(text) || (withEither.test(text) && isDoubtful(name))
    const expected = `must be a decimal number such as 12.5; ${option} says whether its comma or its point is decimal`
    return isUnclear ? { reason: `${expected}; got ${shown(text)}` } : { value: text }
  }
  return (rows: readonly MappedRow[], definitions: readonly AttributeDefinition[]): ReadNumbers => {
    const numbers = new Set(definitions.filter(({ type }) => type === 'number').map(({ name }) => name))
    if (numbers.size === 0 || ['json', 'jsonl', 'xml'].includes(format)) return (product) => product
    for (const { product } of rows) {
      for (const [i, name] of product?.names.entries() ?? []) {
        if (numbers.has(name) && withComma.test(product?.values[i] ?? '')) seen.add(name)
      }
    }
    return (product, faults) => {
      const values = product.values.map((text, i) => {
        const name = product.names[i] ?? ''
        const read = numbers.has(name) ? readText(text, name) : { value: text }
        if ('value' in read) return read.value
        faults.push({ field: columnOf(name), reason: read.reason })
        return text
      })
      return { ...product, values }
    }
  }
}
