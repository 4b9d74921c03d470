import { type RawBuilder, sql } from 'kysely'
import { entryRows, entryUrl } from '../catalogue/asset-groups/asset-entries.ts'
import { type Catalogue, joinTransaction } from '../catalogue/catalogue.ts'
import type { ProductStatus } from '../catalogue/enumerations.ts'
import { findProductColumns } from '../catalogue/products/product-columns.ts'
import { requireStore } from '../catalogue/stores/stores.ts'
import { withOwnConnection } from '../database/connection/own-connection.ts'
import { attributeColumn } from '../request/csv/attribute-column.ts'
import { chosenColumns, type ProductColumns, productColumns, requireDelimiter } from '../request/csv/csv-options.ts'
import type { CsvForm } from '../request/csv/csv-text.ts'
import { ambiguousNumber, numberColumns, numberWithComma } from '../request/csv/decimal-comma.ts'
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
      const snapshot = joinTransaction(catalogue, began)
      // The reader of the export may be slow.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(snapshot.db)
      const selected = { ...selection, storeUuid: await requireStore(snapshot, selection.storeUuid, 'store') }
      const { head, textOf } = format === 'csv' ? await csvFor(snapshot, selected, columns, decimal, form) : jsonLines
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

const noColumns: ProductColumns = { attributes: [], numbers: [], groups: [] }

/** The form of a table: its columns are those chosen, or of all products of the store, whatever their status. */
async function csvFor(
  catalogue: Catalogue,
  selection: ExportSelection,
  chosen: string | undefined,
  decimal: ExportForm['decimal'],
  form: CsvForm,
) {
  const isAsked = !chosen || decimal === 'comma'
  const { attributes, numbers, groups } = isAsked ? await findProductColumns(catalogue, selection.storeUuid) : noColumns
  const ofChannel = groups.filter(({ channel }) => channel === selection.channel)
  const columns = chosen ? chosenColumns(chosen) : productColumns({ attributes, groups: ofChannel })
  const withComma = numberColumns(decimal === 'comma' ? numbers : [], columns)
  if (withComma.size > 0) await requireNumbers(catalogue, selection, [...withComma.values()])
  return csvOf(columns, selection.channel, form, withComma)
}

/** Throws `invalid_request` if a product has a text with a decimal comma in one of the attributes. */
async function requireNumbers(
  catalogue: Catalogue,
  { storeUuid, status, codes }: ExportSelection,
  names: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ code: string; name: string; value: string }>`
    select p.product_code as code, n.name, p.attributes ->> n.name as value
    from product p cross join unnest(${[...names]}::text[]) as n(name)
    where p.store_uuid = ${storeUuid}::uuid and ${withStatus(status)} and ${withCodes(codes)}
      and (p.attributes ->> n.name) ~ ${numberWithComma}
    order by p.product_code limit 1`.execute(catalogue.db)
  for (const { code, name, value } of rows) throw ambiguousNumber(value, attributeColumn(name), code)
}

/** The next products after a code. */
export async function readBatch(
  catalogue: Catalogue,
  { storeUuid, channel, status, codes }: ExportSelection,
  after: string,
  limit: number,
) {
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
      where p.store_uuid = ${storeUuid}::uuid and p.product_code > ${after} and ${withStatus(status)}
        and ${withCodes(codes)}
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

function withStatus(status: ProductStatus | undefined): RawBuilder<boolean> {
  return status ? sql<boolean>`p.status = ${status}` : sql<boolean>`true`
}

function withCodes(codes: readonly string[] | undefined): RawBuilder<boolean> {
  return codes ? sql<boolean>`p.product_code = any(${[...codes]}::text[])` : sql<boolean>`true`
}
