import { z } from 'zod'

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

/**
 * The tables of a backup, in the order in which a restore fills them. Left out: jobs, because pg-boss owns their queue;
 * the ledger, because its cursors are valid in one database only (readers get an error for a cursor of another one);
 * readiness, which is counted again; positions of imports and rate limits, which last for minutes.
 */
export const tables = [
  'store',
  'attribute_definition',
  'product',
  'product_total',
  'asset',
  'asset_link',
  'asset_group',
  'asset_group_range',
  'asset_group_total',
  'product_value',
  'product_key',
  'value_count',
  'product_text',
  'channel_requirement',
  'change_reader',
  'measure',
  'token',
  'idempotency_key',
] as const

export const beginning = "begin; set local client_encoding = 'UTF8';"
export const endOfRows = '\\.'
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
