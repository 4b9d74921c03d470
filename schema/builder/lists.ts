import type { KeysetPage } from '../../src/catalogue/conditions.ts'
import { invalidRequest } from '../../src/errors.ts'
import { lazy } from '../../src/lazy.ts'
import { isStorable, shown } from '../../src/text.ts'
import { builder, type Fields } from './builder.ts'

/** The options of a `keysetConnection`, with the number of all items. */
export function countedPage(items: string, description = `A page of ${items}.`) {
  const fields = (t: Fields<object>) => ({
    totalCount: t.int({
      description: `Number of ${items} that match, on all pages. Counted only when selected.`,
      resolve: (connection) => (connection as Awaited<ReturnType<typeof keysetConnection>>).totalCount(),
    }),
  })
  return { description, fields }
}

type ConnectionArguments = PothosSchemaTypes.DefaultConnectionArguments

const defaultSize = 20
export const maxPageSize = 100

/** The cost of a field that takes a statement for each object. */
export const statementCost = 100

/** The maximum cost of reading all products or assets of a store. */
export const scanCost = 1_000

export function pageSizeOf({ first, last }: Pick<ConnectionArguments, 'first' | 'last'>): number {
  return Math.min(last ?? first ?? defaultSize, maxPageSize)
}

/** The cost of a connection: the cost of an edge times the page size. */
export function connectionCost(args: ConnectionArguments) {
  return { field: 1, multiplier: pageSizeOf(args) }
}

interface Edge<Node> {
  cursor: string
  node: Node
}

/** A connection of these edges. */
export function connectionOf<Node>(edges: Edge<Node>[], hasNextPage: boolean, hasPreviousPage: boolean) {
  const [startCursor, endCursor] = [edges.at(0)?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } }
}

/** How a connection reads its rows, which are ordered by a key. */
export interface KeysetSource<Row, List = Row[], Count = number> {
  /** Of the connection and its order: a cursor is refused where another name is expected. */
  name: string
  keyOf(row: Row): string
  /** Whether a text can be a key; by default any text. */
  isKey?(text: string): boolean
  /** Whether a row is on the page, by default any: one that is not keeps its place. */
  isShown?(row: Row): boolean
  /** Reads the rows of the page and one more. */
  read(page: KeysetPage): Promise<List>
  count(): Promise<Count>
}

/** A page of a connection over rows. Throws `invalid_request` for arguments that do not go together or a bad cursor. */
export async function keysetConnection<Row>(args: ConnectionArguments, source: KeysetSource<Row>) {
  if (args.first != null && args.last != null) {
    throw invalidRequest([{ field: 'last', details: 'last must not come together with first' }])
  }
  const { name, keyOf, isKey = isStorable, isShown = () => true, read, count } = source
  const backwards = args.last != null
  const size = pageSizeOf(args)
  const after = keyOfCursor('after', name, args.after, isKey)
  const before = keyOfCursor('before', name, args.before, isKey)
  const readPage = async () => {
    const rows = await read({ after, before, limit: size + 1, backwards })
    const page = backwards ? rows.slice(0, size).reverse() : rows.slice(0, size)
    const places = page.map((node) => ({ cursor: cursorOfKey(name, keyOf(node)), node }))
    const hasMore = rows.length > size
    const [hasNext, hasPrevious] = backwards ? [before !== undefined, hasMore] : [hasMore, after !== undefined]
    return { ...connectionOf(places, hasNext, hasPrevious), edges: places.filter(({ node }) => isShown(node)) }
  }
  if (size > 0) return { ...(await readPage()), totalCount: count }
  // Without rows, a page is read only for `pageInfo`: a query of the number alone does not wait for it.
  const pageInfo = lazy(async () => (await readPage()).pageInfo)
  return {
    edges: [],
    totalCount: count,
    get pageInfo() {
      return pageInfo()
    },
  }
}

/** The arguments of a connection that has forward pages only. */
export function forwardArgs(items: string, usual = defaultSize) {
  return builder.args((t) => ({
    first: t.int({
      defaultValue: usual,
      description: `Page size: values above ${maxPageSize} are clamped to ${maxPageSize}.`,
      validate: { min: 1 },
    }),
    after: t.string({ description: `Only ${items} after this cursor.` }),
  }))
}

/** The cursor of a key in the connection and the order of this name. */
export function cursorOfKey(name: string, key: string): string {
  return Buffer.from(`${name}:${key}`).toString('base64url')
}

/** The key of a cursor. Throws `invalid_request` for a cursor of another connection or order. */
export function keyOfCursor(
  field: string,
  name: string,
  cursor: string | null | undefined,
  isKey: (key: string) => boolean,
): string | undefined {
  if (cursor == null) return undefined
  const key = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(name.length + 1)
  if (key !== '' && isKey(key) && cursorOfKey(name, key) === cursor) return key
  throw invalidRequest([
    { field, details: `${field} must be a cursor from this connection and order; got ${shown(cursor)}` },
  ])
}

export function firstArg(max: number, usual = max) {
  return { description: `Maximum number of items: 1 to ${max}. Default: ${usual}. The list has no further pages.` }
}

/** The value of `firstArg`. Resolvers check it: zod's plugin would make a promise for each item that has the list. */
export function requireFirst(first: number | null | undefined, max: number, usual = max): number {
  if (first == null) return usual
  const limit = first < 1 ? 'least 1' : `most ${max}`
  if (first < 1 || first > max) {
    throw invalidRequest([{ field: 'first', details: `first must be at ${limit}; got ${first}` }])
  }
  return first
}

/** The cost of a list with `firstArg`: the requested number of items, by default a typical number. */
export function firstCost(typical: number) {
  return ({ first }: { first?: number | null | undefined }) => ({ field: 1, multiplier: first ?? typical })
}

/** The cost of a list that takes one statement per store. */
export function perStore<Args>(cost: (args: Args) => { field: number; multiplier: number }) {
  return (args: Args) => ({ ...cost(args), field: 10 })
}
