import { z } from 'zod'
import { namesOf } from '../database/registry/table-registry.ts'

/**
 * A backup is an SQL script, which `psql` can run too: a header, a part for each store and one for what belongs to no
 * store, and an end line with row counts and a checksum. Each part is a transaction with a `COPY` for each table that
 * has rows: a line for each row, then `\.`. https://www.postgresql.org/docs/current/sql-copy.html
 */
export const headerShape = z.object({
  /** The version of this format. */
  catalogue_backup: z.literal(2),
  /** The gateway's version. */
  version: z.string(),
  migrations: z.array(z.string()),
  created_at: z.string(),
  /** In a backup of one store: since when it has all changes of the store. */
  recorded_since: z.iso.datetime({ offset: true }).optional(),
})

export type Header = z.infer<typeof headerShape>

/** How many rows a backup has of each table. */
export type RowCounts = Record<string, number>

/** A store, or what belongs to no store. */
export type Part = string | undefined

export const ledger = 'change'

/** The tables of a part, in the order in which a restore fills them. Only a backup of one store has its ledger. */
export function tablesOf(part: Part, { recorded_since }: Pick<Header, 'recorded_since'>): string[] {
  const names = namesOf(({ backedUp, withoutPolicy }) => backedUp && !withoutPolicy === (part !== undefined))
  return part !== undefined && recorded_since !== undefined ? [...names, ledger] : names
}

/** Positions in the ledger are those of one database: a restore gives new ones, in the same order. */
export const positions = ['tx', 'seq']

export const encoding = "set client_encoding = 'UTF8';"
export const endOfRows = '\\.'
export const commit = 'commit;'

export function headerLine(header: Header): string {
  return `-- ${JSON.stringify(header)}`
}

export function partLine(part: Part): string {
  return `begin; -- ${part ?? 'what belongs to no store'}`
}

/** The part that a line begins; null if it begins none. */
export function partOf(line: string): Part | null {
  if (line === partLine(undefined)) return undefined
  return /^begin; -- ([0-9a-f-]{36})$/.exec(line)?.[1] ?? null
}

/** The statements before the rows of a store: the ledger needs partitions for its days. */
export function preparing({ recorded_since }: Pick<Header, 'recorded_since'>, store: string): string[] {
  return recorded_since === undefined ? [] : [takeOver(store, `'${recorded_since}'`)]
}

/** The ledger of the store begins there. */
export function takeOver(store: string, recordedSince: string): string {
  return `select take_over_changes('${store}', ${recordedSince});`
}

/**
 * The statements after them, in a line: a copy does not post to the receivers of the original, and what is derived from
 * products is built again.
 */
export function rebuilding(store: string): string {
  const changes =
    "state = 'disabled', ping = null, pending = null, pending_since = null, lease_id = null, lease_until = null"
  return `update webhook set ${changes} where store_uuid = '${store}'; insert into product_dirty (store_uuid, at, codes) values ('${store}', 'infinity', '{}');`
}

export function copyLine(table: string, columns: string): string {
  return `copy ${table} (${columns}) from stdin;`
}

/** `sha256`: of the text before this line. */
export function endLine(rows: RowCounts, sha256: string): string {
  return `-- ${JSON.stringify({ rows, sha256 })}`
}

export function countLines(text: Buffer): number {
  let count = 0
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count++
  return count
}

export const lineFeed = 10
