import { type RawBuilder, sql } from 'kysely'
import { requireFittingDefinitions } from '../../attributes/attribute-definitions.ts'
import { requestBuild } from '../../projections/queue.ts'
import { written } from '../../readiness/store-requirements.ts'
import { fieldsOf } from '../../stores/stores.ts'
import { assignSlots, onRedefinition } from '../../values/slots.ts'
import { createdDefinitions, definitionJson, formerDefinitions } from '../record-changes.ts'
import { changedSince, type RevertStep } from './run-revert.ts'

const fieldBefore = (field: string, column: string) => sql`
        ${sql.ref(column)} = case when f.old ? ${field} then f.old ->> ${field} else ${sql.ref(column)} end`
const listBefore = (field: string, column: string) => sql`
        ${sql.ref(column)} = case when f.old ? ${field}
          then array(select jsonb_array_elements_text(f.old -> ${field})) else ${sql.ref(column)} end`

/** Restores the fields of a store. A store that the request created stays. */
export const storeFields: RevertStep = {
  kinds: ['store'],
  // As updateStore does.
  lock: async ({ db }, storeUuid) => {
    await sql`select from store where store_uuid = ${storeUuid} for no key update`.execute(db)
  },
  restore: (_, { storeUuid }) => sql`field as materialized (
      select f.key, f.was, s.stored -> f.key as stored
      from (
        select distinct on (key) key, was::jsonb as was from own where is_undone and action = 'updated' order by key, seq
      ) f cross join lateral (
        select ${fieldsOf('store')} as stored from store where store_uuid = ${storeUuid}
        offset 0
      ) s
      where f.was <> s.stored -> f.key
    ), written as (
      update store set ${fieldBefore('storeName', 'store_name')}, ${fieldBefore('storeTaxonomy', 'store_taxonomy')},
        ${fieldBefore('storeWebsite', 'store_website')}, ${listBefore('region', 'region')},
        ${listBefore('channels', 'channels')}, ${listBefore('defaultAutomation', 'default_automation')}
      from (select jsonb_object_agg(key, was) as old from field) f
      where store_uuid = ${storeUuid} and f.old is not null
    )`,
  changes: sql`select 'store' as kind, 'updated' as action, '' as code, key, stored::text as was from field`,
  counts: { storeFields: sql`(select count(*) from field)` },
  skipped: sql`
    select kind, code, key, 'changed_since' as reason from own where not is_undone and action = 'updated' union all
    select kind, code, key, 'store_created' from own where action = 'created'`,
}

const definitionsWhere = (condition: RawBuilder<boolean>) => sql`select * from definition where ${condition}`

/** Restores attribute definitions, and deletes those that the request created. */
export const definitions: RevertStep = {
  kinds: ['definition'],
  restore: (_, { storeUuid }) => sql`definition as materialized (
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
    )`,
  changes: sql`
    ${createdDefinitions(definitionsWhere(sql`stored is null`))} union all
    ${formerDefinitions('deleted', definitionsWhere(sql`definition is null`))} union all
    ${formerDefinitions('updated', definitionsWhere(sql`definition is not null and stored is not null`))}`,
  counts: { definitions: sql`(select count(*) from definition)` },
  skipped: changedSince,
  finish: async (catalogue, { storeUuid }) => {
    const all = await requireFittingDefinitions(catalogue, storeUuid)
    if (all.some(({ filterable }) => filterable)) await assignSlots(catalogue, storeUuid)
    await requestBuild(catalogue, storeUuid)
  },
}

/** Restores the requirements of channels. */
export const requirements: RevertStep = {
  kinds: ['requirement'],
  restore: (catalogue, { storeUuid }) => sql`changed as materialized (
      select f.channel, f.requirements, r.stored
      from (
        select distinct on (code) code as channel, was::jsonb as requirements from own where is_undone order by code, seq
      ) f left join lateral (
        select requirements as stored from channel_requirement
        where store_uuid = ${storeUuid} and channel = f.channel
        offset 0
      ) r on true
      where f.requirements is distinct from r.stored
    ), ${written(catalogue, storeUuid)}`,
  counts: { requirements: sql`(select count(*) from changed)` },
  skipped: changedSince,
  finish: (catalogue, { storeUuid }) => requestBuild(catalogue, storeUuid),
}
