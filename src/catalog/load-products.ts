import { sql } from 'kysely'
import { CopyLines, escaped, escapedJson, type Session } from '../database/copy.ts'
import { CodeSpan } from './code-span.ts'
import { lockStores } from './locks.ts'
import { storeKey } from './store-key.ts'
import type { WriteView } from './viewer.ts'

/** How many of the counted products were created and changed. */
export interface LoadCounts {
  created: number
  updated: number
}

/** A status, or null for that of the product, `new` where there is none; and attributes, a name and a value each. */
export interface LoadedPatch {
  status: string | null
  names: readonly string[]
  values: readonly string[]
}

/** Makes the tables of the session that rows are streamed into. */
export async function prepareLoading({ db }: Session): Promise<void> {
  // A chunk is sorted and hashed in memory: one import at a time has it, not each of many requests.
  await sql`set work_mem = '32MB'`.execute(db)
  await sql`set temp_buffers = '32MB'`.execute(db)
  await sql`create temporary table loaded_product (store_uuid uuid, product_code text collate "C", status text,
    attributes jsonb)`.execute(db)
  await sql`create temporary table loaded_asset (index integer, parent_code text collate "C",
    asset_format text collate "C", url text collate "C")`.execute(db)
}

/** Products to create, or to merge into those that exist, judged already: lines of `store_uuid`, `product_code`, `status`, `attributes`. */
export class LoadedProducts {
  readonly lines = new CopyLines()
  readonly codes = new Set<string>()
  readonly span = new CodeSpan()
  /** The lines, from 1, of those whose status was not given, and of those that are not counted. */
  readonly silent: number[] = []
  readonly uncounted: number[] = []
  count = 0
  private readonly storeUuid: string

  constructor(storeUuid: string) {
    this.storeUuid = storeUuid
  }

  add(code: string, { status, names, values }: LoadedPatch, isCounted: boolean): void {
    this.codes.add(code)
    this.span.add(code)
    this.count++
    if (status === null) this.silent.push(this.count)
    if (!isCounted) this.uncounted.push(this.count)
    this.lines.add(`${this.storeUuid}\t${escaped(code)}\t${status ?? 'new'}\t${jsonOf(names, values)}`)
  }
}

/** A JSON object as it stands in a line. */
function jsonOf(names: readonly string[], values: readonly string[]): string {
  let text = '{'
  for (let i = 0; i < names.length; i++) {
    text += `${i > 0 ? ',' : ''}${escapedJson(names[i] ?? '')}:${escapedJson(values[i] ?? '')}`
  }
  return `${text}}`
}

/**
 * Creates and merges products as `upsertProducts` does, by way of `COPY`: where all are new, straight into the table. Those of one code are merged in their
 * order. Six statements at most, whatever their number.
 */
export async function loadProducts(
  session: Session,
  transaction: WriteView,
  storeUuid: string,
  products: LoadedProducts,
): Promise<LoadCounts> {
  const { count, codes, uncounted, lines } = products
  if (count === 0) return { created: 0, updated: 0 }
  await lockStores(transaction, new Map([[storeUuid, { products: 'all' }]]))
  if (codes.size < count || (await hasProducts(transaction, storeUuid, products))) {
    return mergeProducts(session, transaction, storeUuid, products)
  }
  await session.copy('product (store_uuid, product_code, status, attributes)', lines.take())
  return { created: count - uncounted.length, updated: 0 }
}

/**
 * Whether the store has one of the products. Where nothing lies between the first of their codes and the last, it takes one look: at the next code behind the
 * first, asked for in such a way that the index alone can answer. Whether there is any between two codes, PostgreSQL would find out by reading all of the store.
 */
async function hasProducts(db: WriteView, storeUuid: string, { codes, span }: LoadedProducts): Promise<boolean> {
  const ends = span.ends()
  if (ends) {
    const { rows } = await sql<{ next: string }>`
      select product_code as next from product
      where store_uuid = ${storeKey(storeUuid)} and product_code >= (select ${ends.first}::text collate "C")
      order by store_uuid, product_code limit 1`.execute(db)
    if (!rows[0] || rows[0].next > ends.last) return false
    if (codes.has(rows[0].next)) return true
  }
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from unnest(${[...codes]}::text[]) as c(code) cross join lateral (
        select from product where store_uuid = ${storeKey(storeUuid)} and product_code = code collate "C" limit 1
      ) p
    ) as found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * Writes products in the order of their codes. Those that would change nothing are left out first, unless a code comes twice: then a later line may put back what
 * an earlier one changes. `= any` and the count keep PostgreSQL from joining all of the store's products with those of the chunk, as it
 * does where its statistics know a large store: each is found by its key.
 */
async function mergeProducts(
  session: Session,
  db: WriteView,
  storeUuid: string,
  { lines, silent, uncounted, codes, count }: LoadedProducts,
): Promise<LoadCounts> {
  await sql`truncate loaded_product`.execute(db)
  await session.copy('loaded_product', lines.take())
  const { rows } = await sql<LoadCounts>`
    with line as materialized (
      select l.nth, l.product_code, l.attributes, case when s.nth is null then l.status end as status, u.nth is null as is_counted
      from (select *, row_number() over () as nth from loaded_product) l
        left join unnest(${silent}::bigint[]) as s(nth) using (nth)
        left join unnest(${uncounted}::bigint[]) as u(nth) using (nth)
      where not ${codes.size === count}::boolean or (
        select count(*) from product p
        where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = l.product_code
          and p.attributes @> l.attributes and (s.nth is not null or p.status = l.status)
      ) = 0
    ), merged as materialized (
      select product_code, jsonb_object_agg(key, value order by nth) as attributes
      from line cross join lateral jsonb_each(attributes)
      where product_code in (select product_code from line group by product_code having count(*) > 1)
      group by product_code
    ), item as materialized (
      select l.product_code, bool_or(l.is_counted) as is_counted,
        (array_agg(l.status order by l.nth desc) filter (where l.status is not null))[1] as status,
        coalesce((array_agg(m.attributes))[1], (array_agg(l.attributes))[1]) as attributes
      from line l left join merged m using (product_code)
      group by l.product_code
      order by l.product_code
    ), changed as (
      update product p set attributes = p.attributes || i.attributes, status = coalesce(i.status, p.status), updated_at = now()
      from (select * from item offset 0) i
      where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = any(array[i.product_code])
        and (not p.attributes @> i.attributes or p.status <> i.status)
      returning i.is_counted
    ), made as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes
      from item i cross join lateral (
        select count(*) as known from product where store_uuid = ${storeKey(storeUuid)} and product_code = i.product_code
      ) p
      where known = 0
      returning product_code
    )
    select (select count(*)::int from made join item using (product_code) where is_counted) as created,
      (select count(*)::int from changed where is_counted) as updated`.execute(db)
  return rows[0] ?? { created: 0, updated: 0 }
}
