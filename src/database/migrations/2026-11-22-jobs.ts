import { type Kysely, sql } from 'kysely'

/** Imports and exports that the gateway does in the background, and what goes into them and comes out, in parts. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [...tables, ...walls, grants]) await sql.raw(statement).execute(db)
}

const tables = [
  `create table job (
    store_uuid uuid not null,
    job_id uuid not null unique,
    kind text not null check (kind in ('import', 'export')),
    state text not null check (state in ('queued', 'running', 'succeeded', 'failed')),
    options jsonb not null,
    counts jsonb not null default '{}',
    problems jsonb not null default '[]',
    error text,
    attempt integer not null default 0,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    heartbeat_at timestamptz,
    finished_at timestamptz,
    primary key (store_uuid, job_id)
  )`,
  `create index job_to_do on job (created_at, job_id) where state in ('queued', 'running')`,
  `create table job_part (
    store_uuid uuid not null,
    job_id uuid not null,
    direction text not null check (direction in ('input', 'output')),
    part integer not null,
    text text not null,
    primary key (store_uuid, job_id, direction, part)
  )`,
]

/** As on every table of tenants: see the migration of viewers. */
const walls = ['import_run', 'job', 'job_part'].flatMap((table) => [
  `alter table ${table} enable row level security`,
  `create policy own_stores on ${table} using (
    store_uuid = any ((select current_setting('catalogue.stores')::uuid[])::uuid[]))`,
])

/** Who asks for a job writes it; how far imports are is the service's own business. */
const grants = `
  do $$
  begin
    grant select, insert, update, delete on job, job_part to catalogue_tenant;
  exception
    when undefined_object or insufficient_privilege then null;
  end $$`
