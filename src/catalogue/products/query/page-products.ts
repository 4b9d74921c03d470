import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { storeNotFound } from '../../../errors.ts'
import { type Catalogue, requireVisible } from '../../catalogue.ts'
import { allRead, columns, measured, type Product } from '../list/measured-products.ts'
import type { ProductFilter } from '../list/product-filter.ts'
import { byCode } from '../list/product-order.ts'
import { compile } from './compile.ts'
import { countOf } from './count-products.ts'
import { withKnownCodes } from './known-codes.ts'
import { isPrepared } from './list-products.ts'
import { narrow } from './narrow.ts'
import { chooseSource } from './source.ts'

/** A page by offset, in the order of codes, with the number of all matches. Throws `store_not_found`. */
export async function pageProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  { offset, limit }: { offset: number; limit: number },
) {
  const uuid = requireVisible(catalogue, storeUuid)
  const source = await chooseSource(catalogue, uuid, { filter })
  const compiled = compile(source, await withKnownCodes(catalogue, uuid, filter))
  const { from, few } = await narrow(catalogue, source, compiled)
  const { rows } = await sql<{ total: number } & (Product | { productCode: null })>`
    ${isPrepared(source, filter, byCode) ? sql`` : customPlan} ${few ? sql`with ${few}` : sql``}
    select counted.total, page.*
    from store s cross join lateral (
      select ${countOf(source, filter, compiled)} as total
    ) counted left join lateral (${measured(sql`
        select ${columns}, null as "orderValue", row_number() over (order by l.product_code) as nth
        from (
          select p.product_code from ${from} where ${compiled.where}
          order by p.product_code offset ${offset} limit ${limit}
        ) l cross join lateral (
          select * from product where store_uuid = ${uuid} and product_code = l.product_code
          offset 0
        ) p`)}
    ) page on true
    where s.store_uuid = ${uuid}
    order by page."productCode"`.execute(catalogue.db)
  const [first] = rows
  if (!first) throw storeNotFound('storeUuid', storeUuid)
  const found = rows.flatMap(({ total, ...product }) => (product.productCode === null ? [] : [product]))
  return { storeUuid: uuid, totalProducts: first.total, products: allRead(found) }
}
