import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { Catalogue } from '../catalogue.ts'
import { databaseTime } from '../projections/as-of.ts'

/** How many items of changes are read at most to find the products that were changed last. */
const maxItems = 50_000

/** Products `p` that were changed last. `isAll`: all that were changed since a time are among them. */
interface LastChanged {
  where: RawBuilder<boolean>
  isAll: boolean
  /** Later changes are not considered. */
  asOf: Date
}

/**
 * The products that were changed last before a time, by the ledger: at least `wanted`, or all. Undefined if the ledger
 * lacks changes, or has too many. `from`: the time of `isAll`. A statement of its own: on a worker node of Citus, a
 * function cannot read distributed tables.
 */
export async function changedLast(
  { db }: Catalogue,
  uuid: string | null,
  before: string | Date | null,
  wanted: number,
  from: string | Date | null | undefined,
): Promise<LastChanged | undefined> {
  const { rows } = await sql<{ since: string | null; isAll: boolean; codes: string[]; asOf: Date }>`
    select since::text as since, coalesce(since <= ${from ?? null}::timestamptz, false) as "isAll", codes,
      ${databaseTime} as "asOf"
    from changed_products(${uuid}::uuid,
      ${before ?? 'infinity'}::timestamptz, ${wanted}::integer, ${maxItems}::integer)`.execute(db)
  const { since, isAll, codes, asOf } = onlyRow(rows)
  if (since === null) return undefined
  return { where: sql`p.updated_at >= ${since}::timestamptz and p.product_code = any(${codes}::text[])`, isAll, asOf }
}

/** More codes are not worth sending back to the database. */
const maxSent = 10_000

/**
 * The codes of all products that were changed since a time, with some that were changed before or deleted. Undefined if
 * they are many, or the ledger lacks changes.
 */
export async function codesChangedSince(
  { db }: Catalogue,
  uuid: string | null,
  time: Date,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ codes: string[] | null }>`
    select case when since <= ${time}::timestamptz then codes end as codes
    from changed_products(${uuid}::uuid, ${time}::timestamptz, 1, ${maxSent}::integer)`.execute(db)
  return onlyRow(rows).codes ?? undefined
}
