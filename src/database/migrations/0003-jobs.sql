-- How far an unfinished import of a file has come: written in the transaction of each chunk, deleted at the end of the
-- file.
create table import_run (
  store_uuid uuid not null,
  file text collate "C" not null,
  content text not null,
  options text not null,
  counts jsonb not null,
  report_file text collate "C",
  report_bytes bigint not null,
  updated_at timestamptz not null default now(),
  primary key (store_uuid, file)
);

-- What the gateway runs in the background: imports, exports, and filling the tables of filterable and searchable
-- attributes. The library pg-boss queues them, in its own schema. Imports of the command line are seen here, too: they
-- are running with `attempt` 0.
create table job (
  store_uuid uuid not null,
  job_id uuid not null unique,
  kind text not null check (kind in ('import', 'export')),
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed')),
  options jsonb not null,
  -- Who started it, where changes are recorded.
  origin jsonb,
  counts jsonb not null,
  problems jsonb not null default '[]',
  error text,
  attempt integer not null default 0,
  crashes integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  heartbeat_at timestamptz,
  finished_at timestamptz,
  primary key (store_uuid, job_id)
);

-- The input and output of a job, in parts, which are deleted with it.
create table job_part (
  store_uuid uuid not null,
  job_id uuid not null,
  direction text not null check (direction in ('input', 'output')),
  part integer not null,
  text text not null,
  primary key (store_uuid, job_id, direction, part),
  foreign key (store_uuid, job_id) references job on delete cascade
);
