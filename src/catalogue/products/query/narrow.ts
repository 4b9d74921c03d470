import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import type { Catalogue } from '../../catalogue.ts'
import type { Compiled } from './compile.ts'
import type { Source } from './source.ts'

/** If at most so many products meet a condition, they are read first, whatever else is asked. */
const maxFew = 5_000

/** What a statement reads: a FROM item of products `p`, and the common table expression that it needs, if any. */
export interface Read {
  from: RawBuilder<unknown>
  few?: RawBuilder<unknown>
  /** SQL: whether that has all of them: more products may have come to meet the condition. */
  isWhole?: RawBuilder<boolean>
}

/**
 * Reads the products that meet one of the conditions first, if they are few. PostgreSQL does not know it: its
 * statistics are those of all stores, in which an attribute of another store may have the same slot.
 */
export async function narrow({ db }: Catalogue, source: Source, { indexed }: Compiled): Promise<Read> {
  const all = { from: sql`${sql.table(source.table)} p` }
  if (source.table === 'product' || indexed.length === 0) return all
  // The order makes PostgreSQL read the index, whatever it expects to find; several keys would have to be sorted.
  const codes = ({ where, key }: (typeof indexed)[number]) => sql`
      select p.product_code from product_index p where p.store_uuid = ${source.uuid} and ${where}
      ${key ? sql`order by ${key}, p.product_code` : sql``} limit ${maxFew + 1}`
  const counts = indexed.map((condition) => sql`(select count(*)::int from (${codes(condition)}) l)`)
  const { rows } = await sql<{ counts: number[] }>`
    ${customPlan} select array[${sql.join(counts)}] as counts`.execute(db)
  const found = rows[0]?.counts ?? []
  const fewest = Math.min(...found)
  const condition = indexed[found.indexOf(fewest)]
  if (condition === undefined || fewest > maxFew) return all
  const few = sql`few as materialized (
      select r.* from (${codes(condition)}) l cross join lateral (
        select * from product_index where store_uuid = ${source.uuid} and product_code = l.product_code
        offset 0
      ) r
    )`
  return { from: sql`few p`, few, isWhole: sql`(select count(*) from few) <= ${maxFew}::integer` }
}
