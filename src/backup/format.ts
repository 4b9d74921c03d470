import { z } from 'zod'
import { namesOf } from '../database/registry/table-registry.ts'

/**
 * A backup is an SQL script, which `psql` can run too: a header, one `COPY` for each table (a line for each row, then
 * `\.`), and an end line with row counts and a checksum. https://www.postgresql.org/docs/current/sql-copy.html
 */
export const headerShape = z.object({
  /** The version of this format. */
  catalogue_backup: z.literal(1),
  /** The gateway's version. */
  version: z.string(),
  migrations: z.array(z.string()),
  created_at: z.string(),
})

export type Header = z.infer<typeof headerShape>

/** How many rows a backup has of each table. */
export type RowCounts = Record<string, number>

/** The tables of a backup, in the order in which a restore fills them. */
export const tables = namesOf(({ backedUp }) => backedUp)

export const beginning = "begin; set local client_encoding = 'UTF8';"
export const endOfRows = '\\.'
/** What is derived from products is built again. */
export const rebuilding =
  "insert into product_dirty (store_uuid, at, codes) select store_uuid, 'infinity', '{}' from store;"
export const ending = 'commit;'

export function headerLine(header: Header): string {
  return `-- ${JSON.stringify(header)}`
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
