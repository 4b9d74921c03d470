import { sql } from 'kysely'
import { maxSize } from '../../products/product-patches.ts'
import { totalled } from '../../products/product-totals.ts'
import { changedSince, type RevertStep } from './run-revert.ts'

/**
 * CTEs up to `changing`: the products to write, with their present values and those to restore. `first` has the oldest
 * undone item of each code and key. Of attributes, only those before the product was created or deleted count.
 */
const productsToWrite = (storeUuid: string) => sql`
    first as (
      select distinct on (code, key) code, key, action, was
      from (
        select *, min(seq) filter (where key is null) over (partition by code) as whole_seq from own where is_undone
      ) o
      where seq <= whole_seq or whole_seq is null
      order by code, key, seq
    ), old as (
      select code, bool_or(action = 'created') as is_new, max(was) filter (where action = 'deleted')::jsonb as whole,
        max(was) filter (where key = 'status') as status,
        coalesce(array_agg(key) filter (where key is not null), '{}') as keys,
        coalesce(jsonb_object_agg(key, was) filter (where key <> 'status' and was is not null), '{}') as attributes,
        coalesce(array_agg(key) filter (where key <> 'status' and was is null), '{}') as unset
      from first group by code
    ), product_after as materialized (
      select o.code, o.is_new, o.whole is not null as is_whole, o.keys, p.status, p.attributes, p.created_at, p.updated_at,
        not o.is_new and (o.whole is not null or p.status is not null) as is_there_after,
        coalesce(o.status, o.whole ->> 'status', p.status) as status_after,
        (coalesce(o.whole -> 'attributes', p.attributes) - o.unset) || o.attributes as attributes_after,
        coalesce((o.whole ->> 'createdAt')::timestamptz, p.created_at) as created_at_after
      from old o left join lateral (
        select status, attributes, created_at, updated_at from product
        where store_uuid = ${storeUuid} and product_code = o.code
        offset 0
      ) p on true
    ), checked as materialized (
      select *, is_there_after and pg_column_size(attributes_after) > ${maxSize}::integer / 8
        and octet_length(attributes_after::text) > ${maxSize}::integer as is_too_large
      from product_after
    ), changing as materialized (
      select * from checked where not is_too_large and (
        is_there_after <> (status is not null)
        or is_there_after and (status_after <> status or attributes_after <> attributes)
      )
    )`

const changes = sql`
  select 'product' as kind, case when is_there_after then 'created' else 'deleted' end as action, code, null::text as key,
    case when not is_there_after then json_build_object('status', status, 'attributes', attributes, 'createdAt', created_at,
      'updatedAt', updated_at)::text end as was
  from changing where is_there_after <> (status is not null)
  union all
  select 'product', 'updated', code, 'status', status from changing where is_there_after and status_after <> status
  union all
  select 'product', 'updated', code, k.key, attributes ->> k.key
  from changing cross join lateral (
    select unnest(keys) as key
    union
    select jsonb_object_keys(attributes || attributes_after) where is_whole
  ) k
  where is_there_after and status is not null and k.key <> 'status'
    and attributes ->> k.key is distinct from attributes_after ->> k.key`

const differences = sql`
  select status_after as status, 1 as delta from changing where is_there_after
  union all
  select status, -1 from changing where status is not null`

const skipped = sql`
  ${changedSince}
  union all
  select 'product', code, unnest(keys), 'gone' from product_after where not is_new and not is_there_after
  union all
  select 'product', code, unnest(keys), 'too_large' from checked where is_too_large`

/** Restores attributes and statuses, deletes products that the request created, and creates those that it deleted. */
export const products: RevertStep = {
  kinds: ['product'],
  restore: (_, { storeUuid }) => sql`${productsToWrite(storeUuid)}, deleted as (
      delete from product
      where store_uuid = ${storeUuid} and product_code = any(array(select code from changing where not is_there_after))
    ), written as (
      insert into product (store_uuid, product_code, status, attributes, created_at, updated_at)
      select ${storeUuid}::uuid, code, status_after, attributes_after, created_at_after, greatest(now(), created_at_after)
      from changing where is_there_after
      order by code
      on conflict (store_uuid, product_code) do update
        set status = excluded.status, attributes = excluded.attributes, created_at = excluded.created_at,
          updated_at = greatest(excluded.updated_at, product.updated_at)
    ), ${totalled(storeUuid, differences)}`,
  changes,
  counts: { products: sql`(select count(*) from changing)` },
  skipped,
}
