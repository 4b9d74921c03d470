import { acceptedOf } from '../../src/request/accepted.ts'
import type { HttpResponse, RestRequest } from '../../src/request/exchange.ts'
import { HttpError } from '../../src/request/http-error.ts'
import { escapeFormula } from '../../src/text.ts'
import type { Table } from '../endpoint.ts'
import { toJson } from '../response/envelope.ts'
import type { RestServices } from '../services.ts'
import { type Asked, enveloped, readData } from './plain.ts'

type Row = ReadonlyMap<string, unknown>

/** The answer of an endpoint with rows: as of any other, or only its rows in the format that the client accepts. */
export async function answerTable<Caller>(
  asked: Asked<Caller>,
  table: Table,
  services: RestServices<Caller>,
): Promise<HttpResponse> {
  const { request, query } = asked
  const format = formatOf(request.headers.accept)
  const data = await readData(asked, services)
  const total = table.totalOf?.(data)
  const headers = { Vary: 'Accept', ...(total !== undefined && nextPage(request, query, total)) }
  if (format === 'application/json') return enveloped(asked, toJson(data), headers)
  const rows = table.rowsOf(data)
  const body =
    format === 'text/csv'
      ? await csvOf(table.columns, rows, query.escape_formulas === true)
      : rows.map((row) => `${toJson(row)}\n`).join('')
  return { status: 200, headers: { ...headers, 'Content-Type': `${format}; charset=utf-8` }, body }
}

export const tableFormats = ['text/csv', 'application/jsonl'] as const
const formats: readonly string[] = ['application/json', ...tableFormats]

/** Whether the answer is to be a table: a page of wide rows has many more cells than values. */
export function isAskedForRows({ headers }: RestRequest): boolean {
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

/** Limits the answer: each row has a cell for each column. */
const maxColumns = 2_000

async function csvOf(columns: readonly string[], rows: readonly Row[], escapeFormulas: boolean): Promise<string> {
  const flat = rows.map(flatOf)
  const attributes = new Set(rows.flatMap((row) => [...row.keys()].map(columnOf)))
  const others = [...new Set(flat.flatMap((row) => [...row.keys()]))].filter((name) => !columns.includes(name))
  const isAttribute = (name: string) => attributes.has(name)
  const urls = others.filter((name) => !isAttribute(name))
  const names = [...columns, ...others.filter(isAttribute).toSorted(), ...urls]
  if (names.length > maxColumns) {
    const details = `CSV has at most ${maxColumns} columns; this page has ${names.length}: accept application/jsonl, or ask for a smaller page`
    throw new HttpError('invalid_request', [{ reason: 'invalid_request', details, field: 'Accept' }])
  }
  const cells = flat.map((row) => names.map((name) => row.get(name) ?? ''))
  const { stringify } = await import('csv-stringify/sync')
  return stringify([names, ...cells], escapeFormulas ? { cast: { string: escapeFormula } } : {})
}

/** The column of an attribute: its name, with a prefix if it could be the column of a URL. */
function columnOf(attribute: string): string {
  return /^.+: .+ URL [1-9]\d*$/s.test(attribute) ? `attribute:${attribute}` : attribute
}

/** A map by channel, of lists of asset entries, is a column for each URL: `SMP: Image URL 1`. */
function flatOf(row: Row): Map<string, unknown> {
  const cells = [...row].flatMap(([name, value]): [string, unknown][] => {
    if (!(value instanceof Map)) return [[columnOf(name), value]]
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
