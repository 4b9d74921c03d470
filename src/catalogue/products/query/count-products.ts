import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { isBare } from '../../conditions.ts'
import type { ProductFilter } from '../list/product-filter.ts'
import { totalOf } from '../product-totals.ts'
import { type Compiled, compile } from './compile.ts'
import { withKnownCodes } from './known-codes.ts'
import { chooseSource, type Source } from './source.ts'

/** The number of products that match. Throws `invalid_request` for attributes that cannot be used. */
export async function countProducts(catalogue: Catalogue, storeUuid: string, filter: ProductFilter): Promise<number> {
  const { status, ...others } = filter
  if (isBare(others))
    return read(catalogue, sql`select ${totalOf(visibleStore(catalogue, storeUuid), status)} as count`)
  const source = await chooseSource(catalogue, storeUuid, { filter })
  const compiled = compile(source, await withKnownCodes(catalogue, source.uuid, filter))
  return read(catalogue, sql`${customPlan} select ${countOf(source, filter, compiled)} as count`)
}

/** The number of products that match: from the totals for a filter by status alone. */
export function countOf(
  { table, uuid }: Source,
  { status, ...others }: ProductFilter,
  { where }: Compiled,
): RawBuilder<number> {
  if (isBare(others)) return totalOf(uuid, status)
  return sql<number>`(select count(*)::int from ${sql.table(table)} p where ${where})`
}

async function read({ db }: Catalogue, statement: RawBuilder<unknown>): Promise<number> {
  const { rows } = await (statement as RawBuilder<{ count: number }>).execute(db)
  return rows[0]?.count ?? 0
}
