import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { keyOf, type Removal, type Removed, removeSelected, type Selector } from './remove-selected.ts'

export interface Unlink extends Selector {
  parentCode: string
  channel: string
}

/** Removes links, never assets (spec: POST /assets/unlink). Throws `payload_too_large`. Two statements a store. */
export function unlinkAssets(catalogue: WriteCatalogue, links: readonly Unlink[]): Promise<Removed> {
  return removeSelected(catalogue, links, unlinking)
}

const unlinking: Removal = {
  parentCodes: (selections) => selections.map(({ parentCode }) => parentCode ?? ''),
  changes: (storeUuid) => sql`
    chosen as (
        select i.n, l."row"
        from item i cross join lateral (
          select ctid as "row" from asset_link
          where store_uuid = ${storeUuid} and parent_code = i.parent_code and channel = i.channel and asset_id = i.asset_id
          offset 0
        ) l
      union all
        select i.n, l."row"
        from item i cross join lateral (
          select ctid as "row" from asset_link
          where store_uuid = ${storeUuid} and parent_code = i.parent_code and channel = i.channel
          offset 0
        ) l
        where i.asset_id is null
    ), gone as (
      delete from asset_link
      where store_uuid = ${storeUuid} and ctid = any(array(select "row" from chosen))
      returning parent_code, channel, asset_id
    )`,
  removed: sql`select count(*)::int from gone`,
  missing: sql`select n from item where n not in (select n from chosen)`,
  reason: 'link_not_found',
  identity: keyOf,
}
