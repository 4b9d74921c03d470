import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { ProductColumns } from '../../request/csv/csv-options.ts'
import { urlField } from '../assets/url-fields.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'

/** A few more than a table may have. */
const maxNames = 2_001

interface LargestGroup {
  channel: string
  assetFormat: string
  largest: number
}

/**
 * What the products of a store have, or had, and what is defined: at most 2,001 attributes, and the URL fields of the
 * largest groups by channel and format. Each by code point. Reads no product.
 */
export async function findProductColumns(catalogue: Catalogue, storeUuid: string): Promise<ProductColumns> {
  const uuid = visibleStore(catalogue, storeUuid)
  const { rows } = await sql<{ attributes: string[]; numbers: string[]; groups: LargestGroup[] }>`
    select coalesce((
      select json_agg(name order by name) from (
        (select name from attribute_name where store_uuid = ${uuid} order by name limit ${maxNames})
        union (select name from attribute_definition where store_uuid = ${uuid} order by name limit ${maxNames})
        order by name limit ${maxNames}
      ) n
    ), '[]') as attributes, coalesce((
      select json_agg(name order by name) from attribute_definition where store_uuid = ${uuid} and type = 'number'
    ), '[]') as numbers, coalesce((
      select json_agg(json_build_object('channel', channel, 'assetFormat', asset_format, 'largest', largest)
        order by channel, asset_format)
      from (
        select channel, asset_format, max(most_assets) as largest from asset_group_total where store_uuid = ${uuid}
        group by channel, asset_format
      ) g
    ), '[]') as groups`.execute(catalogue.db)
  const { groups, ...attributes } = onlyRow(rows)
  const urlFields = ({ assetFormat, largest }: LargestGroup) =>
    Array.from({ length: Math.min(largest, maxNames) }, (_, i) => urlField(assetFormat, i + 1))
  return { ...attributes, groups: groups.map((group) => ({ channel: group.channel, urlFields: urlFields(group) })) }
}
