create table token (
  token_id uuid primary key,
  name text not null,
  hash bytea not null unique,
  scopes text[] not null,
  stores uuid[],
  -- How old the answers to its reads may be, such as 2s.
  stale_while text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

-- The role that row-level security binds. Roles belong to the server, not to one database: it may exist already, or be
-- created concurrently. A user who may not create roles goes without; the gateway logs a warning.
do $$
begin
  create role catalogue_tenant nologin;
exception
  when duplicate_object or unique_violation or insufficient_privilege then null;
end $$;

do $$
begin
  -- From PostgreSQL 16 on, a user who has created a role is a member of it that may not yet `set role` to it.
  if current_setting('server_version_num')::integer >= 160000 then
    if not pg_has_role(current_user, 'catalogue_tenant', 'set') then
      execute format('grant catalogue_tenant to %I with set true', current_user);
    end if;
  elsif not pg_has_role(current_user, 'catalogue_tenant', 'member') then
    execute format('grant catalogue_tenant to %I', current_user);
  end if;
exception
  when undefined_object or insufficient_privilege or invalid_grant_operation then null;
end $$;
