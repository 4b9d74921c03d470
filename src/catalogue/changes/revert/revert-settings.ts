import { type RawBuilder, sql } from 'kysely'
import {
  maxFilterable,
  maxSearchable,
  orReplaced,
  requireFittingDefinitions,
} from '../../attributes/attribute-definitions.ts'
import type { StoredDefinition } from '../../attributes/attribute-rules.ts'
import type { WriteCatalogue } from '../../catalogue.ts'
import type { Sql } from '../../conditions.ts'
import { requestBuild } from '../../projections/queue.ts'
import { changedRequirements } from '../../readiness/requirements.ts'
import { setFields } from '../../stores/update-store.ts'
import type { ChangeAction } from '../change.ts'
import { createdDefinitions, definitionColumns, definitionJson, formerDefinitions } from '../record-changes.ts'
import {
  changedSince,
  itemsOf,
  type Restoration,
  type Reversal,
  type RevertStep,
  restoreItems,
} from './restore-items.ts'
import type { SkippedItem } from './skipped-item.ts'

/** Restores the fields of a store. A store that the request created stays. */
export const storeFields: RevertStep = {
  kinds: ['store'],
  revert: async (catalogue, reversal) => {
    const { rows } = await sql<{ key: string | null; action: ChangeAction; was: string | null; isUndone: boolean }>`
      select key, action, was, is_undone as "isUndone" from (${itemsOf(reversal, ['store'])}) i
      order by key, seq`.execute(catalogue.db)
    // The oldest item of a field comes last: it has the value from before the request.
    const undone = rows.filter(({ action, isUndone }) => action === 'updated' && isUndone).reverse()
    const fields = Object.fromEntries(undone.map(({ key, was }) => [key, JSON.parse(was ?? 'null')]))
    const changed = undone.length > 0 ? (await setFields(catalogue, reversal.storeUuid, fields)).changed : 0
    const left = rows.filter(({ action, isUndone }) => action === 'created' || !isUndone)
    const reasons = new Map<string | null, SkippedItem['reason']>(
      left.map(({ key, action }) => [key, action === 'created' ? 'store_created' : 'changed_since']),
    )
    for (const [key, reason] of reasons) reversal.skipped.add({ kind: 'store', code: '', key, reason })
    return { storeFields: changed }
  },
}

const definitionsWhere = (condition: RawBuilder<boolean>) => sql`select * from definition where ${condition}`

/** Restores attribute definitions, and deletes those that the request created. */
export const definitions: RevertStep = {
  kinds: ['definition'],
  revert: async (catalogue, reversal) => {
    const { storeUuid } = reversal
    const done = await restoreItems(catalogue, reversal, ['definition'], (own) => restoredDefinitions(storeUuid, own))
    const all = await requireFittingDefinitions(catalogue, storeUuid)
    await endUses(catalogue, storeUuid, all)
    await requestBuild(catalogue, storeUuid)
    return done
  },
}

const restoredDefinitions = (storeUuid: string, own: Sql): Restoration => ({
  ctes: sql`definition as materialized (
      select f.*, d.*
      from (
        select distinct on (code) code as name, case when action <> 'created' then was::jsonb end as definition
        from ${own} where is_undone
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
      insert into attribute_definition (store_uuid, ${definitionColumns})
      select ${storeUuid}::uuid, d.name, i.type, i."allowedValues", i."maxLength", i.pattern, i.filterable is true,
        i.searchable is true
      from definition d cross join lateral jsonb_to_record(d.definition)
        as i(type text, "allowedValues" text[], "maxLength" integer, pattern text, filterable boolean, searchable boolean)
      where d.definition is not null
      order by d.name
      ${orReplaced}
    )`,
  changes: sql`
    ${createdDefinitions(definitionsWhere(sql`stored is null`))} union all
    ${formerDefinitions('deleted', definitionsWhere(sql`definition is null`))} union all
    ${formerDefinitions('updated', definitionsWhere(sql`definition is not null and stored is not null`))}`,
  counts: { definitions: sql`(select count(*) from definition)` },
  skipped: changedSince(own),
})

/** A revert may bring back more uses than a store may have: they end in definitions that it recorded. */
async function endUses(
  { db, origin }: WriteCatalogue,
  storeUuid: string,
  all: readonly StoredDefinition[],
): Promise<void> {
  const filterable = all.filter((one) => one.filterable)
  const searchable = all.filter((one) => one.searchable)
  if (filterable.length <= maxFilterable && searchable.length <= maxSearchable) return
  const { rows } = await sql<{ name: string }>`
    select distinct unnest(codes) as name from change
    where store_uuid = ${storeUuid} and request_id = ${origin?.requestId} and kind = 'definition'`.execute(db)
  const restored = new Set(rows.map(({ name }) => name))
  const beyond = (max: number, using: StoredDefinition[], isBuilt: 'isIndexed' | 'isSearched') =>
    using
      .map((one) => ({ name: one.name, rank: restored.has(one.name) ? 2 - Number(one[isBuilt]) : 0 }))
      .sort((a, b) => a.rank - b.rank)
      .slice(max)
      .map(({ name }) => name)
  await sql`
    update attribute_definition set
      filterable = filterable and name <> all(${beyond(maxFilterable, filterable, 'isIndexed')}::text[]),
      searchable = searchable and name <> all(${beyond(maxSearchable, searchable, 'isSearched')}::text[])
    where store_uuid = ${storeUuid} and name = any(${[...restored]}::text[])`.execute(db)
}

/** Restores the requirements of channels. */
export const requirements: RevertStep = {
  kinds: ['requirement'],
  revert: async (catalogue, reversal) => {
    const done = await restoreItems(catalogue, reversal, ['requirement'], (own) => restoredRequirements(reversal, own))
    await requestBuild(catalogue, reversal.storeUuid)
    return done
  },
}

const restoredRequirements = ({ storeUuid }: Reversal, own: Sql): Restoration => ({
  ctes: sql`changed as materialized (
      select f.channel, f.requirements, r.stored
      from (
        select distinct on (code) code as channel, was::jsonb as requirements from ${own} where is_undone order by code, seq
      ) f left join lateral (
        select requirements as stored from channel_requirement
        where store_uuid = ${storeUuid} and channel = f.channel
        offset 0
      ) r on true
      where f.requirements is distinct from r.stored
    ), deleted as (
      delete from channel_requirement
      where store_uuid = ${storeUuid} and channel = any(array(select channel from changed where requirements is null))
    ), written as (
      insert into channel_requirement (store_uuid, channel, requirements)
      select ${storeUuid}::uuid, channel, requirements from changed where requirements is not null
      order by channel
      on conflict (store_uuid, channel) do update set requirements = excluded.requirements
    )`,
  changes: changedRequirements(sql`changed`),
  counts: { requirements: sql`(select count(*) from changed)` },
  skipped: changedSince(own),
})
