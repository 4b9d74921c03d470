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
}

/**
 * Reads the products that meet one of the conditions first, if they are few. PostgreSQL does not know it: its
 * statistics are those of all stores, in which an attribute of another store may have the same slot.
 */
export async function narrow({ db }: Catalogue, source: Source, { indexed }: Compiled): Promise<Read> {
  const all = { from: sql`${sql.table(source.table)} p` }
  if (source.table === 'product' || indexed.length === 0) return all
  const rows = (where: RawBuilder<boolean>) => sql`product_index p where p.store_uuid = ${source.uuid} and ${where}`
  const counts = indexed.map((where, i) => {
    return sql`(select count(*)::int from (select ${i} from ${rows(where)} limit ${maxFew + 1}) l)`
  })
  const { rows: answers } = await sql<{ counts: number[] }>`
    ${customPlan} select array[${sql.join(counts)}] as counts`.execute(db)
  const found = answers[0]?.counts ?? []
  const fewest = Math.min(...found)
  const where = indexed[found.indexOf(fewest)]
  if (where === undefined || fewest > maxFew) return all
  return { from: sql`few p`, few: sql`few as materialized (select * from ${rows(where)})` }
}
