import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { invalidRequest } from '../../errors.ts'
import { isStorable } from '../../text.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { findProducts, type Product } from '../products/find-products.ts'
import type { ChangeAction } from './change.ts'

/** The first change after the moment of the product, or of one of its attributes. */
interface Undo {
  action: ChangeAction
  key: string | null
  was: string | null
}

/**
 * A product as it was at a moment, to the millisecond: the present one with the changes since undone. `updatedAt` is
 * the time of the last recorded change before the moment. Throws `invalid_request` for a moment before the ledger.
 */
export async function findProductAt(
  catalogue: Catalogue,
  storeUuid: string,
  productCode: string,
  moment: Date,
): Promise<Product | null> {
  const uuid = requireVisible(catalogue, storeUuid)
  if (!isStorable(productCode)) return null
  // The present product is read first: a change that comes in between is undone, too.
  const [present] = await findProducts(catalogue, uuid, [productCode])
  const { rows } = await sql<(Undo | { action: null }) & { earliest: Date; lastAt: Date | null }>`
    with hits as materialized (
      select h.*, date_trunc('milliseconds', h.at) > ${moment}::timestamptz as "isLater"
      from changes_of(${uuid}, array[${productCode}]::text[], '-infinity') h where h.kind = 'product'
    )
    select m.*, i.action, i.key, i.was
    from (
      select (select max(at) from hits where not "isLater") as "lastAt", (
        select greatest(date_trunc('milliseconds', since) + interval '1 millisecond', first_change_day())
        from ledger_state(${uuid}::uuid)
      ) as earliest
    ) m left join lateral (
      select distinct on (i.key) h.seq, h.action, i.key, i.was
      from hits h cross join lateral unnest(h.codes, h.keys, h.was) i(code, key, was)
      where h."isLater" and i.code = ${productCode}
      order by i.key, h.seq
    ) i on true
    order by i.seq desc`.execute(catalogue.db)
  const { earliest, lastAt } = onlyRow(rows)
  requireRecorded(moment, earliest)
  let product: Product | null = present ?? null
  let isUpdatedAtKnown = true
  for (const row of rows) {
    if (row.action === null) continue
    product = undone(product, row, { storeUuid: uuid, productCode })
    isUpdatedAtKnown = row.action === 'deleted'
  }
  if (!product || isUpdatedAtKnown) return product
  return { ...product, updatedAt: lastAt ?? product.createdAt }
}

function requireRecorded(moment: Date, earliest: Date): void {
  if (moment >= earliest) return
  const details = `at must be ${earliest.toISOString()} or later: earlier changes are no longer kept; got ${moment.toISOString()}`
  throw invalidRequest([{ field: 'at', details }])
}

function undone(
  product: Product | null,
  { action, key, was }: Undo,
  named: Pick<Product, 'storeUuid' | 'productCode'>,
): Product | null {
  if (action === 'created') return null
  if (action === 'deleted') {
    const { status, attributes, createdAt, updatedAt } = JSON.parse(was ?? '{}')
    return { ...named, status, attributes, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
  }
  if (!product || key === null) return product
  if (key === 'status') return { ...product, status: was as Product['status'] }
  const { [key]: _, ...others } = product.attributes
  return { ...product, attributes: was === null ? others : { ...product.attributes, [key]: was } }
}
