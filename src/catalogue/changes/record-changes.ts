import { sql } from 'kysely'
import { type Catalogue, jsonOfOrigin, type WriteCatalogue } from '../catalogue.ts'
import type { Sql } from '../conditions.ts'
import type { ChangeAction, ChangeKind } from './change.ts'

/** An item of a change (0005-changes.sql). */
export interface Item {
  kind: ChangeKind
  action: ChangeAction
  code: string
  key: string | null
  was: string | null
}

/**
 * SQL: a value that records the items of a query, if changes are recorded, and adds the parent codes of links to the
 * queue of changed products. `failed`: how many items of the request failed. On Citus, a query that reads tables needs
 * a statement that inserts in a CTE. Products are recorded by write-products.sql.
 */
export function recorded(catalogue: Catalogue, storeUuid: string, items: Sql, failed: Sql | number = 0): Sql {
  return sql`(
      select count(record_items(${storeUuid}::uuid, ${jsonOfOrigin(catalogue)}::jsonb, kind, action, codes, keys, was,
        distinct_codes, case nth when 1 then ${failed}::integer else 0 end))
      from (
        select kind, action, array_agg(code) as codes, array_agg(key) as keys, array_agg(was) as was,
          array_agg(distinct code collate "C") as distinct_codes, row_number() over (order by kind, action, part) as nth
        from (
          select *, sum(100 + octet_length(code) + coalesce(octet_length(key), 0) + coalesce(octet_length(was), 0)) over (
            partition by kind, action rows unbounded preceding) / ${maxBytes}::integer as part
          from (${items}) i
        ) i
        group by kind, action, part
      ) i
    )`
}

/** About how many bytes of items a row of the ledger has: a reader decodes it whole. */
const maxBytes = 2_000_000

/** Records the items of a query that reads no table. */
export async function recordChanges(catalogue: WriteCatalogue, storeUuid: string, items: Sql): Promise<void> {
  await sql`select ${recorded(catalogue, storeUuid, items)}`.execute(catalogue.db)
}

/** Records items that were read. */
export async function recordItems(catalogue: WriteCatalogue, storeUuid: string, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return
  await recordChanges(
    catalogue,
    storeUuid,
    sql`select * from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      as i(kind text, action text, code text, key text, was text)`,
  )
}

/** Records that a channel's requirements are evaluated, and how many products are blocked, if changes are recorded. */
export async function recordEvaluated(
  catalogue: WriteCatalogue,
  storeUuid: string,
  { channel, blocked }: { channel: string; blocked: number },
): Promise<void> {
  await sql`
    select record_change(${storeUuid}::uuid, ${jsonOfOrigin(catalogue)}::jsonb, 'readiness', 'changed', array[''],
      array[${channel}::text], null, ${blocked}::integer, 0)`.execute(catalogue.db)
}

/** The items of products that have become ready for a channel, and of those that have become blocked. */
export const readinessItems = (channel: string, ready: readonly string[], blocked: readonly string[]) => sql`
  select 'readiness' as kind, action, code, ${channel}::text as key, null::text as was
  from (
    select 'ready' as action, unnest(${ready}::text[]) as code union all select 'blocked', unnest(${blocked}::text[])
  ) p`

/** The items of created assets: the rows `(asset_id)` of a query. */
export const createdAssets = (assets: Sql) => sql`
  select 'asset' as kind, 'created' as action, asset_id as code, null::text as key, null::text as was
  from (${assets}) a`

/** The items of deleted assets: the rows `(asset_id, asset_format, url, created_at)` of a query. */
export const deletedAssets = (assets: Sql) => sql`
  select 'asset' as kind, 'deleted' as action, asset_id as code, null::text as key, json_build_object(
    'assetFormat', asset_format, 'url', url, 'createdAt', created_at)::text as was
  from (${assets}) a`

/** A link as JSON: its channel and asset. */
export const linkKey = sql`'[' || to_json(channel) || ',' || to_json(asset_id) || ']'`

/** The items of created links: the rows `(parent_code, channel, asset_id)` of a query. */
export const createdLinks = (links: Sql) => sql`
  select 'link' as kind, 'created' as action, parent_code as code, ${linkKey} as key, null::text as was
  from (${links}) l`

/** The items of moved links: of the links `(parent_code, channel, asset_id, place, was)` those with a new place. */
export const movedLinks = (links: Sql) => sql`
  select 'link' as kind, 'updated' as action, parent_code as code, ${linkKey} as key, was::text
  from ${links} where was <> place`

/** The items of deleted links `(parent_code, channel, asset_id, place)`. */
export const deletedLinks = (links: Sql) => sql`
  select 'link' as kind, 'deleted' as action, parent_code as code, ${linkKey} as key, place::text as was from ${links}`

/** The items of created definitions: the rows `(name)` of a query. */
export const createdDefinitions = (definitions: Sql) => sql`
  select 'definition' as kind, 'created' as action, name as code, null::text as key, null::text as was
  from (${definitions}) d`

/** The columns of a definition. */
export const definitionColumns = sql`name, type, allowed_values, max_length, pattern, filterable, searchable`

/** A definition as JSON. */
export const definitionJson = sql`(jsonb_build_object('type', type, 'allowedValues', allowed_values, 'maxLength', max_length,
    'pattern', pattern) || case when filterable then '{"filterable": true}' else '{}' end::jsonb
    || case when searchable then '{"searchable": true}' else '{}' end::jsonb)`

/** The items of updated or deleted definitions: the former rows. */
export const formerDefinitions = (action: 'updated' | 'deleted', definitions: Sql) => sql`
  select 'definition' as kind, ${action}::text as action, name as code, null::text as key,
    ${definitionJson}::text as was
  from (${definitions}) d`
