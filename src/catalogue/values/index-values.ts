import { type RawBuilder, sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'
import { write } from '../transaction.ts'
import { refreshValues } from './refresh-values.ts'
import { mostFilterable } from './slots.ts'
import { keyColumn } from './value-columns.ts'

const batchSize = 1_000

const slots = Array.from({ length: mostFilterable }, (_, i) => i + 1)

/** The names of a store's searchable attributes, as they are now. */
const searchable = (storeUuid: string) =>
  sql`array(select name from attribute_definition where store_uuid = ${storeUuid} and searchable order by name)`

/** Whether a definition is searchable, but `product_text` was not made, or not with the same others. */
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
 * What is to be indexed in a store: for each attribute that is not yet, the job that has begun to, or null; whether
 * there are values of attributes that are filterable or searchable no more; and whether all can be done at once. What
 * is looked for is ordered: whatever statistics say, an index is read, and not the rows of all stores.
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
      (slot) => sql`not ${hasSlot(sql`slot = ${slot}`)} and exists (
        select from product_value p where store_uuid = ${storeUuid} and ${keyColumn(slot)} is not null
        order by ${keyColumn(slot)} limit 1)`,
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
 * Makes the values of all products of a store those of the attributes that are filterable when it begins, and the
 * attributes usable. `by`: the id of the job, which is that of no other. In a transaction for each batch, or in the one
 * of the catalogue. May be repeated from the start.
 */
export async function indexValues(
  catalogue: Catalogue,
  storeUuid: string,
  by: string,
  onProgress: (products: number) => void = () => {},
): Promise<void> {
  await write(catalogue, false, (work) => claim(work, storeUuid, by))
  let last = ''
  for (let done = 0; ; ) {
    const codes = await write(catalogue, false, (work) => indexBatch(work, storeUuid, by, last))
    done += codes.length
    onProgress(done)
    if (codes.length < batchSize) break
    last = codes.at(-1) ?? ''
  }
  // Until PostgreSQL does so by itself, its plans would be those for empty tables. It is of use, not needed.
  if (!catalogue.db.isTransaction)
    await sql`analyze product_value, value_count, product_text`.execute(catalogue.db).catch(() => {})
}

/**
 * Waits for definitions that are being written: those who write them see that the job has yet to begin. And for who
 * writes products: whoever does so later knows that the job counts them.
 */
async function claim(work: WriteCatalogue, storeUuid: string, by: string): Promise<void> {
  await lockStore(work, storeUuid, { definitions: 'all', products: 'all' })
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
}

/** The locks wait for all who write products: who does so later sees which attributes are filterable now. */
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
 * With the last batch, before anybody writes a product after it: what is indexed can be used. Counts of slots that hold
 * nothing, or are not counted any more, are deleted.
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
