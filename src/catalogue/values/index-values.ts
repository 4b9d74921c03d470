import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../database/connection/session.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'
import { write } from '../transaction.ts'
import { refreshValues } from './refresh-values.ts'
import { maxFilterable } from './slots.ts'
import { statusSlot } from './value-keys.ts'

const batchSize = 1_000

const slots = Array.from({ length: maxFilterable + 1 }, (_, i) => i)

/** The names of a store's searchable attributes, as they are now. */
const searchable = (storeUuid: string) =>
  sql`array(select name from attribute_definition where store_uuid = ${storeUuid} and searchable order by name)`

/** Whether a definition is searchable and `product_text` does not have it, or was made with other attributes. */
export const isUnsearched = (storeUuid: string) =>
  sql<boolean>`searchable and (is_searched and searched_with = ${searchable(storeUuid)}) is not true`

/** Whether attributes of a store are filterable or searchable, but not indexed. */
export async function isUnindexed({ db }: Catalogue, storeUuid: string): Promise<boolean> {
  const { rows } = await sql`
    select from attribute_definition where store_uuid = ${storeUuid}
      and (slot is not null and not is_indexed or ${isUnsearched(storeUuid)}) limit 1`.execute(db)
  return rows.length > 0
}

/**
 * The index work of a store. `jobs`: for each attribute without an index, the job that has claimed it, or null.
 * `isStale`: there are values of attributes that are no longer filterable or searchable. `isSmall`: a request can do
 * the work. The subqueries have an order so that PostgreSQL reads an index and not the rows of all stores.
 */
export async function findUnindexed({ db }: Catalogue, storeUuid: string) {
  const hasSlot = (slot: RawBuilder<boolean>) =>
    sql`exists (select from attribute_definition where store_uuid = ${storeUuid} and ${slot})`
  const isStale = [
    sql`${searchable(storeUuid)} = '{}' and exists (
        select from product_text where store_uuid = ${storeUuid} order by product_code limit 1)`,
    sql`not ${hasSlot(sql`slot is not null`)} and exists (
        select from product_value where store_uuid = ${storeUuid} order by product_code limit 1)`,
    ...slots.map(
      (slot) => sql`not ${hasSlot(slot === statusSlot ? sql`slot is not null` : sql`slot = ${slot}`)} and exists (
        select from product_key where store_uuid = ${storeUuid} and slot = ${slot} order by key, product_code limit 1)`,
    ),
  ]
  const isLarge = (table: string) => sql`exists (
        select from ${sql.table(table)} where store_uuid = ${storeUuid} order by product_code offset ${batchSize} limit 1)`
  const { rows } = await sql<{ jobs: (string | null)[]; isStale: boolean; isSmall: boolean }>`
    select array(
        select indexed_by from attribute_definition
        where store_uuid = ${storeUuid} and slot is not null and not is_indexed
      ) || array(
        select case when searched_with = ${searchable(storeUuid)} then searched_by end from attribute_definition
        where store_uuid = ${storeUuid} and ${isUnsearched(storeUuid)}
      ) as jobs, ${sql.join(isStale, sql` or `)} as "isStale",
      not ${isLarge('product')} and not ${isLarge('product_value')} as "isSmall"`.execute(db)
  return rows[0] ?? { jobs: [], isStale: false, isSmall: false }
}

/**
 * Indexes the values of all products of a store for the attributes that are filterable at its start, then marks the
 * attributes as indexed. `by`: the unique id of the job. Uses a transaction for each batch, or the catalogue's. Can be
 * run again after a failure.
 */
export async function indexValues(
  catalogue: Catalogue,
  storeUuid: string,
  by: string,
  onProgress: (products: number) => void = () => {},
): Promise<void> {
  while (!(await write(catalogue, false, (work) => claim(work, storeUuid, by)))) onProgress(0)
  let last = ''
  for (let done = 0; ; ) {
    const codes = await write(catalogue, false, (work) => indexBatch(work, storeUuid, by, last))
    done += codes.length
    onProgress(done)
    if (codes.length < batchSize) break
    last = codes.at(-1) ?? ''
  }
  // Plans would be those for empty tables until autovacuum runs. An error does not matter.
  if (!catalogue.db.isTransaction)
    await sql`analyze product_value, product_key, value_count, product_text`.execute(catalogue.db).catch(() => {})
}

/** How many keys a transaction deletes: the writers of the store wait for it. */
const keysAtOnce = 10_000

/**
 * Claims the slots to fill, and returns true; or deletes some of the keys that other attributes have left, and returns
 * false. The locks exclude writers of definitions and products, which read the claims.
 */
async function claim(work: WriteCatalogue, storeUuid: string, by: string): Promise<boolean> {
  await lockStore(work, storeUuid, { definitions: 'all', products: 'all' })
  const { numAffectedRows } = await sql`
    ${customPlan} delete from product_key k using (
      select s.slot, old.key, old.product_code
      from generate_series(${statusSlot}::integer, ${maxFilterable}::integer) s(slot) cross join lateral (
        select key, product_code from product_key
        where store_uuid = ${storeUuid} and slot = s.slot::smallint and not exists (
          select from attribute_definition d where d.store_uuid = ${storeUuid}
            and (d.slot = s.slot or s.slot = ${statusSlot}::integer and d.slot is not null) and (d.is_indexed or d.indexed_by is not null))
        order by key, product_code
        limit ${keysAtOnce}
      ) old
      limit ${keysAtOnce}
    ) old
    where k.store_uuid = ${storeUuid} and k.slot = old.slot and k.key = old.key and k.product_code = old.product_code`.execute(
    work.db,
  )
  if (numAffectedRows === BigInt(keysAtOnce)) return false
  await sql`
    delete from value_count where store_uuid = ${storeUuid} and slot = any(array(
      select slot from attribute_definition where store_uuid = ${storeUuid} and slot is not null and not is_indexed))`.execute(
    work.db,
  )
  await sql`
    update attribute_definition set indexed_by = ${by}::uuid, indexed_to = '', is_counted = true
    where store_uuid = ${storeUuid} and slot is not null and not is_indexed`.execute(work.db)
  await sql`
    update attribute_definition set searched_by = ${by}::uuid, is_searched = false, searched_with = ${searchable(storeUuid)}
    where store_uuid = ${storeUuid} and ${isUnsearched(storeUuid)}`.execute(work.db)
  return true
}

/** The locks exclude writers of definitions and products. */
async function indexBatch(work: WriteCatalogue, storeUuid: string, by: string, last: string) {
  await lockStore(work, storeUuid, { definitions: 'all', products: 'all' })
  const { rows } = await sql<{ code: string }>`
    select product_code as code from product where store_uuid = ${storeUuid} and product_code > ${last}
    order by product_code limit ${batchSize}`.execute(work.db)
  const codes = rows.map(({ code }) => code)
  await refreshValues(work, storeUuid, codes)
  if (codes.length > 0) {
    await sql`select count_product_values(${storeUuid}::uuid, ${codes}::text[], ${by}::uuid)`.execute(work.db)
  }
  if (codes.length < batchSize) await finish(work, storeUuid, by)
  return codes
}

/**
 * Marks the attributes as indexed, in the transaction of the last batch. Deletes counts of free slots and of slots that
 * are no longer counted.
 */
async function finish(work: WriteCatalogue, storeUuid: string, by: string) {
  await sql`
    delete from value_count where store_uuid = ${storeUuid} and slot <> all(array(
      select slot from attribute_definition where store_uuid = ${storeUuid} and is_counted and slot is not null))`.execute(
    work.db,
  )
  await sql`
    update attribute_definition set is_indexed = true, indexed_by = null, indexed_to = null
    where store_uuid = ${storeUuid} and indexed_by = ${by}::uuid and slot is not null`.execute(work.db)
  await sql`
    update attribute_definition set is_searched = true, searched_by = null
    where store_uuid = ${storeUuid} and searched_by = ${by}::uuid`.execute(work.db)
}
