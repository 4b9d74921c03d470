import { type Kysely, sql } from 'kysely'

/**
 * A listing's total and version get rows of their own, so few that to add them up costs the same for any number of groups; several, so that writers seldom meet in one. The
 * ranges keep their counts alone, by which a page far behind is found.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table asset_group_total (
    store_uuid uuid not null,
    channel text collate "C" not null,
    asset_format text collate "C" not null,
    shard smallint not null,
    groups integer not null,
    version bigint not null,
    primary key (store_uuid, channel, asset_format, shard)
  ) with (fillfactor = 50)`,
  `insert into asset_group_total
    select store_uuid, channel, asset_format, 0, sum(groups), sum(version) from asset_group_range group by store_uuid, channel, asset_format`,
  'alter table asset_group_range drop column version',

  'alter table asset_group_total enable row level security',
  `create policy own_stores on asset_group_total using (
    store_uuid = any ((select current_setting('catalogue.stores')::uuid[])::uuid[]))`,
  `do $$
  begin
    grant select, insert, update, delete on asset_group_total to catalogue_tenant;
  exception
    when undefined_object or insufficient_privilege then null;
  end $$`,
]
