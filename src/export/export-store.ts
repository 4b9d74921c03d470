import { sql } from 'kysely'
import type { ProductStatus } from '../catalog/enumerations.ts'
import { storeKey } from '../catalog/store-key.ts'
import { requireStore } from '../catalog/stores.ts'
import { type View, type WriteView, within } from '../catalog/viewer.ts'
import { withSession } from '../database/copy.ts'

/** A product with the assets that it has on the channel: by format, URLs in order. */
export interface ExportedProduct {
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  groups: { assetFormat: string; urls: string[] }[]
}

/** What the products that are exported have altogether: the columns of a table of them. */
export interface Outline {
  /** Attributes that have a value somewhere, by code point. */
  attributes: string[]
  /** Formats with the size of their largest group, by code point. */
  formats: { assetFormat: string; largest: number }[]
}

export interface Selection {
  storeUuid: string
  channel: string
  status?: ProductStatus | undefined
}

/** Products may be large: few are in memory at once. */
const batchSize = 200

/**
 * Reads a store's products in the order of their codes, in batches from one snapshot: what is written meanwhile does not show. `begin` hears of the
 * outline first if `outlined`, `take` gets each batch and is waited for, so that memory stays flat. Returns how many products there were. Throws
 * `store_not_found`.
 */
export async function exportStore(
  db: View,
  selection: Selection,
  {
    outlined,
    begin,
    take,
  }: { outlined: boolean; begin(outline: Outline): Promise<void>; take(batch: ExportedProduct[]): Promise<void> },
): Promise<number> {
  return withSession(db, async ({ db: own }) => {
    const transaction = own.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return transaction.execute(async (began) => {
      const snapshot = within(db, began)
      // Whoever reads the export may take his time.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(snapshot)
      const storeUuid = await requireStore(snapshot, selection.storeUuid, 'store')
      if (outlined) await begin(await readOutline(snapshot, { ...selection, storeUuid }))
      await declareCursor(snapshot, { ...selection, storeUuid })
      let count = 0
      for (;;) {
        const { rows } = await sql<ExportedProduct>`fetch ${sql.lit(batchSize)} from exported`.execute(snapshot)
        if (rows.length === 0) return count
        count += rows.length
        await take(rows)
      }
    })
  })
}

async function declareCursor(db: WriteView, { storeUuid, channel, status }: Selection): Promise<void> {
  await sql`
    declare exported no scroll cursor for
    select p.product_code as "productCode", p.status, p.attributes, coalesce((
      select json_agg(json_build_object('assetFormat', g.asset_format, 'urls', (
          select json_agg(url order by nth) from json_array_elements(g.entries::json) with ordinality as e(entry, nth),
            json_each_text(entry) as f(field, url) where field <> 'asset_id'
        )) order by g.asset_format)
      from asset_group g
      where g.store_uuid = p.store_uuid and g.parent_code = p.product_code
        and hashtextextended(g.parent_code, 0) = hashtextextended(p.product_code, 0) and g.channel = ${sql.lit(channel)}
    ), '[]') as groups
    from product p
    where p.store_uuid = ${sql.lit(storeUuid)}::uuid and ${withStatus(status)}
    order by p.product_code`.execute(db)
}

async function readOutline(db: WriteView, { storeUuid, channel, status }: Selection): Promise<Outline> {
  const attributes = await sql<{ name: string }>`
    select distinct name collate "C" as name
    from product p, jsonb_each_text(p.attributes) as a(name, value)
    where p.store_uuid = ${storeUuid}::uuid and value <> '' and ${withStatus(status)}
    order by name`.execute(db)
  const formats = await sql<Outline['formats'][number]>`
    select g.asset_format as "assetFormat", max(json_array_length(g.entries::json)) as largest
    from asset_group g join product p on p.store_uuid = g.store_uuid and p.product_code = g.parent_code
    where g.store_uuid = ${storeKey(storeUuid)} and g.channel = ${channel} and ${withStatus(status)}
    group by g.asset_format
    order by g.asset_format`.execute(db)
  return { attributes: attributes.rows.map((row) => row.name), formats: formats.rows }
}

/** PostgreSQL takes no parameters where a cursor is declared: values stand there as quoted literals. */
function withStatus(status: ProductStatus | undefined) {
  return status === undefined ? sql<boolean>`true` : sql<boolean>`p.status = ${sql.lit(status)}`
}
