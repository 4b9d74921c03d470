import { sql } from 'kysely'
import type { AttributeDefinition } from '../../attributes/attribute-rules.ts'
import type { Catalogue } from '../../catalogue.ts'
import { onlyRow } from '../../conditions.ts'
import { searchableNames } from '../../product-text/searched-text.ts'
import type { ProjectionName } from '../../projections/projection.ts'
import { asOf, databaseTime } from '../../projections/queue.ts'
import { totalOf } from '../product-totals.ts'

/** What decides which table answers a question: the number of products, the time of each projection, the attributes. */
export interface StoreFacts extends Record<ProjectionName, Date> {
  products: number
  now: Date
  version: string | null
  isIndexed: boolean
  searchable: string[]
  /** Whether `product_text` has the values of the searchable attributes of all products, and of how many. */
  hasTexts: boolean
  texts: number
  attributes: Record<
    string,
    {
      type: AttributeDefinition['type']
      isFilterable: boolean
      slot: number | null
      isBuilt: boolean
      built: number | null
    }
  >
}

/** The facts of a store, with the attributes of these names. */
export async function findStoreFacts(
  { db }: Catalogue,
  uuid: string | null,
  names: readonly string[],
): Promise<StoreFacts> {
  const { rows } = await sql<StoreFacts>`
    select ${totalOf(uuid)} as products, ${databaseTime} as now, ${asOf(uuid, 'FILTERS')} as "FILTERS",
      ${asOf(uuid, 'SEARCH')} as "SEARCH", ${asOf(uuid, 'READINESS')} as "READINESS",
      ${hasTexts(uuid)} as "hasTexts", coalesce((select built ${textsOf(uuid)}), 0) as texts,
      ${searchableNames(uuid)} as searchable,
      ${versionOf(uuid)} as version,
      exists (select from product_index_slot where store_uuid = ${uuid} and built_to is null) as "isIndexed",
      (
        select coalesce(jsonb_object_agg(d.name, json_build_object('type', d.type, 'isFilterable', d.filterable,
          'slot', s.slot, 'isBuilt', s.built_to is null, 'built', s.built)), '{}')
        from attribute_definition d left join product_index_slot s
          on s.store_uuid = ${uuid} and s.name = d.name and s.is_number = (d.type = 'number') and d.filterable
        where d.store_uuid = ${uuid} and d.name = any(${[...names]}::text[])
      ) as attributes`.execute(db)
  return onlyRow(rows)
}

const textsOf = (uuid: string | null) => sql`
        from product_text_state where store_uuid = ${uuid} and names = ${searchableNames(uuid)}`

/** SQL: whether `product_text` has the values of the searchable attributes of all products. */
export const hasTexts = (uuid: string | null) => sql<boolean>`exists (select ${textsOf(uuid)} and built_to is null)`

/** SQL: another text after each change of the rows of a store in `product_index`; null before the first one. */
export const versionOf = (uuid: string | null) => sql<string | null>`(
        select max(version::text) from product_index_slot where store_uuid = ${uuid}
      )`
