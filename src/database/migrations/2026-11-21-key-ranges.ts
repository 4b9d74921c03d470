import { type Kysely, sql } from 'kysely'

/**
 * Key ranges take the place of the one count a store, channel and format had: a page far behind is found through them, and writers meet only
 * where they touch the same range. Groups hold their entries as the text that the REST listing shows.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of changes) await sql.raw(statement).execute(db)
}

const changes = [
  `create table asset_group_range (
    store_uuid uuid not null,
    channel text collate "C" not null,
    asset_format text collate "C" not null,
    first_code text collate "C" not null,
    groups integer not null,
    version bigint not null,
    primary key (store_uuid, channel, asset_format, first_code)
  ) with (fillfactor = 70)`,
  `insert into asset_group_range
    select store_uuid, channel, asset_format, case nth when 0 then '' else min(parent_code) end, count(*), 1
    from (
      select store_uuid, channel, asset_format, parent_code,
        (row_number() over (partition by store_uuid, channel, asset_format order by parent_code) - 1) / 2000 as nth
      from asset_group
    ) g
    group by store_uuid, channel, asset_format, nth`,
  'drop table asset_group_count',

  'alter table asset_group add column entries text',
  `update asset_group g set entries = (
    select '[' || string_agg('{"asset_id":' || (pair -> 0)::text || ',' || to_json(word || ' URL ' || nth)::text || ':' || (pair -> 1)::text || '}', ',' order by nth) || ']'
    from json_array_elements(g.assets) with ordinality as p(pair, nth),
      (select case g.asset_format when 'pdf' then 'PDF'
        else translate(left(g.asset_format, 1), 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') || substr(g.asset_format, 2) end as word) w
  )`,
  'alter table asset_group alter column entries set not null, drop column assets',

  // By the hash, so that no listing can take it for an index in the order of parent codes and filter the other channels out.
  'drop index asset_group_by_parent',
  'create index asset_group_by_parent on asset_group (store_uuid, hashtextextended(parent_code, 0))',
]
