-- Views for SQL tools, in the schema `report`. A login reads them with the rights of their owner, and sees the stores
-- that are listed here for its name: `current_user`, which it cannot change. The views are security barriers:
-- conditions of a query see no row of another store. The table has row-level security without a policy: only its owner
-- reads it.
create table report_user (
  name name not null,
  store_uuid uuid not null,
  primary key (name, store_uuid)
);
alter table report_user enable row level security;

-- Others create no functions where the gateway's sessions look for them (../advice.ts): up to PostgreSQL
-- 14 they may by default. A user who may not change that gets a warning.
do $$
declare
  schema name;
begin
  foreach schema in array current_schemas(false) loop
    if has_schema_privilege('public', schema::text, 'create') then
      execute format('revoke create on schema %I from public', schema);
    end if;
  end loop;
exception
  when insufficient_privilege then null;
end $$;

do $$
declare
  own constant text := 'store_uuid = any (array(select u.store_uuid from report_user u where u.name = current_user))';
begin
  -- `if not exists` would need the right to create schemas where this one exists, too.
  if to_regnamespace('report') is null then
    create schema report;
  end if;
  execute 'create view report.stores with (security_barrier) as
    select store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation, store_website,
      created_at
    from store where ' || own;
  execute 'create view report.products with (security_barrier) as
    select store_uuid, product_code, status, attributes, created_at, updated_at from product where ' || own;
  execute 'create view report.product_attributes with (security_barrier) as
    select store_uuid, product_code, a.key as name, a.value
    from product cross join lateral jsonb_each_text(attributes) a where ' || own;
  execute 'create view report.coverage with (security_barrier) as
    select store_uuid, channel, asset_format, sum(groups)::integer as groups from asset_group_total where ' || own || '
    group by store_uuid, channel, asset_format having sum(groups) > 0';
  execute 'create view report.changes with (security_barrier) as
    select store_uuid, at, request_id, actor, via, operation, kind, action, codes, items, failed, reverts
    from change where kind not in (''readiness'', ''import'') and ' || own;
  execute 'create view report.readiness with (security_barrier) as
    select store_uuid, channel, t.total, greatest(t.total - c.blocked, 0) as ready, t.as_of
    from channel_readiness c cross join lateral (
      select (select coalesce(sum(p.count), 0) from product_total p where p.store_uuid = c.store_uuid)::integer
          - coalesce(sum(d.delta), 0)::integer as total, least(min(d.at), now()) as as_of
      from product_dirty d
      where d.store_uuid = c.store_uuid and (d.projection is null or d.projection = ''READINESS'')
    ) t where c.state = ''current'' and ' || own;
  execute 'create view report.measures with (security_barrier) as
    select store_uuid, metric, dimension, grain, at, value from measure where ' || own;
  execute 'create view report.jobs with (security_barrier) as
    select store_uuid, job_id, kind, state, (counts ->> ''rows'')::integer as rows,
      (counts ->> ''created'')::integer as created, (counts ->> ''updated'')::integer as updated,
      (counts ->> ''unchanged'')::integer as unchanged, (counts ->> ''failed'')::integer as failed, error, created_at,
      started_at, finished_at
    from job where ' || own;
end $$;

-- Makes a login for `report_user`, if the user may create roles, and makes the user a member: only members may end its
-- sessions. From PostgreSQL 16 on, who has created a role is a member without its rights.
create function create_report_login(login name, verifier text) returns void language plpgsql as $$
begin
  execute format('create role %I login noinherit connection limit 5 password %L', login, verifier);
  execute format('comment on role %I is ''report user of the catalogue gateway''', login);
  if not pg_has_role(login, 'usage') then
    execute format('grant %I to %I %s', login, current_user,
      case when current_setting('server_version_num')::integer >= 160000 then 'with inherit true, set true' end);
  end if;
end $$;
revoke execute on function create_report_login from public;
