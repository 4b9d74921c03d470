import { type RawBuilder, sql } from 'kysely'
import { type ChangeRow, changeColumns, changeOf, headColumns, type ReadChange } from './change.ts'

/** About how many bytes of items a page has, unless a single change has more. */
const usualBytes = 2 * 1024 * 1024

/** A row of a page. The columns of the change are null if the page is empty. */
export type PageRow = { [Name in keyof ChangeRow]: ChangeRow[Name] | null } & { found: number }

/** `HasItems`: as the page was read. */
export function changesOf<HasItems extends boolean>(rows: readonly PageRow[], ledger: string, limit: number) {
  const isChange = (row: PageRow): row is ChangeRow & { found: number } => row.tx !== null
  const found = rows.filter(isChange).slice(0, limit)
  const changes = found.map((row) => changeOf(row, ledger) as ReadChange<HasItems>)
  return { changes, hasMore: (rows[0]?.found ?? 0) > changes.length }
}

/** With items, a page ends after `maxBytes` of them. */
export function pageOfChanges(
  changes: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
  hasItems: boolean,
  maxBytes = usualBytes,
) {
  if (!hasItems) {
    return sql`
    select ${headColumns}, (count(*) over ())::int as found
    from (select k.* from ${changes} k order by ${order} limit ${limit}) c`
  }
  return sql`
    select ${changeColumns}, c.found from (
      select k.*, (count(*) over ())::int as found,
        sum(pg_column_size(k.codes) + pg_column_size(k.keys)) over (order by k.number) as bytes
      from (
        select k.*, row_number() over (order by ${order}) as number from ${changes} k
        order by ${order} limit ${limit}
      ) k
    ) c
    where c.number = 1 or c.bytes <= ${maxBytes}`
}
