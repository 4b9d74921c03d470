-- Imports and exports. The library pg-boss queues them, in its own schema. Imports of the command line are here, too.
-- docs/architecture.md has the states.
create table job (
  store_uuid uuid not null,
  job_id uuid not null unique,
  kind text not null check (kind in ('import', 'export')),
  state text not null check (state in ('uploading', 'queued', 'running', 'succeeded', 'failed')),
  -- What an import of the command line reads: no gateway runs it.
  file text collate "C",
  options jsonb not null,
  -- Who started it, where changes are recorded.
  origin jsonb,
  counts jsonb not null,
  problems jsonb not null default '[]',
  notes jsonb not null default '[]',
  -- How the file of an import is written: format, encoding, delimiter.
  recognized jsonb not null default '{}',
  -- Where an import can be resumed: written in the transaction of each chunk, null after the end of the file.
  position jsonb,
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
  bytes bytea not null,
  primary key (store_uuid, job_id, direction, part),
  foreign key (store_uuid, job_id) references job on delete cascade
);
