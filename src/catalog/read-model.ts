import { sql } from 'kysely'

/**
 * The links `l` of the `touched` groups `t` with their assets `a`: what a caller selects `remaining` from. Each is looked up by its key: without
 * the fences of `offset 0` PostgreSQL may join all touched groups with all assets of their format first, in a store that is new to its statistics.
 */
export const fromTouchedGroups = sql`
      from touched t cross join lateral (
        select store_uuid, parent_code, channel, asset_id, place from asset_link
        where store_uuid = t.store_uuid and parent_code = t.parent_code and channel = t.channel
        offset 0
      ) l cross join lateral (
        select url from asset
        where store_uuid = l.store_uuid and asset_id = l.asset_id and asset_format = t.asset_format
        offset 0
      ) a`

/**
 * The tail of every statement that changes links: CTEs that bring the read model and its counts up to date with it.
 * They expect, before them, `touched(store_uuid, channel, asset_format, parent_code)`: the groups that may have changed, each
 * once; and `remaining(…the same, asset_id, url, place)`: what is linked in them once the statement is done. The caller holds the stores' locks.
 * What is gone is left out by `not in`, here and in the callers, because that is hashed: PostgreSQL expects one row of such a CTE, and
 * would compare each row with each for `not exists`.
 */
export const maintainReadModel = sql`
  rebuilt as (
    select store_uuid, channel, asset_format, parent_code,
      json_agg(json_build_array(asset_id, url) order by place, asset_id) as assets
    from remaining
    group by store_uuid, channel, asset_format, parent_code
  ), kept as (
    insert into asset_group (store_uuid, channel, asset_format, parent_code, assets)
    select store_uuid, channel, asset_format, parent_code, assets from rebuilt
    on conflict (store_uuid, channel, asset_format, parent_code) do update set assets = excluded.assets
    returning store_uuid, channel, asset_format, case when xmax = 0 then 1 else 0 end as delta
  ), emptied as (
    delete from asset_group g using touched t
    where g.store_uuid = t.store_uuid and g.channel = t.channel
      and g.asset_format = t.asset_format and g.parent_code = t.parent_code
      and (t.store_uuid, t.channel, t.asset_format, t.parent_code) not in (
        select store_uuid, channel, asset_format, parent_code from rebuilt
      )
    returning g.store_uuid, g.channel, g.asset_format, -1 as delta
  ), counted as (
    insert into asset_group_count as c (store_uuid, channel, asset_format, groups)
    select store_uuid, channel, asset_format, sum(delta)
    from (select * from kept union all select * from emptied) change
    group by store_uuid, channel, asset_format
    having sum(delta) <> 0
    on conflict (store_uuid, channel, asset_format) do update set groups = c.groups + excluded.groups
  )`
