import { type RawBuilder, sql } from 'kysely'
import { entryRows, entryUrl } from '../catalogue/asset-groups/asset-entries.ts'
import { listDefinitions } from '../catalogue/attributes/attribute-definitions.ts'
import { numbersOf } from '../catalogue/attributes/attribute-rules.ts'
import { type Catalogue, inTransaction } from '../catalogue/catalogue.ts'
import type { ProductStatus } from '../catalogue/enumerations.ts'
import { findProductColumns } from '../catalogue/products/product-columns.ts'
import { requireStore } from '../catalogue/stores/stores.ts'
import { withOwnConnection } from '../database/connection/own-connection.ts'
import { chosenColumns, productColumns, requireDelimiter } from '../request/csv/csv-options.ts'
import { csvOf, type ExportedProduct, type ExportForm, jsonLines } from './formats.ts'

export interface ExportSelection {
  storeUuid: string
  channel: string
  status?: ProductStatus | undefined
  /** Only these products. */
  codes?: readonly string[] | undefined
}

/** Products may be large: few are in memory at once. A batch ends with the product that reaches the bytes. */
export const batch = { first: 8, most: 200, bytes: 8 * 1024 * 1024 }

/** Writes a store's products from one snapshot and returns how many. It awaits `write`, so that memory stays flat. */
export async function exportStore(
  catalogue: Catalogue,
  selection: ExportSelection,
  { format, columns, decimal, ...form }: ExportForm,
  write: (text: string, products: number) => Promise<void>,
): Promise<number> {
  requireDelimiter(form.delimiter)
  return withOwnConnection(catalogue.db, async ({ db: own }) => {
    const transaction = own.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return transaction.execute(async (began) => {
      const snapshot = inTransaction(catalogue, began)
      // The reader of the export may be slow.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(snapshot.db)
      const selected = { ...selection, storeUuid: await requireStore(snapshot, selection.storeUuid, 'store') }
      const names = async () => (columns ? chosenColumns(columns) : columnsOf(snapshot, selected))
      const definitions = decimal === 'comma' ? await listDefinitions(snapshot, selected.storeUuid) : []
      const { head, textOf } =
        format === 'csv' ? csvOf(await names(), selected.channel, form, numbersOf(definitions)) : jsonLines
      await write(head, 0)
      let count = 0
      for (let rows = await readBatch(snapshot, selected, '', batch.first); rows.length > 0; ) {
        count += rows.length
        await write(textOf(rows), rows.length)
        const limit = Math.min(batch.most, 2 * rows.length)
        rows = await readBatch(snapshot, selected, rows.at(-1)?.productCode ?? '', limit)
      }
      return count
    })
  })
}

/** The next products after a code. */
export async function readBatch(
  catalogue: Catalogue,
  { storeUuid, channel, status, codes }: ExportSelection,
  after: string,
  limit: number,
) {
  const named = codes ? sql`p.product_code = any(${[...codes]}::text[])` : sql`true`
  const { rows } = await sql<ExportedProduct>`
    with next as (
      select p.product_code, p.status, p.attributes::text as attributes, coalesce((
        select json_agg(json_build_object('assetFormat', g.asset_format, 'urls', (
            select json_agg(${entryUrl} order by place) from ${entryRows}
          )) order by g.asset_format)::text
        from asset_group g
        where g.store_uuid = ${storeUuid} and g.parent_code = p.product_code
          and g.parent_hash = hashtextextended(p.product_code, 0)
          and g.channel = ${channel}
      ), '[]') as groups
      from product p
      where p.store_uuid = ${storeUuid}::uuid and p.product_code > ${after} and ${withStatus(status)} and ${named}
      order by p.product_code
      limit ${limit}
    ), measured as (
      select *, sum(octet_length(attributes) + octet_length(groups)) over (
        order by product_code rows between unbounded preceding and 1 preceding
      ) as bytes_before
      from next
    )
    select product_code as "productCode", status, attributes::json, groups::json from measured
    where coalesce(bytes_before, 0) < ${batch.bytes}
    order by product_code`.execute(catalogue.db)
  return rows
}

/** The columns of all products of the store, whatever their status: all its files have the same. */
async function columnsOf(catalogue: Catalogue, { storeUuid, channel }: ExportSelection): Promise<string[]> {
  const { attributes, groups } = await findProductColumns(catalogue, storeUuid)
  return productColumns({ attributes, groups: groups.filter((group) => group.channel === channel) })
}

function withStatus(status: ProductStatus | undefined): RawBuilder<boolean> {
  return status ? sql<boolean>`p.status = ${status}` : sql<boolean>`true`
}
