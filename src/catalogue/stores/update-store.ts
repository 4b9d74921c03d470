import { sql } from 'kysely'
import { requireNoFaults, storeNotFound } from '../../errors.ts'
import { requireVisible, type WriteCatalogue } from '../catalogue.ts'
import { type Item, recordItems } from '../changes/record-changes.ts'
import type { Enumerations } from '../enumerations.ts'
import { type NewStore, type Store, selectedStore, storeFaults, storeFieldsOf, unique } from './stores.ts'

/** Changes the given fields; a `storeWebsite` of null clears it. Throws `invalid_request` or `store_not_found`. */
export async function updateStore(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  changes: Partial<NewStore>,
): Promise<Store> {
  requireNoFaults(storeFaults(enumerations, changes))
  return (await setFields(catalogue, requireVisible(catalogue, storeUuid), changes)).store
}

/** As `updateStore`, but validates nothing: a store had the values. `changed`: how many fields had other values. */
export async function setFields(
  catalogue: WriteCatalogue,
  uuid: string,
  changes: Partial<NewStore>,
): Promise<{ store: Store; changed: number }> {
  const { storeName, storeTaxonomy, region, channels, defaultAutomation, storeWebsite } = changes
  // `changed` reads from `old`, so that `old` locks the row first.
  const { rows } = await sql<Store & { items: Item[] }>`
    with old as (
      select * from store where store_uuid = ${uuid} for no key update
    ), changed as (
      update store set store_name = coalesce(${storeName?.trim() ?? null}, old.store_name),
        store_taxonomy = coalesce(${storeTaxonomy ?? null}, old.store_taxonomy),
        region = coalesce(${region ? unique(region) : null}::text[], old.region),
        channels = coalesce(${channels ? unique(channels) : null}::text[], old.channels),
        default_automation = coalesce(${defaultAutomation ? unique(defaultAutomation) : null}::text[], old.default_automation),
        store_website = case when ${storeWebsite !== undefined} then ${storeWebsite ?? null} else old.store_website end
      from old where store.store_uuid = ${uuid}
      returning store.*
    )
    select ${selectedStore}, (select coalesce(json_agg(i), '[]') from (${changedFields}) i) as items
    from changed`.execute(catalogue.db)
  if (!rows[0]) throw storeNotFound('storeUuid', uuid)
  const { items, ...store } = rows[0]
  await recordItems(catalogue, uuid, items)
  return { store, changed: items.length }
}

const changedFields = sql`
  select 'store' as kind, 'updated' as action, '' as code, f.key, f.value::text as was
  from old cross join changed cross join lateral jsonb_each(${storeFieldsOf('old')}) f
  where f.value <> ${storeFieldsOf('changed')} -> f.key`
