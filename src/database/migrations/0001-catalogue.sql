-- Codes, ids and channels have the collation "C": the order of code points, whatever the server's locale.
--
-- Products, assets and links have no foreign keys: PostgreSQL would check each row of a bulk write on its own, and the
-- check's share lock on the store's row would make concurrent writers wait for each other. Stores are never deleted,
-- writers of assets hold their store's lock, and `catalog check` finds links without an asset.

create table store (
  store_uuid uuid primary key,
  store_group uuid not null,
  store_name text not null,
  store_taxonomy text not null,
  region text[] not null,
  channels text[] not null,
  default_automation text[] not null,
  store_website text,
  created_at timestamptz not null default now()
);
create index store_by_group on store (store_group, store_uuid);

create table attribute_definition (
  store_uuid uuid not null references store,
  name text collate "C" not null,
  type text not null check (type in ('text', 'number', 'boolean', 'date', 'url', 'enum')),
  allowed_values text[],
  max_length integer,
  pattern text,
  primary key (store_uuid, name)
);

-- A page has room for the new version of a product, so that an update changes no index.
create table product (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  status text not null check (status in ('active', 'new', 'problem', 'inactive', 'draft', 'under review')),
  attributes jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_uuid, product_code)
) with (fillfactor = 85);

create table asset (
  store_uuid uuid not null,
  asset_id text collate "C" not null,
  asset_format text collate "C" not null,
  url text collate "C" not null,
  url_hash bigint generated always as (hashtextextended(url, 0)) stored,
  created_at timestamptz not null default now(),
  primary key (store_uuid, asset_id)
);
-- By the hash: a URL can be too long for an index. In a column: where row-level security holds, the function would only
-- be called for rows that the policy has passed, so no index of its results would be used. Statements are planned for
-- the average store: among stores of a row each, any index that begins with the store seems as good as the right one.
-- `is not null` keeps PostgreSQL from this one, unless the hash is compared.
create index asset_by_url on asset (store_uuid, url_hash) where url_hash is not null;

-- Links an asset to the groups of a parent code and channel; `place` orders them and may have gaps.
create table asset_link (
  store_uuid uuid not null,
  parent_code text collate "C" not null,
  channel text collate "C" not null,
  asset_id text collate "C" not null,
  place integer not null,
  primary key (store_uuid, parent_code, channel, asset_id)
);
create index asset_link_by_asset on asset_link (store_uuid, asset_id) where asset_id is not null;

-- The read model: one row per group, with its assets in order as JSON text: pairs of asset id and URL.
create table asset_group (
  store_uuid uuid not null,
  channel text collate "C" not null,
  asset_format text collate "C" not null,
  parent_code text collate "C" not null,
  entries text not null,
  parent_hash bigint generated always as (hashtextextended(parent_code, 0)) stored,
  primary key (store_uuid, channel, asset_format, parent_code)
);
-- By the hash, so that no listing uses this index for its order of parent codes and filters out the other channels.
create index asset_group_by_parent on asset_group (store_uuid, parent_hash) where parent_hash is not null;

-- A listing's groups, cut into ranges of parent codes that begin with `first_code`: a page at a large offset is found
-- by their counts.
create table asset_group_range (
  store_uuid uuid not null,
  channel text collate "C" not null,
  asset_format text collate "C" not null,
  first_code text collate "C" not null,
  groups integer not null,
  primary key (store_uuid, channel, asset_format, first_code)
) with (fillfactor = 70);

-- A listing's total and version, each the sum over a few rows: concurrent writers seldom update the same row.
create table asset_group_total (
  store_uuid uuid not null,
  channel text collate "C" not null,
  asset_format text collate "C" not null,
  shard smallint not null,
  groups integer not null,
  version bigint not null,
  primary key (store_uuid, channel, asset_format, shard)
) with (fillfactor = 50);
