import { sql } from 'kysely'
import { CatalogueError, type FieldFault, faultsOf, requireNoFaults } from '../../errors.ts'
import { hasAtMost, isStorable, shown } from '../../text.ts'
import { brief } from '../bounded-failures.ts'
import { type Catalogue, visibleStore, type WriteCatalogue } from '../catalogue.ts'
import {
  createdDefinitions,
  definitionColumns,
  formerDefinitions,
  type Item,
  recordItems,
} from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { requestBuild } from '../projections/queue.ts'
import {
  type AttributeDefinition,
  findBadPatterns,
  maxValueLength,
  nameFault,
  type StoredDefinition,
} from './attribute-rules.ts'

/** The largest number of filterable attributes in a store: each has a slot. */
export const maxFilterable = 8

/** The largest number of searchable attributes in a store. */
export const maxSearchable = 4

/** A definition to store. A limit that is left out or null does not limit the values. */
type NewDefinition = Pick<AttributeDefinition, 'name' | 'type'> & {
  [Limit in 'allowedValues' | 'maxLength' | 'pattern']?: AttributeDefinition[Limit] | undefined
} & { [Use in 'filterable' | 'searchable']?: boolean | null | undefined }

export async function listDefinitions(catalogue: Catalogue, storeUuid: string): Promise<StoredDefinition[]> {
  const uuid = visibleStore(catalogue, storeUuid)
  const { rows } = await sql<StoredDefinition>`
    select store_uuid as "storeUuid", name, type, allowed_values as "allowedValues", max_length as "maxLength", pattern,
      filterable, searchable, exists (
        select from product_index_slot s where s.store_uuid = ${uuid} and s.name = d.name
          and s.is_number = (d.type = 'number') and s.built_to is null
      ) as "isIndexed", exists (
        select from product_text_state s where s.store_uuid = ${uuid} and s.built_to is null and d.name = any(s.names)
      ) as "isSearched"
    from attribute_definition d where d.store_uuid = ${uuid} order by d.name`.execute(catalogue.db)
  return rows
}

/**
 * Adds or replaces definitions, and returns all definitions of the store. Stored values stay as they are. Throws
 * `store_not_found`, `payload_too_large`, or `invalid_request` with every fault.
 */
export async function defineAttributes(
  catalogue: WriteCatalogue,
  storeUuid: string,
  definitions: readonly NewDefinition[],
): Promise<StoredDefinition[]> {
  const badPatterns = await findBadPatterns(
    catalogue,
    definitions.flatMap(({ pattern }) => pattern ?? []),
  )
  requireNoFaults(definitions.flatMap((given, index) => definitionFaults(given, index, definitions, badPatterns)))
  const uuid = await lockStore(catalogue, storeUuid, { definitions: 'all' })
  const defined = sql`
      select name, type, "allowedValues" as allowed_values, "maxLength" as max_length, pattern,
        filterable is true as filterable, searchable is true as searchable
      from jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb)
        as i(name text, type text, "allowedValues" text[], "maxLength" integer, pattern text, filterable boolean,
          searchable boolean)`
  const { rows: items } = await sql<Item>`
    with defined as materialized (${defined}), old as materialized (
      select ${definitionColumns} from attribute_definition
      where store_uuid = ${uuid} and name = any(array(select name from defined))
    )
    ${definedItems}`.execute(catalogue.db)
  await sql`
    insert into attribute_definition (store_uuid, ${definitionColumns})
    select ${uuid}::uuid, ${definitionColumns} from (${defined}) d
    order by name collate "C"
    ${orReplaced}`.execute(catalogue.db)
  await recordItems(catalogue, uuid, items)
  const all = await requireFittingDefinitions(catalogue, uuid)
  requireAtMost(maxFilterable, 'filterable', all)
  requireAtMost(maxSearchable, 'searchable', all)
  await requestBuild(catalogue, uuid)
  return all
}

function requireAtMost(max: number, use: 'filterable' | 'searchable', all: readonly StoredDefinition[]): void {
  const used = all.filter((definition) => definition[use])
  const names = brief(used.map(({ name }) => name).join(', '))
  const fault = `must leave at most ${max} attributes of the store ${use}; with these there are ${used.length}: ${names}`
  requireNoFaults(faultsOf([['definitions', used.length > max && fault]]))
}

/** All definitions of a store after a change. Throws `payload_too_large`. */
export async function requireFittingDefinitions(catalogue: WriteCatalogue, uuid: string): Promise<StoredDefinition[]> {
  const all = await listDefinitions(catalogue, uuid)
  const bytes = Buffer.byteLength(JSON.stringify(all))
  if (bytes <= maxBytes) return all
  const details = `the definitions of a store may take ${maxBytes} bytes of JSON; with these they take ${bytes}: allow fewer or shorter values`
  throw new CatalogueError('payload_too_large', [{ field: 'definitions', details }])
}

/** SQL: the end of an insert of definitions: those that exist are replaced. */
export const orReplaced = sql`on conflict (store_uuid, name) do update set type = excluded.type,
        allowed_values = excluded.allowed_values, max_length = excluded.max_length, pattern = excluded.pattern,
        filterable = excluded.filterable, searchable = excluded.searchable`

const created = createdDefinitions(sql`select name from defined where name not in (select name from old)`)
const updated = formerDefinitions(
  'updated',
  sql`select ${definitionColumns} from old except select ${definitionColumns} from defined`,
)
const definedItems = sql`${created} union all ${updated}`

/** A write of products may read all definitions of its store. */
const maxBytes = 4 * 1024 * 1024

/** Removes definitions by name; ignores unknown names. Returns the remaining definitions. Throws `store_not_found`. */
export async function removeDefinitions(
  catalogue: WriteCatalogue,
  storeUuid: string,
  names: readonly string[],
): Promise<StoredDefinition[]> {
  const uuid = await lockStore(catalogue, storeUuid, { definitions: 'all' })
  const { rows: items } = await sql<Item>`
    with deleted as (
      delete from attribute_definition
      where store_uuid = ${uuid} and name = any(${names.filter(isStorable)}::text[])
      returning ${definitionColumns}
    )
    ${formerDefinitions('deleted', sql`select * from deleted`)}`.execute(catalogue.db)
  await recordItems(catalogue, uuid, items)
  await requestBuild(catalogue, uuid)
  return listDefinitions(catalogue, uuid)
}

const tooLongValue = `must be strings of at most ${maxValueLength} characters`

function definitionFaults(
  { name, type, allowedValues, maxLength, pattern }: NewDefinition,
  index: number,
  all: readonly NewDefinition[],
  badPatterns: ReadonlyMap<string, string>,
) {
  const badName = nameFault(name) ?? (name === 'status' ? "status is the product's own, not an attribute" : undefined)
  const badPattern = badPatterns.get(pattern ?? '')
  const fields: FieldFault[] = [
    ['name', badName && `is not usable: ${badName}; got ${shown(name)}`],
    ['name', all.findIndex((other) => other.name === name) < index && `comes twice: ${shown(name)}`],
    ['allowedValues', type === 'enum' && !allowedValues?.length && 'must name at least one value'],
    ['allowedValues', allowedValues?.every(isStorable) === false && 'must be strings without NUL and lone surrogates'],
    ['allowedValues', allowedValues?.every((value) => hasAtMost(value, maxValueLength)) === false && tooLongValue],
    ['maxLength', maxLength != null && maxLength < 1 && `must be at least 1; got ${maxLength}`],
    ['pattern', pattern != null && !isStorable(pattern) && 'must be without NUL and lone surrogates'],
    ['pattern', badPattern && `${badPattern}; got ${shown(pattern)}`],
  ]
  return faultsOf(fields, `definitions[${index}].`, index)
}
