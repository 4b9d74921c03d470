import type { z } from 'zod'
import { acceptedOf } from '../../src/request/accepted.ts'
import { attributeColumn } from '../../src/request/csv/attribute-column.ts'
import type { HttpResponse, RestRequest } from '../../src/request/exchange.ts'
import type { Answers } from '../endpoint.ts'
import type { csvForm } from '../request/shapes.ts'
import { toJson } from '../response/envelope.ts'
import type { CheckedRequest, RestServices } from '../services.ts'
import { enveloped } from './plain.ts'

type Row = ReadonlyMap<string, unknown>
type CsvQuery = z.output<z.ZodObject<typeof csvForm>>

/** The answer of an endpoint with rows: as of any other, or only its rows in the format that the client accepts. */
export async function answerTable(
  checked: CheckedRequest,
  table: Answers & { kind: 'table' },
  services: RestServices,
): Promise<HttpResponse> {
  const { request, query } = checked
  const format = formatOf(request.headers.accept)
  const isCsv = format === 'text/csv'
  const variables = isCsv ? { ...checked.variables, ...table.csvVariables?.(query) } : checked.variables
  const data = checked.endpoint.toData(await services.read(checked, variables))
  const total = table.totalOf?.(data)
  const headers = { Vary: 'Accept', ...(total !== undefined && nextPage(request, query, total)) }
  if (format === 'application/json') return enveloped(checked, toJson(data), headers)
  const rows = table.rowsOf(data)
  const body = isCsv
    ? await csvOf(table.columnsOf(data, query), rows, query, query.decimal === 'comma' ? table.numbersOf?.(data) : [])
    : rows.map((row) => `${toJson(row)}\n`).join('')
  return { status: 200, headers: { ...headers, 'Content-Type': `${format}; charset=utf-8` }, body }
}

export const tableFormats = ['text/csv', 'application/jsonl'] as const
const formats: readonly string[] = ['application/json', ...tableFormats]

/** Whether the answer is to be a table: a page of wide rows has many more cells than values. */
export function acceptsRows({ headers }: RestRequest): boolean {
  return formatOf(headers.accept) !== 'application/json'
}

const wildcards = ['*/*', 'application/*']

/** The first format that is accepted, by weight; JSON if none is. */
function formatOf(accept = '') {
  const types = acceptedOf(accept).map((type) => (wildcards.includes(type) ? 'application/json' : type))
  return types.find((type) => formats.includes(type)) ?? 'application/json'
}

/** A link to the page after this one, if there is one. */
function nextPage({ path, search }: RestRequest, { offset, limit }: Record<string, unknown>, total: number) {
  const next = Number(offset) + Number(limit)
  if (next >= total) return {}
  const query = new URLSearchParams(search)
  query.set('offset', String(next))
  return { Link: `<${path}?${query}>; rel="next"` }
}

async function csvOf(
  columns: readonly string[],
  rows: readonly Row[],
  query: Record<string, unknown>,
  numbers: readonly string[] = [],
) {
  const [{ csvText }, { numberColumns, withDecimalComma }] = await Promise.all([
    import('../../src/request/csv/csv-text.ts'),
    import('../../src/request/csv/decimal-comma.ts'),
  ])
  const { escape_formulas: escapeFormulas, ...form } = query as CsvQuery
  const { head, lines } = csvText({ ...form, escapeFormulas })
  const withComma = numberColumns(numbers, columns)
  const cells = rows.map((row) => {
    const flat = flatOf(row)
    for (const column of withComma.keys()) {
      const text = String(flat.get(column) ?? '')
      flat.set(column, withDecimalComma(text, column, String(row.get('product_code'))))
    }
    return columns.map((name) => flat.get(name) ?? '')
  })
  return head(columns) + lines(cells)
}

/** A map by channel, of lists of asset entries, is a column for each URL: `SMP: Image URL 1`. */
function flatOf(row: Row): Map<string, unknown> {
  const cells = [...row].flatMap(([name, value]): [string, unknown][] => {
    if (!(value instanceof Map)) return [[attributeColumn(name), value]]
    return [...(value as Map<string, object[]>)].flatMap(([channel, entries]) =>
      entries.flatMap(({ ...entry }) =>
        Object.entries(entry)
          .filter(([field]) => field !== 'asset_id')
          .map(([field, url]): [string, unknown] => [`${channel}: ${field}`, url]),
      ),
    )
  })
  return new Map(cells)
}
