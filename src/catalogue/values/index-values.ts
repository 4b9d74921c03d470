import { type RawBuilder, sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'
import { write } from '../transaction.ts'
import { refreshValues } from './refresh-values.ts'
import { mostFilterable } from './slots.ts'
import { keyColumn } from './value-columns.ts'

const batchSize = 1_000
/** The values of an attribute that has more are not counted: as in product-values.sql. */
const mostCounted = 5_000
/** So many products tell whether there are more. */
const sampleSize = 20_000

const slots = Array.from({ length: mostFilterable }, (_, i) => i + 1)

/** Whether attributes of a store are filterable, but not indexed. */
export async function isUnindexed({ db }: Catalogue, storeUuid: string): Promise<boolean> {
  const { rows } = await sql`
    select from attribute_definition where store_uuid = ${storeUuid} and slot is not null and not is_indexed limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * What is to be indexed in a store: for each filterable attribute that is not yet, the job that has begun to, or null;
 * whether there are values of attributes that are filterable no more; and whether all can be done at once. What is
 * looked for is ordered: whatever statistics say, an index is read, and not the rows of all stores.
 */
export async function findUnindexed({ db }: Catalogue, storeUuid: string) {
  const hasSlot = (slot: RawBuilder<boolean>) =>
    sql`exists (select from attribute_definition where store_uuid = ${storeUuid} and ${slot})`
  const isStale = [
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
    select coalesce((
        select array_agg(indexed_by) from attribute_definition
        where store_uuid = ${storeUuid} and slot is not null and not is_indexed
      ), '{}') as jobs, ${sql.join(isStale, sql` or `)} as "isStale",
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
  const { isAny, claimed } = await write(catalogue, false, (work) => claim(work, storeUuid, by))
  const table = sql.table(isAny ? 'product' : 'product_value')
  let last = ''
  for (let done = 0; ; ) {
    const codes = await write(catalogue, false, (work) => indexBatch(work, storeUuid, table, last))
    done += codes.length
    onProgress(done)
    if (codes.length < batchSize) break
    last = codes.at(-1) ?? ''
  }
  for (const slot of claimed) await write(catalogue, false, (work) => countSlot(work, storeUuid, slot, by))
  await write(catalogue, false, (work) => finish(work, storeUuid, by))
  // Until PostgreSQL does so by itself, its plans would be those for empty tables. It is of use, not needed.
  if (!catalogue.db.isTransaction) await sql`analyze product_value, value_count`.execute(catalogue.db).catch(() => {})
}

/** The lock waits for definitions that are being written: those who write them see that the job has yet to begin. */
async function claim(work: WriteCatalogue, storeUuid: string, by: string) {
  await lockStore(work, storeUuid, { definitions: 'all' })
  const { rows } = await sql<{ isAny: boolean; claimed: number[] }>`
    with claimed as (
      update attribute_definition set indexed_by = ${by}::uuid, is_counted = false
      where store_uuid = ${storeUuid} and slot is not null and not is_indexed
      returning slot
    )
    select exists (select from attribute_definition where store_uuid = ${storeUuid} and slot is not null) as "isAny",
      array(select slot from claimed) as claimed`.execute(work.db)
  return rows[0] ?? { isAny: false, claimed: [] }
}

/** The lock waits for all who write products: who does so later sees which attributes are filterable now. */
async function indexBatch(work: WriteCatalogue, storeUuid: string, table: ReturnType<typeof sql.table>, last: string) {
  await lockStore(work, storeUuid, { products: 'all' })
  const { rows } = await sql<{ code: string }>`
    select product_code as code from ${table} where store_uuid = ${storeUuid} and product_code > ${last}
    order by product_code limit ${batchSize}`.execute(work.db)
  const codes = rows.map(({ code }) => code)
  await refreshValues(work, storeUuid, codes)
  return codes
}

/** Counts the values of a slot, unless they are very many. From then on those who write products count them. */
async function countSlot(work: WriteCatalogue, storeUuid: string, slot: number, by: string) {
  await lockStore(work, storeUuid, { definitions: 'all', products: 'all' })
  await sql`delete from value_count where store_uuid = ${storeUuid} and slot = ${slot}`.execute(work.db)
  await sql`
    with sample as materialized (
      select count(distinct value) <= ${mostCounted}::integer as is_few
      from (select texts[${slot}] as value from product_value where store_uuid = ${storeUuid} limit ${sampleSize}) v
    ), counted as materialized (
      select left(texts[${slot}], 255) as value, count(*)::integer as products from product_value
      where store_uuid = ${storeUuid} and (select is_few from sample)
      group by 1
    ), few as materialized (
      select is_few and (select count(*) from counted) <= ${mostCounted}::integer as is_few from sample
    ), written as (
      insert into value_count (store_uuid, slot, value, products)
      select ${storeUuid}::uuid, ${slot}, value, products from counted
      where value is not null and (select is_few from few)
      order by value
    )
    update attribute_definition set is_counted = true
    where store_uuid = ${storeUuid} and slot = ${slot} and indexed_by = ${by}::uuid and (select is_few from few)`.execute(
    work.db,
  )
}

/** What is indexed can be used. Counts of slots that hold nothing, or are not counted any more, are deleted. */
async function finish(work: WriteCatalogue, storeUuid: string, by: string) {
  await lockStore(work, storeUuid, { definitions: 'all' })
  await sql`
    delete from value_count where store_uuid = ${storeUuid} and slot <> all(array(
      select slot from attribute_definition where store_uuid = ${storeUuid} and is_counted and slot is not null))`.execute(
    work.db,
  )
  await sql`
    update attribute_definition set is_indexed = true, indexed_by = null
    where store_uuid = ${storeUuid} and indexed_by = ${by}::uuid and slot is not null`.execute(work.db)
}
