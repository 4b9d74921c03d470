import { sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { joinedValues, searchableNames, searchedText } from '../products/query/values.ts'
import { attributeProjection, productsOf } from './attribute-projection.ts'
import type { RowDifference } from './projection.ts'
import { queuedCodes } from './queue.ts'

/** The values of searchable attributes, for searches. */
export const searchProjection = attributeProjection({
  name: 'SEARCH',
  table: 'product_text',
  state: 'product_text_state',
  use: 'searchable',
  updateState,
  apply,
  check,
})

/** All texts are built again where other attributes are searchable. */
async function updateState({ db }: WriteCatalogue, storeUuid: string): Promise<void> {
  const names = searchableNames(storeUuid)
  await sql`delete from product_text_state where store_uuid = ${storeUuid} and names <> ${names}`.execute(db)
  await sql`
    insert into product_text_state (store_uuid, names)
    select ${storeUuid}::uuid, names from (select ${names} as names) s where names <> '{}'
    on conflict (store_uuid) do nothing`.execute(db)
}

/** The names of the attributes whose values are in the texts, and whether those of all products are. */
async function findNames({ db }: Catalogue, storeUuid: string): Promise<{ names: string[]; isBuilt: boolean }> {
  const { rows } = await sql<{ names: string[]; isBuilt: boolean }>`
    select names, built_to is null as "isBuilt" from product_text_state where store_uuid = ${storeUuid}`.execute(db)
  return rows[0] ?? { names: [], isBuilt: false }
}

async function apply(catalogue: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<undefined> {
  const { names } = await findNames(catalogue, storeUuid)
  const read = sql`(
      select p.product_code, ${joinedValues(names)} as text from ${productsOf(storeUuid, codes)} p
      offset 0)`
  await sql`
    insert into product_text as t (store_uuid, product_code, text)
    select ${storeUuid}::uuid, product_code, folded(text) from ${read} p where text <> ''
    order by product_code
    on conflict (store_uuid, product_code) do update set text = excluded.text where t.text <> excluded.text`.execute(
    catalogue.db,
  )
  await sql`
    delete from product_text where store_uuid = ${storeUuid} and product_code = any(array(
      select code collate "C" from unnest(${[...codes]}::text[]) code
      except
      select product_code from ${read} p where text <> ''))`.execute(catalogue.db)
}

async function check(catalogue: Catalogue, storeUuid: string, limit: number): Promise<RowDifference[]> {
  const { names, isBuilt } = await findNames(catalogue, storeUuid)
  if (!isBuilt) return []
  const { rows } = await sql<RowDifference>`
    select 'text' as what, null as channel, code, t.text as kept, p.text as actual
    from (
      select product_code as code, text from product_text where store_uuid = ${storeUuid}
    ) t full join (
      select product_code as code, nullif(${searchedText(names)}, '') as text
      from ${productsOf(storeUuid)} p
    ) p using (code)
    where t.text is distinct from p.text and code not in (${queuedCodes(storeUuid)})
    order by code limit ${limit}`.execute(catalogue.db)
  return rows
}
