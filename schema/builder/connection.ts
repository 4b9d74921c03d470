import type { KeysetPage } from '../../src/catalogue/conditions.ts'
import { invalidRequest } from '../../src/errors.ts'
import { isStorable, shown } from '../../src/text.ts'

/** The options of the field for the number of all items of a connection. */
export function totalCount(items: string) {
  return {
    description: `Number of ${items} that match, on all pages. Counted only when selected.`,
    resolve: (connection: { totalCount: () => Promise<number> }) => connection.totalCount(),
  }
}

type ConnectionArguments = PothosSchemaTypes.DefaultConnectionArguments

const defaultSize = 20
const largestSize = 100

/** What a field costs that takes a statement of its own for each object. */
export const statementCost = 100

/** What it costs to read all products or assets of a store, at worst. */
export const scanCost = 1_000

/** What a connection costs: what is asked of an edge, as often as the page is long. */
export function connectionCost({ first, last }: ConnectionArguments) {
  return { field: 1, multiplier: Math.min(last ?? first ?? defaultSize, largestSize) }
}

/**
 * A connection over rows that are ordered by `keyOf`; `read` reads the rows of the page and one more. Throws
 * `invalid_request` for a cursor that is no `isKey`.
 */
export async function keysetConnection<Row>(
  args: ConnectionArguments,
  keyOf: (row: Row) => string,
  read: (page: KeysetPage) => Promise<Row[]>,
  isKey: (key: string) => boolean = isStorable,
) {
  if (args.first != null && args.last != null) {
    throw invalidRequest([{ field: 'last', details: 'last must not come together with first' }])
  }
  const backwards = args.last != null
  const size = Math.min(args.last ?? args.first ?? defaultSize, largestSize)
  const after = keyOfCursor('after', args.after, isKey)
  const before = keyOfCursor('before', args.before, isKey)
  const rows = await read({ after, before, limit: size + 1, backwards })
  const shownRows = backwards ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const edges = shownRows.map((node) => ({ cursor: cursorOf(keyOf(node)), node }))
  const more = rows.length > size
  return {
    edges,
    pageInfo: {
      hasNextPage: backwards ? before !== undefined : more,
      hasPreviousPage: backwards ? more : after !== undefined,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

function cursorOf(key: string): string {
  return Buffer.from(key).toString('base64url')
}

function keyOfCursor(field: string, cursor: string | null | undefined, isKey: (key: string) => boolean) {
  if (cursor == null) return undefined
  const key = Buffer.from(cursor, 'base64url').toString()
  if (key !== '' && isKey(key) && cursorOf(key) === cursor) return key
  throw invalidRequest([{ field, details: `${field} must be a cursor from this connection; got ${shown(cursor)}` }])
}
