import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { onlyRow } from '../../../database/only-row.ts'
import { type Catalogue, requireVisible } from '../../catalogue.ts'
import { requireStore } from '../../stores/stores.ts'
import { type Product, requireAllRead, selectedProduct, withinReadLimit } from '../find-products.ts'
import { compileNarrowed, narrowByIndex } from '../query/narrow.ts'
import { byCode } from '../query/order.ts'
import type { ProductFilter } from '../query/product-filter.ts'
import { isPrepared, readSource, type Source, type SourceState, selectedState } from '../query/source.ts'
import { countOf } from './count-products.ts'

interface Page {
  offset: number
  limit: number
}

interface CountedPage {
  storeUuid: string
  totalProducts: number
  products: Product[]
}

/**
 * A page by offset, in the order of codes, with the number of all matches: those of now unless the filter names
 * attributes. Throws `store_not_found`.
 */
export function pageProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  page: Page,
): Promise<CountedPage> {
  const uuid = requireVisible(catalogue, storeUuid)
  const question = { filter, isExact: true }
  return readSource(catalogue, uuid, question, (source) => readPage(catalogue, source, uuid, filter, page))
}

async function readPage(
  catalogue: Catalogue,
  source: Source,
  uuid: string,
  filter: ProductFilter,
  { offset, limit }: Page,
): Promise<CountedPage | undefined> {
  const compiled = await compileNarrowed(catalogue, source, filter)
  const { from, few, isWhole } = await narrowByIndex(catalogue, source, compiled)
  const { rows } = await sql<SourceState & { total: number } & (Product | { productCode: null })>`
    ${isPrepared(source, filter, byCode) ? sql`` : customPlan} ${few ? sql`with ${few}` : sql``}
    select counted.*, page.*
    from (
      select ${countOf(source, filter, compiled)} as total, ${selectedState(source, isWhole)}
    ) counted left join (${withinReadLimit(sql`
        select ${selectedProduct}, null as "orderValue", row_number() over (order by l.product_code) as nth
        from (
          select p.product_code from ${from} where ${compiled.where}
          order by p.product_code offset ${offset} limit ${limit}
        ) l cross join lateral (
          select * from product where store_uuid = ${uuid} and product_code = l.product_code
          offset 0
        ) p`)}
    ) page on true
    order by page."productCode"`.execute(catalogue.db)
  const first = onlyRow(rows)
  if (first.total === 0) await requireStore(catalogue, uuid)
  if (!first.isCurrent) return undefined
  const found = rows.flatMap(({ total: _, asOf: __, isCurrent: ___, ...product }) =>
    product.productCode === null ? [] : [product],
  )
  return { storeUuid: uuid, totalProducts: first.total, products: requireAllRead(found) }
}
