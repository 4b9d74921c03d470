import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../asset-groups/read-model.ts'
import { requireFittingDefinitions } from '../attributes/attribute-definitions.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { fieldsOf } from '../stores/stores.ts'
import { assignSlots, onRedefinition } from '../values/slots.ts'
import { createdDefinitions, definitionJson, formerDefinitions, recorded } from './record-changes.ts'
import { changedSince, type Reversal, type Reverted, revertedItems, skippedColumns } from './reverted-items.ts'

/** Gives attributes the definitions that they had before a request, if any. Three statements. */
export async function revertDefinitions(catalogue: WriteCatalogue, reversal: Reversal): Promise<Reverted> {
  const { storeUuid } = reversal
  const { rows } = await sql<Reverted>`
    with ${revertedItems(reversal, ['definition'])}, definition as materialized (
      select f.*, d.*
      from (
        select distinct on (code) code as name, case when action <> 'created' then was::jsonb end as definition
        from own where is_undone
        order by code, seq
      ) f left join lateral (
        select type, allowed_values, max_length, pattern, filterable, searchable, ${definitionJson} as stored
        from attribute_definition where store_uuid = ${storeUuid} and name = f.name
        offset 0
      ) d on true
      where f.definition is distinct from d.stored
    ), deleted as (
      delete from attribute_definition
      where store_uuid = ${storeUuid} and name = any(array(select name from definition where definition is null))
    ), written as (
      insert into attribute_definition as d (store_uuid, name, type, allowed_values, max_length, pattern, filterable,
        searchable)
      select ${storeUuid}::uuid, d.name, i.type, i."allowedValues", i."maxLength", i.pattern, i.filterable is true,
        i.searchable is true
      from definition d cross join lateral jsonb_to_record(d.definition)
        as i(type text, "allowedValues" text[], "maxLength" integer, pattern text, filterable boolean, searchable boolean)
      where d.definition is not null
      order by d.name
      ${onRedefinition}
    ), ${recorded(catalogue, storeUuid, definitionChanges)}
    select json_build_object('definitions', (select count(*) from definition)) as reverted, ${skippedColumns(changedSince)}`.execute(
    catalogue.db,
  )
  const all = await requireFittingDefinitions(catalogue, storeUuid)
  if (all.some(({ filterable }) => filterable)) await assignSlots(catalogue, storeUuid)
  return onlyRow(rows)
}

const definitionsWhere = (condition: RawBuilder<boolean>) => sql`select * from definition where ${condition}`
const definitionChanges = sql`
  ${createdDefinitions(definitionsWhere(sql`stored is null`))} union all
  ${formerDefinitions('deleted', definitionsWhere(sql`definition is null`))} union all
  ${formerDefinitions('updated', definitionsWhere(sql`definition is not null and stored is not null`))}`

/** Gives a store the fields that it had before a request. A store that the request created stays. Two statements. */
export async function revertStore(catalogue: WriteCatalogue, reversal: Reversal): Promise<Reverted> {
  const { storeUuid } = reversal
  const before = (field: string, column: string) => sql`
        ${sql.ref(column)} = case when f.old ? ${field} then f.old ->> ${field} else ${sql.ref(column)} end`
  const listBefore = (field: string, column: string) => sql`
        ${sql.ref(column)} = case when f.old ? ${field}
          then array(select jsonb_array_elements_text(f.old -> ${field})) else ${sql.ref(column)} end`
  // As updateStore does: no other lock is for the fields of a store.
  await sql`select from store where store_uuid = ${storeUuid} for no key update`.execute(catalogue.db)
  const { rows } = await sql<Reverted>`
    with ${revertedItems(reversal, ['store'])}, field as materialized (
      select f.key, f.was, s.stored -> f.key as stored
      from (
        select distinct on (key) key, was::jsonb as was from own where is_undone and action = 'updated' order by key, seq
      ) f cross join lateral (
        select ${fieldsOf('store')} as stored from store where store_uuid = ${storeUuid}
        offset 0
      ) s
      where f.was <> s.stored -> f.key
    ), written as (
      update store set ${before('storeName', 'store_name')}, ${before('storeTaxonomy', 'store_taxonomy')},
        ${before('storeWebsite', 'store_website')}, ${listBefore('region', 'region')},
        ${listBefore('channels', 'channels')}, ${listBefore('defaultAutomation', 'default_automation')}
      from (select jsonb_object_agg(key, was) as old from field) f
      where store_uuid = ${storeUuid} and f.old is not null
    ), ${recorded(catalogue, storeUuid, fieldChanges)}
    select json_build_object('storeFields', (select count(*) from field)) as reverted, ${skippedColumns(skippedFields)}`.execute(
    catalogue.db,
  )
  return onlyRow(rows)
}

const fieldChanges = sql`
  select 'store' as kind, 'updated' as action, '' as code, key, stored::text as was from field`

const skippedFields = sql`
  select kind, code, key, 'changed_since' as reason from own where not is_undone and action = 'updated' union all
  select kind, code, key, 'store_created' from own where action = 'created'`
