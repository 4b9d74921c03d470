import { sql } from 'kysely'
import { lazy } from '../../lazy.ts'
import { isObject, parsedJson } from '../../text.ts'
import type { Catalogue } from '../catalogue.ts'
import { storeFieldsOf } from '../stores/stores.ts'
import { type CatalogueKind, type Change, type ChangeHead, linkOf } from './change.ts'
import { definitionJson } from './record-changes.ts'

export interface ChangeItem {
  /** Its number in the change, from 1. */
  number: number
  kind: Change['kind']
  code: string
  key: string | null
  before: string | null
  after(): Promise<string | null>
}

interface StoredItem {
  number: number
  code: string
  key: string | null
  was: string | null
}

/** The items of a change from a number on. The first call of `after` reads the later values of all of them. */
export async function listItems(
  catalogue: Catalogue,
  change: ChangeHead,
  from: number,
  limit: number,
): Promise<ChangeItem[]> {
  const { storeUuid, tx, seq, kind } = change
  const { rows } = await sql<StoredItem>`
    select i.number::int as number, i.code, i.key, i.was
    from change c cross join lateral unnest(c.codes, c.keys, c.was) with ordinality as i(code, key, was, number)
    where c.store_uuid = ${storeUuid} and c.tx = ${tx}::xid8 and c.seq = ${seq}::bigint and i.number >= ${from}
    order by i.number limit ${limit}`.execute(catalogue.db)
  const after = lazy(() => readAfter(catalogue, change, rows))
  return rows.map(({ was, ...item }, i) => ({
    ...item,
    kind,
    before: was,
    after: async () => (await after())[i] ?? null,
  }))
}

/** The values after a change: the values before the next change, or the present ones. */
async function readAfter(
  catalogue: Catalogue,
  { storeUuid, kind, action, at, seq }: ChangeHead,
  items: readonly StoredItem[],
): Promise<(string | null)[]> {
  const isWhole =
    kind === 'asset' ||
    kind === 'readiness' ||
    kind === 'import' ||
    ((kind === 'product' || kind === 'store') && action === 'created')
  if (action === 'deleted' || isWhole || items.length === 0) return items.map(() => null)
  // The present values are read first: if one changes in between, the next change has it.
  const present = await readPresent(catalogue, storeUuid, kind, items)
  const codes = [...new Set(items.map(({ code }) => code))]
  // The time only excludes partitions, an hour earlier as a clock may be set back. `seq` decides.
  const { rows: next } = await sql<{ code: string; key: string | null; was: string | null; seq: string }>`
    select distinct on (i.code, i.key) i.code, i.key, i.was, h.seq
    from changes_of(${storeUuid}::uuid, ${codes}::text[], ${at}::timestamptz - interval '1 hour') h
      cross join lateral unnest(h.codes, h.keys, h.was) i(code, key, was)
    where h.seq > ${seq}::bigint and h.kind = ${kind} and i.code = any(${codes}::text[])
    order by i.code, i.key, h.seq`.execute(catalogue.db)
  const itemName = (code: string, key: string | null) => JSON.stringify([code, key])
  const found = new Map(next.map((item) => [itemName(item.code, item.key), item]))
  return items.map(({ code, key }, i) => {
    const own = found.get(itemName(code, key))
    // The next creation or deletion of the product.
    const whole = kind === 'product' ? found.get(itemName(code, null)) : undefined
    if (whole && (!own || BigInt(whole.seq) < BigInt(own.seq))) return valueIn(whole.was, key)
    return own ? own.was : (present[i] ?? null)
  })
}

/** The value of an attribute, or the status, of a deleted product. */
function valueIn(product: string | null, key: string | null): string | null {
  const row = parsedJson(product ?? 'null')
  if (!isObject(row) || key === null) return null
  const value = key === 'status' ? row.status : isObject(row.attributes) ? row.attributes[key] : undefined
  return typeof value === 'string' ? value : null
}

async function readPresent(
  catalogue: Catalogue,
  storeUuid: string,
  kind: CatalogueKind,
  items: readonly StoredItem[],
): Promise<(string | null)[]> {
  const links = items.map(({ key }) => (kind === 'link' ? linkOf(key) : []))
  const { rows } = await sql<{ value: string | null }>`
    select ${presentValue[kind](storeUuid)} as value
    from unnest(${items.map(({ code }) => code)}::text[], ${items.map(({ key }) => key)}::text[],
      ${links.map(([channel]) => channel ?? null)}::text[], ${links.map(([, asset]) => asset ?? null)}::text[])
      with ordinality k(code, key, channel, asset, number)
    order by k.number`.execute(catalogue.db)
  return rows.map(({ value }) => value)
}

const presentValue = {
  product: (store: string) => sql`(
    select case k.key when 'status' then p.status else p.attributes ->> k.key end from product p
    where p.store_uuid = ${store} and p.product_code = k.code)`,
  asset: () => sql`null::text`,
  link: (store: string) => sql`(
    select l.place::text from asset_link l where l.store_uuid = ${store} and l.parent_code = k.code
      and l.channel = k.channel and l.asset_id = k.asset)`,
  definition: (store: string) => sql`(
    select ${definitionJson}::text from attribute_definition d where d.store_uuid = ${store} and d.name = k.code)`,
  requirement: (store: string) => sql`(
    select r.requirements::text from channel_requirement r where r.store_uuid = ${store} and r.channel = k.code)`,
  store: (store: string) => sql`(
    select (${storeFieldsOf('s')} -> k.key)::text from store s where s.store_uuid = ${store})`,
}
