import { sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { allOf, type Split } from '../conditions.ts'

/** How many items of changes are read at most to find the products that were changed last. */
const maxItems = 50_000

/**
 * Splits the products that were last changed before a time: the first part has at least as many as `wanted`, if there
 * are, which were changed last by the ledger. It is empty if the ledger lacks changes, or has too many. `from`: of the
 * time before it no products are listed. A statement of its own: on a worker node of Citus, a function cannot read
 * distributed tables.
 */
export async function splitByRecent(
  catalogue: Catalogue,
  storeUuid: string,
  before: string | null,
  wanted: number,
  from: Date | null | undefined,
): Promise<Split> {
  const { rows } = await sql<{ since: string | null; codes: string[] | null }>`
    select since::text, codes from changed_products(${visibleStore(catalogue, storeUuid)}::uuid,
      ${before ?? 'infinity'}::timestamptz, ${wanted}::integer, ${maxItems}::integer)`.execute(catalogue.db)
  const { since, codes } = rows[0] ?? { since: null, codes: null }
  if (since === null) return [sql`false`, sql`true`]
  return [
    sql`p.updated_at >= ${since}::timestamptz and p.product_code = any(${codes}::text[])`,
    allOf([sql`p.updated_at < ${since}::timestamptz`, from != null && sql`${from} < ${since}::timestamptz`]),
  ]
}

/** So many codes are sent to the database again. */
const mostSent = 10_000

/**
 * The codes of all products that were changed since a time, with some that were changed before or deleted. Undefined if
 * they are many, or the ledger lacks changes.
 */
export async function changedSince(catalogue: Catalogue, storeUuid: string, time: Date): Promise<string[] | undefined> {
  const { rows } = await sql<{ codes: string[] | null }>`
    select case when since <= ${time}::timestamptz then codes end as codes
    from changed_products(${visibleStore(catalogue, storeUuid)}::uuid, ${time}::timestamptz, 1, ${mostSent}::integer)`.execute(
    catalogue.db,
  )
  return rows[0]?.codes ?? undefined
}
