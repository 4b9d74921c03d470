import { type RawBuilder, sql } from 'kysely'
import type { AttributeFailure, GoodPatch } from './product-patches.ts'

/** The most that a product's attributes may be together, as PostgreSQL holds them: whatever one request can bring fits, and a page of one product can be read. */
const mostMebibytes = 16
export const mostBytes = mostMebibytes * 1024 * 1024

/** What is stored in less cannot grow beyond by one request, however well it was compressed: it need not be looked at. */
export const surelyFits = 16 * 1024

/** Whether a product's attributes, given as stored, still fit with others merged in. */
export function fitsWith(stored: RawBuilder<unknown>, added: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(pg_column_size(${stored}) < ${sql.lit(surelyFits)}
    or pg_column_size(${stored} || ${added}) <= ${sql.lit(mostBytes)})`
}

/** Why a patch failed whose product would grow beyond. */
export function sizeFailures(patch: GoodPatch | undefined): AttributeFailure[] {
  const [attribute = 'attributes'] = Object.keys(patch?.attributes ?? {})
  return [{ attribute, reason: `the product's attributes must take at most ${mostMebibytes} MiB together` }]
}
