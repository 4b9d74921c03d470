import { sql } from 'kysely'
import { isStorable } from '../../text.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { allRead, columns, measured, type Product } from './lists/measured-products.ts'

export async function findProducts(
  catalogue: Catalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<Product[]> {
  const found = sql`
        select ${columns}, null as "orderValue", row_number() over () as nth from product p
        where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = any(${codes.filter(isStorable)}::text[])`
  return allRead((await sql<Product>`${measured(found)}`.execute(catalogue.db)).rows)
}
