import { sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'
import { write } from '../transaction.ts'
import { refreshValues } from './refresh-values.ts'

const batchSize = 1_000

/**
 * What is to be indexed in a store: for each filterable attribute that is not yet, the job that has begun to, or null;
 * whether there are values of attributes that are filterable no more; and whether all can be done at once.
 */
export async function findUnindexed({ db }: Catalogue, storeUuid: string) {
  const { rows } = await sql<{ jobs: (string | null)[]; isStale: boolean; isSmall: boolean }>`
    select coalesce((
        select array_agg(indexed_by) from attribute_definition
        where store_uuid = ${storeUuid} and slot is not null and not is_indexed
      ), '{}') as jobs, exists (
        select from generate_series(0, 8) s
        where exists (select from value_count where store_uuid = ${storeUuid} and slot = s and products > 0)
          and not exists (
            select from attribute_definition where store_uuid = ${storeUuid} and slot is not null and (slot = s or s = 0))
      ) as "isStale",
      not exists (select from product where store_uuid = ${storeUuid} offset ${batchSize}) and not exists (
        select from product_value where store_uuid = ${storeUuid} offset ${batchSize}) as "isSmall"`.execute(db)
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
  const isAny = await write(catalogue, false, (work) => claim(work, storeUuid, by))
  const table = sql.table(isAny ? 'product' : 'product_value')
  let last = ''
  for (let done = 0; ; ) {
    const codes = await write(catalogue, false, (work) => indexBatch(work, storeUuid, table, last))
    done += codes.length
    onProgress(done)
    if (codes.length < batchSize) break
    last = codes.at(-1) ?? ''
  }
  await sql`
    update attribute_definition set is_indexed = true, indexed_by = null
    where store_uuid = ${storeUuid} and indexed_by = ${by}::uuid and slot is not null`.execute(catalogue.db)
  // Until PostgreSQL does so by itself, its plans would be those for empty tables. It is of use, not needed.
  if (!catalogue.db.isTransaction) await sql`analyze product_value, value_count`.execute(catalogue.db).catch(() => {})
}

/** The lock waits for definitions that are being written: those who write them see that the job has yet to begin. */
async function claim(work: WriteCatalogue, storeUuid: string, by: string): Promise<boolean> {
  await lockStore(work, storeUuid, { definitions: 'all' })
  const { rows } = await sql<{ isAny: boolean }>`
    with claimed as (
      update attribute_definition set indexed_by = ${by}::uuid
      where store_uuid = ${storeUuid} and slot is not null and not is_indexed
    )
    select exists (select from attribute_definition where store_uuid = ${storeUuid} and slot is not null) as "isAny"`.execute(
    work.db,
  )
  return rows[0]?.isAny ?? false
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
