-- The answers of writes with an Idempotency-Key. `scope` and `body` are hashes; a row without an answer exists only
-- within the transaction that does the write. `owner` is whose quota counts its bytes: a hash of the token's stores, or
-- of the token.
create table idempotency_key (
  scope bytea primary key,
  body bytea not null,
  owner bytea not null,
  answer text,
  bytes integer not null generated always as (octet_length(coalesce(answer, '')) + 1024) stored,
  created_at timestamptz not null default now()
);
create index idempotency_key_by_age on idempotency_key (created_at);
create index idempotency_key_by_owner on idempotency_key (owner, created_at) include (bytes);

-- Requests of each token in the current minute, where several instances count together. Unlogged: it need not survive a
-- crash.
create unlogged table rate_limit (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
