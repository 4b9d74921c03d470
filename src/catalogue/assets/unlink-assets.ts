import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { keyOf, type Removal, type Removed, removeSelected, type Selector } from './remove-selected.ts'

export interface Unlink extends Selector {
  parentCode: string
  channel: string
}

/** Removes links, never assets (spec: POST /assets/unlink). Throws `payload_too_large`. Two statements. */
export function unlinkAssets(catalogue: WriteCatalogue, links: readonly Unlink[]): Promise<Removed> {
  return removeSelected(catalogue, links, unlinking)
}

const unlinking: Removal = {
  parentCodes: (selections) => selections.map(({ parentCode }) => parentCode ?? ''),
  changes: sql`
    chosen as (
        select i.n, l.store_uuid, l.parent_code, l.channel, l.asset_id
        from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
          and l.channel = i.channel and l.asset_id = i.asset_id
      union all
        select i.n, l.store_uuid, l.parent_code, l.channel, l.asset_id
        from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
          and l.channel = i.channel
        where i.asset_id is null
    ), gone as (
      delete from asset_link l
      using (select distinct store_uuid, parent_code, channel, asset_id from chosen) c
      where l.store_uuid = c.store_uuid and l.parent_code = c.parent_code
        and l.channel = c.channel and l.asset_id = c.asset_id
      returning l.store_uuid, l.parent_code, l.channel, l.asset_id
    )`,
  removed: sql`select count(*)::int from gone`,
  missing: sql`select n from item where n not in (select n from chosen)`,
  reason: 'link_not_found',
  identity: keyOf,
}
