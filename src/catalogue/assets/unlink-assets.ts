import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { deletedLinks } from '../changes/record-changes.ts'
import { keyOf, type Removal, type Removed, removeSelected, type Selector } from './remove-selected.ts'

export interface Unlink extends Selector {
  parentCode: string
  channel: string
}

/** Removes links, never assets (spec: POST /assets/unlink). Throws `payload_too_large`. Two statements a store. */
export function unlinkAssets(catalogue: WriteCatalogue, links: readonly Unlink[]): Promise<Removed> {
  return removeSelected(catalogue, links, unlinking)
}

/** Links are found by their parent codes: with `is true` PostgreSQL makes no join of the last condition. */
const unlinking: Removal = {
  parentCodes: (selections) => selections.map(({ parentCode }) => parentCode ?? ''),
  changes: (storeUuid) => ({
    reads: sql`
    chosen as materialized (
        select i.n, l.*
        from item i cross join lateral (
          select parent_code, channel, asset_id, place from asset_link
          where store_uuid = ${storeUuid} and parent_code = i.parent_code and channel = i.channel and asset_id = i.asset_id
          offset 0
        ) l
      union all
        select i.n, l.*
        from item i cross join lateral (
          select parent_code, channel, asset_id, place from asset_link
          where store_uuid = ${storeUuid} and parent_code = i.parent_code and channel = i.channel
          offset 0
        ) l
        where i.asset_id is null
    ), gone as materialized (
      select distinct parent_code, channel, asset_id, place from chosen
    )`,
    writes: sql`
    unlinked as (
      delete from asset_link
      where store_uuid = ${storeUuid} and parent_code = any(array(select parent_code from gone))
        and ((parent_code, channel, asset_id) in (select parent_code, channel, asset_id from gone)) is true
    )`,
    items: deletedLinks,
  }),
  removed: sql`select count(*)::int from gone`,
  missing: sql`select n from item where n not in (select n from chosen)`,
  reason: 'link_not_found',
  identity: keyOf,
}
