-- The answers of writes with an Idempotency-Key. `scope` and `body` are hashes; a row without an answer exists only
-- within the transaction that does the write.
create table idempotency_key (
  scope bytea primary key,
  body bytea not null,
  answer text,
  created_at timestamptz not null default now()
);
create index idempotency_key_by_age on idempotency_key (created_at);

-- Requests of each token in the current minute, where several instances count together. Unlogged: it need not survive a
-- crash.
create unlogged table rate_limit (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
