import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { onlyRow } from '../../../database/only-row.ts'
import type { Catalogue } from '../../catalogue.ts'
import { codesChangedSince } from '../../changes/recent-products.ts'
import { type Condition, containing, type Sql } from '../../conditions.ts'
import { type Compiled, compile, hasSubstring } from './compile.ts'
import type { ProductFilter } from './product-filter.ts'
import type { Source } from './source.ts'

/** More codes are not read first. */
const maxCodes = 10_000

/** A substring is common if this many of the first `probed` products of the store have it. */
const common = 40
const probed = 2_000

/** The index of parts of codes has only substrings with three such characters in a row. */
const trigram = /[a-z0-9]{3}/i

/**
 * Compiles a filter, with the codes of all products that may match where a search or the ledger finds that they are
 * few: they are then read by their keys.
 */
export async function compileNarrowed(catalogue: Catalogue, source: Source, filter: ProductFilter): Promise<Compiled> {
  return compile(source, await narrowByCodes(catalogue, source, filter))
}

async function narrowByCodes(catalogue: Catalogue, source: Source, filter: ProductFilter): Promise<ProductFilter> {
  if (filter.codes != null) return filter
  const found = filter.search == null ? undefined : await codesWith(catalogue, source, filter.search)
  if (found) return { ...filter, search: undefined, codes: found }
  const from = filter.updatedAt?.from
  const changed = from && (await codesChangedSince(catalogue, source.uuid, from))
  return changed ? { ...filter, codes: changed } : filter
}

/** The codes of the products that have a substring; undefined if they are many. A sample excludes common ones first. */
async function codesWith({ db }: Catalogue, source: Source, search: string): Promise<string[] | undefined> {
  const { uuid, searched } = source
  if (!trigram.test(search) || (searched?.length ?? 0) > 0) return undefined
  const { rows: probes } = await sql<{ isRare: boolean }>`
    select count(*) = ${probed} and count(*) filter (where ${hasSubstring(source, search)}) < ${common} as "isRare"
    from (
      select product_code from product where store_uuid = ${uuid} order by product_code limit ${probed}
    ) p`.execute(db)
  if (!onlyRow(probes).isRare) return undefined
  const { rows } = await sql<{ code: string }>`
    select codes_like(${uuid}::uuid, ${containing(search)}, ${searched === undefined}, ${maxCodes + 1}) as code`.execute(
    db,
  )
  return rows.length <= maxCodes ? rows.map(({ code }) => code) : undefined
}

/** Products are read first by the condition that at most this many meet. */
const maxFew = 10_000

/** What a statement reads: a FROM item of products `p`, and the common table expression that it needs, if any. */
interface Narrowed {
  from: Sql
  few?: Sql
  /** SQL: whether that has all of them: more products may have come to meet the condition. */
  isWhole?: Condition
}

/**
 * Reads the products that meet one of the conditions first, if they are few. PostgreSQL would not choose that: its
 * statistics are those of all stores, in which an attribute of another store may have the same slot.
 */
export async function narrowByIndex({ db }: Catalogue, source: Source, { indexed }: Compiled): Promise<Narrowed> {
  const all = { from: sql`${sql.table(source.table)} p` }
  if (source.table === 'product' || indexed.length === 0) return all
  // The order makes PostgreSQL read the index, whatever it expects to find; several keys would have to be sorted.
  const codes = ({ where, key }: (typeof indexed)[number]) => sql`
      select p.product_code from product_index p where p.store_uuid = ${source.uuid} and ${where}
      ${key ? sql`order by ${key}, p.product_code` : sql``} limit ${maxFew + 1}`
  const counts = indexed.map((condition) => sql`(select count(*)::int from (${codes(condition)}) l)`)
  const { rows } = await sql<{ counts: number[] }>`
    ${customPlan} select array[${sql.join(counts)}] as counts`.execute(db)
  const { counts: found } = onlyRow(rows)
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
