import { type Kysely, sql } from 'kysely'

/**
 * Codes, ids and channels collate "C": that is the order of code points, whatever the server's locale.
 * Products, assets and links have no foreign keys on purpose: each row of a bulk write would be checked on its own, and
 * the check's share lock on the one store row would make all its writers meet there. Stores are never deleted, writers
 * of assets hold their store's lock, and `catalog check` looks for links without an asset.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of tables) await sql.raw(statement).execute(db)
}

const tables = [
  `create table store (
    store_uuid uuid primary key,
    store_group uuid not null,
    store_name text not null,
    store_taxonomy text not null,
    region text[] not null,
    channels text[] not null,
    default_automation text[] not null,
    store_website text,
    created_at timestamptz not null default now()
  )`,
  `create index store_by_group on store (store_group, store_uuid)`,

  `create table attribute_definition (
    store_uuid uuid not null references store,
    name text collate "C" not null,
    type text not null check (type in ('text', 'number', 'boolean', 'date', 'url', 'enum')),
    allowed_values text[],
    max_length integer,
    pattern text,
    primary key (store_uuid, name)
  )`,

  `create table product (
    store_uuid uuid not null,
    product_code text collate "C" not null,
    status text not null check (status in ('active', 'new', 'problem', 'inactive', 'draft', 'under review')),
    attributes jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (store_uuid, product_code)
  )`,

  `create table asset (
    store_uuid uuid not null,
    asset_id text collate "C" not null,
    asset_format text collate "C" not null,
    url text collate "C" not null,
    created_at timestamptz not null default now(),
    primary key (store_uuid, asset_id)
  )`,
  `create index asset_by_url on asset (store_uuid, hashtextextended(url, 0))`,

  `create table asset_link (
    store_uuid uuid not null,
    parent_code text collate "C" not null,
    channel text collate "C" not null,
    asset_id text collate "C" not null,
    place integer not null,
    primary key (store_uuid, parent_code, channel, asset_id)
  )`,
  `create index asset_link_by_asset on asset_link (store_uuid, asset_id)`,

  `create table asset_group (
    store_uuid uuid not null,
    channel text collate "C" not null,
    asset_format text collate "C" not null,
    parent_code text collate "C" not null,
    assets json not null,
    primary key (store_uuid, channel, asset_format, parent_code)
  )`,
  `create index asset_group_by_parent on asset_group (store_uuid, parent_code)`,

  `create table asset_group_count (
    store_uuid uuid not null,
    channel text collate "C" not null,
    asset_format text collate "C" not null,
    groups integer not null,
    primary key (store_uuid, channel, asset_format)
  )`,

  `create table token (
    token_id uuid primary key,
    name text not null,
    hash bytea not null unique,
    scopes text[] not null,
    created_at timestamptz not null default now()
  )`,
]
